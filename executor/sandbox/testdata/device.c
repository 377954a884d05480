/* Native code that does what drivers and plugins do; compiled by the tests and loaded only in sandboxed children. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static long result(long r) { return r < 0 ? errno : 0; }

/* Unless they say otherwise, functions return an errno, 0 for none. */

/* spawn_true has another process run a program, as those do that start compilers. */
extern char **environ;
long spawn_true(void) {
	char *arguments[] = {"true", 0};
	pid_t pid;
	int status, error = posix_spawn(&pid, "/bin/true", 0, 0, arguments, environ);
	if (error) return error;
	if (waitpid(pid, &status, 0) != pid) return errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

/* child_aborts returns the signal by which a child ends that aborts. */
long child_aborts(void) {
	int status;
	pid_t pid = fork();
	if (pid < 0) return errno;
	if (pid == 0) abort();
	if (waitpid(pid, &status, 0) != pid) return errno;
	return WIFSIGNALED(status) ? WTERMSIG(status) : -1;
}

/* in_child returns what a function returns in a child. */
static long in_child(long (*try)(void)) {
	int status;
	pid_t pid = fork();
	if (pid < 0) return errno;
	if (pid == 0) _exit(try());
	if (waitpid(pid, &status, 0) != pid) return errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

static long opens(const char *path, int flags) {
	int file = open(path, flags | O_CLOEXEC, 0600);
	if (file < 0) return errno;
	close(file);
	return 0;
}
static long write_by_child(void) { return opens("../outside/new", O_WRONLY | O_CREAT); }
static long inet(void) { int s = socket(AF_INET, SOCK_STREAM, 0); if (s >= 0) close(s); return s < 0 ? errno : 0; }
static long new_user(void) { return result(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0)); }
static long become_root(void) { return result(setuid(getuid() == 0 ? 12345 : 0)); }
static long signal_parent(void) { return result(kill(getppid(), 0)); }
long child_writes_outside(void) { return in_child(write_by_child); }
long child_opens_inet(void) { return in_child(inet); }
long child_signals_parent(void) { return in_child(signal_parent); }
long child_becomes_user(void) { return in_child(become_root); }
long make_user_namespace(void) { return new_user(); }
long make_sibling(void) { return result(syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0)); }

/* outlive starts a process that leaves its group and session, ignores what it can, never ends, and holds a lock by which
   the test sees whether it lives. */
long outlive(void) {
	pid_t pid = fork();
	if (pid < 0) return -errno;
	if (pid > 0) return pid;
	setsid();
	if (fork() > 0) _exit(0);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	int lock = open("outlives", O_WRONLY | O_CREAT, 0600);
	if (lock < 0 || flock(lock, LOCK_EX) < 0) _exit(1);
	for (;;) pause();
}

/* share_memory makes shared memory with a name and writes to it. */
long share_memory(void) {
	int memory = shm_open("/zonemark-test", O_RDWR | O_CREAT, 0600);
	if (memory < 0) return errno;
	long error = result(write(memory, "x", 1));
	shm_unlink("/zonemark-test");
	close(memory);
	return error;
}

/* too_much_shared_memory writes more than 640 MiB to shared memory with a name. */
long too_much_shared_memory(void) {
	static char piece[1 << 20];
	int memory = shm_open("/zonemark-test", O_RDWR | O_CREAT, 0600);
	long error = 0;
	if (memory < 0) return errno;
	for (int i = 0; i <= 640 && !error; i++) error = result(write(memory, piece, sizeof piece));
	shm_unlink("/zonemark-test");
	close(memory);
	return error;
}

long write_home(void) {
	char path[4096];
	snprintf(path, sizeof path, "%s/new", getenv("HOME"));
	return opens(path, O_WRONLY | O_CREAT);
}
long write_cache(void) {
	char path[4096];
	const char *cache = getenv("XDG_CACHE_HOME");
	if (!cache) return ENOENT;
	snprintf(path, sizeof path, "%s/new", cache);
	return opens(path, O_WRONLY | O_CREAT);
}
long open_full(void) { return opens("/dev/full", O_RDWR); }

