/* Native code that behaves, misbehaves and computes; compiled by the tests and loaded only in sandboxed children. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* try_fork returns the errno of fork, or 0 after the new process has been waited for. */
long try_fork(void) {
	pid_t pid = fork();
	if (pid < 0) return errno;
	if (pid == 0) _exit(0);
	return waitpid(pid, 0, 0) == pid ? 0 : errno;
}

static void *count(void *counter) {
	__atomic_add_fetch((long *)counter, 1, __ATOMIC_SEQ_CST);
	return 0;
}

/* run_threads returns how many of 8 threads ran. */
long run_threads(void) {
	pthread_t threads[8];
	long counter = 0, started = 0;
	for (int i = 0; i < 8; i++)
		if (pthread_create(&threads[started], 0, count, &counter) == 0) started++;
	for (int i = 0; i < started; i++) pthread_join(threads[i], 0);
	return counter;
}

/* exhaust allocates 8 MiB pieces until malloc fails, frees them, and returns their number, or -1 if 4096 pieces are not
   enough. */
long exhaust(void) {
	static char *pieces[4096];
	long n = 0;
	while (n < 4096 && (pieces[n] = malloc(8 << 20)) != 0) memset(pieces[n++], 1, 4096);
	for (long i = 0; i < n; i++) free(pieces[i]);
	return n == 4096 ? -1 : n;
}

long loop_forever(void) { for (volatile long x = 0;; x++) ; return 0; }
long fault_segv(void) { *(volatile int *)8 = 1; return 0; }
long fault_fpe(void) { raise(SIGFPE); return 0; }
long fault_bus(void) { raise(SIGBUS); return 0; }
long fault_ill(void) { __builtin_trap(); return 0; }
long fault_trap(void) { raise(SIGTRAP); return 0; }
long fault_abort(void) { abort(); return 0; }
long signal_user(void) { raise(SIGUSR1); return 0; }
long signal_alarm(void) { ualarm(1000, 0); return pause(); }
long signal_own(void) { raise(SIGRTMIN + 3); return 0; }
long fault_term(void) { kill(getpid(), SIGTERM); return 0; }
static int deeper(volatile char *p) { volatile char b[4096]; b[0] = p ? p[0] + 1 : 1; return deeper(b) + b[0]; }
long fault_stack(void) { return deeper(0); }
static void *touch(void *unused) { *(volatile int *)16 = 1; return unused; }
long fault_thread(void) { pthread_t t; pthread_create(&t, 0, touch, 0); pthread_join(t, 0); return 0; }

static long now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

/* fma_chain takes the time of 200,000 dependent multiply-adds, in nanoseconds. */
long fma_chain(void) {
	volatile double seed = 0.5;
	double x = seed;
	long start = now();
	for (int i = 0; i < 200000; i++) x = x * 0.999 + 0.001;
	long end = now();
	seed = x;
	return end - start;
}

/* sweep takes the time of reading and writing 8 MiB once, in nanoseconds. */
long sweep(void) {
	static volatile long words[1 << 20];
	long start = now();
	for (int i = 0; i < 1 << 20; i++) words[i] += i;
	return now() - start;
}

/* bind_other_thread has one thread bind another to the CPUs that it has already, as runtimes do with their workers. It
   returns the error of the C library, 0 for none. */
static void *until_told(void *told) { while (!__atomic_load_n((int *)told, __ATOMIC_SEQ_CST)) sched_yield(); return 0; }
long bind_other_thread(void) {
	pthread_t thread;
	cpu_set_t cpus;
	int told = 0;
	if (pthread_create(&thread, 0, until_told, &told) != 0) return -1;
	int error = sched_getaffinity(0, sizeof cpus, &cpus) ? errno : 0;
	if (!error) error = pthread_setaffinity_np(thread, sizeof cpus, &cpus);
	__atomic_store_n(&told, 1, __ATOMIC_SEQ_CST);
	pthread_join(thread, 0);
	return error;
}

/* The following return an errno, 0 for none. What they set, the parent has already. */
static long result(long r) { return r < 0 ? errno : 0; }
long nice_parent(void) {
	errno = 0;
	int now = getpriority(PRIO_PROCESS, getppid());
	return errno ? errno : result(setpriority(PRIO_PROCESS, getppid(), now));
}
/* Of several processes, the kernel tells the last refusal: EACCES if that process is nicer than what is asked for. */
long nice_user(void) {
	long error = result(setpriority(PRIO_USER, getuid(), getpriority(PRIO_PROCESS, 0)));
	return error == EACCES ? EPERM : error;
}
long nice_itself(void) { return result(setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0))); }
long bind_parent(void) {
	cpu_set_t cpus;
	if (sched_getaffinity(getppid(), sizeof cpus, &cpus) < 0) return errno;
	return result(sched_setaffinity(getppid(), sizeof cpus, &cpus));
}
long schedule_parent(void) {
	struct sched_param p = {0};
	return result(sched_setscheduler(getppid(), SCHED_OTHER, &p));
}
long io_of_parent(void) {
	long now = syscall(SYS_ioprio_get, 1, getppid());
	return now < 0 ? errno : result(syscall(SYS_ioprio_set, 1, getppid(), now));
}

/* send_datagram sends a byte to the datagram socket that the parent's test listens on. */
long send_datagram(void) {
	struct sockaddr_un to = {AF_UNIX, ""};
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0) return errno;
	strcpy(to.sun_path, "../datagrams"); /* the working directory is the scratch folder */
	return result(sendto(pair[0], "x", 1, 0, (struct sockaddr *)&to, sizeof to));
}
