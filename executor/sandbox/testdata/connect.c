/* Native code that connects to sockets which do not answer. The tests compile it together with device.c. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Functions return an errno, 0 for none, or STUCK if something waits that should not. */
enum { STUCK = -2, TRIES = 8 };

long stream_by_path(void);

/* target is a listening socket whose backlog is full. */
static struct {
	int family, listener;
	union { struct sockaddr any; struct sockaddr_un file; struct sockaddr_in inet; } address;
	socklen_t length;
} target;

static int stream_of(int family, int flags) { return socket(family, SOCK_STREAM | SOCK_CLOEXEC | flags, 0); }

static long fill(int family) {
	target.family = family;
	memset(&target.address, 0, sizeof target.address);
	target.address.any.sa_family = family;
	if (family == AF_UNIX) {
		strcpy(target.address.file.sun_path, "full");
		unlink("full");
		target.length = sizeof target.address.file;
	} else {
		target.address.inet.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		target.length = sizeof target.address.inet;
	}
	if ((target.listener = stream_of(family, 0)) < 0) return errno;
	if (bind(target.listener, &target.address.any, target.length) < 0) return errno;
	if (listen(target.listener, 0) < 0) return errno;
	if (getsockname(target.listener, &target.address.any, &target.length) < 0) return errno;
	for (int i = 0; i < TRIES; i++) {
		int s = stream_of(family, SOCK_NONBLOCK);
		if (s < 0) return errno;
		if (connect(s, &target.address.any, target.length) < 0) {
			close(s);
			if (errno == EAGAIN || errno == EINPROGRESS) return 0;
			return errno;
		}
	}
	return EBUSY; /* it was never full */
}

static long connect_to(int socket) {
	return connect(socket, &target.address.any, target.length) < 0 ? errno : 0;
}

/* waiter connects a socket that blocks. It fails if the socket does not block any more. */
static void *waiter(void *unused) {
	int s = stream_of(target.family, 0);
	long error = s < 0 ? errno : connect_to(s);
	if (!error && fcntl(s, F_GETFL) & O_NONBLOCK) error = -1;
	return (void *)error;
}
static void *other(void *unused) { return (void *)stream_by_path(); }

/* within returns what a thread returns in a minute. */
static long within(pthread_t thread) {
	struct timespec until;
	void *outcome;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 60;
	return pthread_timedjoin_np(thread, &outcome, &until) ? STUCK : (long)outcome;
}

/* others_go_on connects another socket, in a thread of its own. */
static long others_go_on(void) {
	pthread_t thread;
	long error = pthread_create(&thread, 0, other, 0);
	return error ? error : within(thread);
}

/* waits has a thread wait in connect until there is room, while another one connects elsewhere. */
static long waits(int family) {
	pthread_t thread;
	long error = fill(family);
	if (error) return error;
	if ((error = pthread_create(&thread, 0, waiter, 0))) return error;
	usleep(20000);
	if ((error = others_go_on())) return error;
	while (accept4(target.listener, 0, 0, SOCK_NONBLOCK) >= 0 || errno != EAGAIN) {
		fcntl(target.listener, F_SETFL, O_NONBLOCK);
	}
	error = within(thread);
	close(target.listener);
	return error;
}
long connect_full_waits(void) { return waits(AF_UNIX); }
long connect_inet_waits(void) { return waits(AF_INET); }

/* once connects to what is full with a socket that does not block, or waits for a short time only. */
static long once(int family, int flags) {
	struct timeval most = {0, 20000};
	long error = fill(family);
	int s = stream_of(family, flags);
	if (error || s < 0) return error ? error : errno;
	if (!flags) setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
	error = connect_to(s);
	close(s);
	close(target.listener);
	return error;
}
long connect_full_at_once(void) { return once(AF_UNIX, SOCK_NONBLOCK); }
long connect_inet_at_once(void) { return once(AF_INET, SOCK_NONBLOCK); }
long connect_full_for_a_while(void) { return once(AF_UNIX, 0); }
long connect_inet_for_a_while(void) { return once(AF_INET, 0); }

/* kill_while_connecting kills a process that waits in connect. */
long kill_while_connecting(void) {
	int status;
	long error = fill(AF_UNIX);
	if (error) return error;
	pid_t pid = fork();
	if (pid < 0) return errno;
	if (pid == 0) _exit((long)waiter(0));
	usleep(20000);
	if (kill(pid, SIGKILL) < 0 || waitpid(pid, &status, 0) != pid) return errno;
	error = others_go_on();
	close(target.listener);
	return error ? error : WIFSIGNALED(status) ? 0 : -1;
}

static void ignore(int signal) { (void)signal; }

/* interrupt_while_connecting ends a call by a signal. */
long interrupt_while_connecting(void) {
	struct sigaction action = {.sa_handler = ignore};
	pthread_t thread;
	long error = fill(AF_UNIX);
	if (error) return error;
	sigaction(SIGUSR1, &action, 0);
	if ((error = pthread_create(&thread, 0, waiter, 0))) return error;
	void *outcome;
	for (int i = 0; i < 3000; i++) { /* it may not have begun */
		usleep(20000);
		pthread_kill(thread, SIGUSR1);
		if (pthread_tryjoin_np(thread, &outcome) == 0) {
			close(target.listener);
			return (long)outcome;
		}
	}
	return STUCK;
}

/* abort_while_connecting ends the process while a thread waits in connect. */
long abort_while_connecting(void) {
	pthread_t thread;
	long error = fill(AF_UNIX);
	if (error) return error;
	if ((error = pthread_create(&thread, 0, waiter, 0))) return error;
	usleep(20000);
	abort();
}