static long connection(int kind, struct sockaddr_un *address, socklen_t length) {
	int listener = socket(AF_UNIX, kind | SOCK_CLOEXEC, 0), client, accepted;
	char byte = 0;
	long error = 0;
	if (listener < 0) return errno;
	if ((client = socket(AF_UNIX, kind | SOCK_CLOEXEC, 0)) < 0) return errno;
	if (bind(listener, (struct sockaddr *)address, length) < 0 || listen(listener, 1) < 0) error = errno;
	else if (connect(client, (struct sockaddr *)address, length) < 0) error = errno;
	else if ((accepted = accept(listener, 0, 0)) < 0) error = errno;
	else if (send(client, "x", 1, 0) != 1 || recv(accepted, &byte, 1, 0) != 1 || byte != 'x') error = errno ? errno : -1;
	close(listener);
	close(client);
	return error;
}
static long by_path(int kind) {
	struct sockaddr_un address = {AF_UNIX, "stream"};
	unlink(address.sun_path);
	return connection(kind, &address, sizeof address);
}
static long by_name(int kind) {
	struct sockaddr_un address = {AF_UNIX, ""};
	memcpy(address.sun_path, "\0zonemark-test", 14);
	return connection(kind, &address, offsetof(struct sockaddr_un, sun_path) + 14);
}
long stream_by_path(void) { return by_path(SOCK_STREAM); }
long stream_by_name(void) { return by_name(SOCK_STREAM); }
long packets_by_path(void) { return by_path(SOCK_SEQPACKET); }
long packets_by_name(void) { return by_name(SOCK_SEQPACKET); }
static long outside(int kind, const char *path) {
	struct sockaddr_un to = {AF_UNIX, ""};
	int s = socket(AF_UNIX, kind, 0);
	if (s < 0) return errno;
	strcpy(to.sun_path, path);
	long error = result(connect(s, (struct sockaddr *)&to, sizeof to));
	close(s);
	return error;
}
static long stream_outside(const char *path) { return outside(SOCK_STREAM, path); }
long connect_packets_outside(void) { return outside(SOCK_SEQPACKET, "../streams"); }
long connect_stream_outside(void) { return stream_outside("../streams"); }
long connect_stream_by_link(void) {
	unlink("link");
	if (symlink("../streams", "link") < 0) return errno;
	return stream_outside("link");
}
static long connect_by_child(void) { return stream_outside("../streams"); }
long child_connects_outside(void) { return in_child(connect_by_child); }

/* connect_while_changing connects while another thread changes the address between one inside and one outside. It returns
   how often a connection reached the outside, where nobody accepts on the one inside. */
static struct sockaddr_un changing = {AF_UNIX, ""};
static void *change(void *stop) {
	while (!__atomic_load_n((int *)stop, __ATOMIC_SEQ_CST)) {
		memcpy(changing.sun_path, "../streams", 11);
		memcpy(changing.sun_path, "nowhere/xx", 11);
	}
	return 0;
}
long connect_while_changing(void) {
	pthread_t thread;
	int stop = 0;
	long reached = 0;
	if (pthread_create(&thread, 0, change, &stop) != 0) return -1;
	for (int i = 0; i < 2000; i++) {
		int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (s < 0) { reached = -errno; break; }
		if (connect(s, (struct sockaddr *)&changing, sizeof changing) == 0) reached++;
		close(s);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
	pthread_join(thread, 0);
	return reached;
}

long datagram_socket(void) { int s = socket(AF_UNIX, SOCK_DGRAM, 0); if (s >= 0) close(s); return s < 0 ? errno : 0; }
/* send_to_address sends to an address with a stream, which the kernel does not do. */
long send_to_address(void) {
	struct sockaddr_un to = {AF_UNIX, "../datagrams"};
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	if (s < 0) return errno;
	long error = result(sendto(s, "x", 1, MSG_NOSIGNAL, (struct sockaddr *)&to, sizeof to));
	close(s);
	return error;
}
/* pass_descriptor sends a descriptor in a message. */
long pass_descriptor(void) {
	int pair[2], in[1] = {0};
	char space[CMSG_SPACE(sizeof in)] = {0}, byte = 0;
	struct iovec data = {&byte, 1};
	struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0) return errno;
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET, c->cmsg_type = SCM_RIGHTS, c->cmsg_len = CMSG_LEN(sizeof in);
	memcpy(CMSG_DATA(c), in, sizeof in);
	long error = result(sendmsg(pair[0], &m, 0));
	close(pair[0]), close(pair[1]);
	return error;
}
/* read_first reads the environment of the first process of the namespace. */
long read_first(void) { return opens("/proc/1/environ", O_RDONLY); }

/* name_thread gives a thread that waits another name, by its file in /proc. */
static void *wait_for(void *ends) { char byte; return read(*(int *)ends, &byte, 1) < 0 ? ends : 0; }
long name_thread(void) {
	int ends[2];
	pthread_t thread;
	if (pipe(ends)) return errno;
	if (pthread_create(&thread, 0, wait_for, ends)) return -1;
	long error = pthread_setname_np(thread, "cuda-EvtHandlr");
	close(ends[1]);
	pthread_join(thread, 0);
	close(ends[0]);
	return error;
}

/* Other files of /proc stay read-only. */
long write_own_file(void) { return opens("/proc/self/oom_score_adj", O_WRONLY); }
long write_file_of_first(void) { return opens("/proc/1/task/1/comm", O_WRONLY); }
long write_file_of_system(void) { return opens("/proc/sys/kernel/ns_last_pid", O_WRONLY); }
