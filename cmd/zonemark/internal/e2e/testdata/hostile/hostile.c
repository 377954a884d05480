/* Native functions that attack what is around them. Each must be refused: a function that gets its way ends the process
   by exit(66), so that a test sees it. The test that compiles this file defines VICTIM, the number of a process of the
   same user, and OUTSIDE, a folder that the user may write, with the file "sentinel" and the socket "datagrams",
   HOMES, the home of the user, and TERMINAL, a terminal of the user. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#define SENTINEL OUTSIDE "/sentinel"

/* refused ends the process if a call was not refused. */
static void refused(long r) {
	if (r < 0) return;
	fprintf(stderr, "hostile: the call was allowed\n");
	_exit(66);
}

/* opened is refused for a descriptor. */
static void opened(const char *path, int flags) { refused(open(path, flags, 0666)); }

static void write_to(const char *path, const char *text) {
	int fd = open(path, O_WRONLY);
	if (fd < 0) return;
	refused(write(fd, text, strlen(text)));
	close(fd);
}

/* New processes. */
void fork_once(void) { long pid = fork(); if (pid == 0) _exit(66); refused(pid); }
void vfork_once(void) { long pid = vfork(); if (pid == 0) _exit(66); refused(pid); }
void clone_process(void) { long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); if (pid == 0) _exit(66); refused(pid); }
void exec_program(void) { execl("/bin/true", "true", (char *)0); refused(-1); }
void exec_descriptor(void) {
	int fd = open("/bin/true", O_RDONLY | O_CLOEXEC);
	char *arguments[] = {"true", 0}, *environment[] = {0};
	syscall(SYS_execveat, fd, "", arguments, environment, 0x1000 /* AT_EMPTY_PATH */);
	close(fd);
}
void spawn_program(void) {
	char *arguments[] = {"true", 0}, *environment[] = {0};
	pid_t pid;
	refused(-posix_spawn(&pid, "/bin/true", 0, 0, arguments, environment));
}

/* Sockets. */
void socket_inet(void) { refused(socket(AF_INET, SOCK_STREAM, 0)); }
void socket_inet6(void) { refused(socket(AF_INET6, SOCK_DGRAM, 0)); }
void socket_unix(void) { refused(socket(AF_UNIX, SOCK_STREAM, 0)); }
void socket_netlink(void) { refused(socket(AF_NETLINK, SOCK_RAW, 0)); }
void socket_packet(void) { refused(socket(AF_PACKET, SOCK_RAW, 0)); }
void socket_vsock(void) { refused(socket(40 /* AF_VSOCK */, SOCK_STREAM, 0)); }
void datagram_outside(void) {
	struct sockaddr_un to = {AF_UNIX, OUTSIDE "/datagrams"};
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0) return;
	refused(sendto(pair[0], "x", 1, 0, (struct sockaddr *)&to, sizeof to));
	close(pair[0]), close(pair[1]);
}
void datagram_flagged(void) {
	struct sockaddr_un to = {AF_UNIX, OUTSIDE "/datagrams"};
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0) return;
	refused(connect(pair[0], (struct sockaddr *)&to, sizeof to));
	close(pair[0]), close(pair[1]);
}
void packet_pair(void) { int pair[2]; refused(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair)); }
void pass_descriptor(void) {
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0) _exit(67); /* pairs of streams stay allowed */
	struct iovec one = {"x", 1};
	struct msghdr m = {.msg_iov = &one, .msg_iovlen = 1};
	long r = sendmsg(pair[0], &m, 0);
	close(pair[0]), close(pair[1]);
	refused(r);
}

/* Signals to others, and looking into them. */
void kill_victim(void) { refused(kill(VICTIM, SIGKILL)); }
void kill_parent(void) { refused(kill(getppid(), SIGTERM)); }
void kill_group(void) { refused(kill(0, 0)); }
void kill_everybody(void) { refused(kill(-1, 0)); }
void kill_thread(void) { refused(syscall(SYS_tgkill, VICTIM, VICTIM, SIGKILL)); }
void kill_task(void) { refused(syscall(SYS_tkill, VICTIM, SIGKILL)); }
void kill_queued(void) { union sigval v = {0}; refused(sigqueue(VICTIM, SIGTERM, v)); }
void kill_descriptor(void) {
	int fd = syscall(SYS_pidfd_open, VICTIM, 0);
	if (fd < 0) return;
	refused(syscall(SYS_pidfd_send_signal, fd, SIGKILL, 0, 0));
	close(fd);
}
void kill_by_owner(void) {
	int pipes[2];
	if (pipe(pipes) < 0) return;
	refused(fcntl(pipes[0], F_SETOWN, VICTIM));
	close(pipes[0]), close(pipes[1]);
}
void trace_victim(void) { refused(ptrace(PTRACE_ATTACH, VICTIM, 0, 0)); }
void seize_victim(void) { refused(ptrace(PTRACE_SEIZE, VICTIM, 0, 0)); }
void read_victim(void) {
	char byte;
	struct iovec local = {&byte, 1}, remote = {(void *)0x400000, 1};
	refused(process_vm_readv(VICTIM, &local, 1, &remote, 1, 0));
}
static char *of_victim(const char *name) {
	static char path[64];
	snprintf(path, sizeof path, "/proc/%d/%s", VICTIM, name);
	return path;
}
void open_memory(void) { opened(of_victim("mem"), O_RDWR); }
void open_environment(void) { opened(of_victim("environ"), O_RDONLY); }
void open_descriptor(void) { opened(of_victim("fd/0"), O_RDONLY); }
void take_descriptor(void) {
	int fd = syscall(SYS_pidfd_open, VICTIM, 0);
	if (fd < 0) return;
	refused(syscall(SYS_pidfd_getfd, fd, 0, 0));
	close(fd);
}

/* How others are scheduled, and what they may take. */
void nice_victim(void) { refused(setpriority(PRIO_PROCESS, VICTIM, 19)); }
void nice_parent(void) { refused(setpriority(PRIO_PROCESS, getppid(), 19)); }
void nice_user(void) { refused(setpriority(PRIO_USER, getuid(), 19)); }
void nice_group(void) { refused(setpriority(PRIO_PGRP, 0, 19)); }
void bind_victim(void) { cpu_set_t s; CPU_ZERO(&s); CPU_SET(0, &s); refused(sched_setaffinity(VICTIM, sizeof s, &s)); }
void idle_victim(void) { struct sched_param p = {0}; refused(sched_setscheduler(VICTIM, SCHED_IDLE, &p)); }
void batch_victim(void) { struct sched_param p = {0}; refused(sched_setparam(VICTIM, &p)); }
void attributes_of_victim(void) {
	uint32_t attributes[12] = {48, SCHED_IDLE};
	refused(syscall(SYS_sched_setattr, VICTIM, attributes, 0));
}
void io_of_victim(void) { refused(syscall(SYS_ioprio_set, 1, VICTIM, 3 << 13)); }
void io_of_user(void) { refused(syscall(SYS_ioprio_set, 3, getuid(), 3 << 13)); }
void limit_victim(void) { struct rlimit l = {0, 0}; refused(prlimit(VICTIM, RLIMIT_CPU, &l, 0)); }
void move_victim(void) { unsigned long from = 1, to = 1; refused(syscall(SYS_migrate_pages, VICTIM, 8, &from, &to)); }
void choose_for_oom(void) { write_to(of_victim("oom_score_adj"), "1000"); }
void autogroup_of_victim(void) { write_to(of_victim("autogroup"), "19"); }
void slack_of_victim(void) { write_to(of_victim("timerslack_ns"), "1000000000"); }

/* Files outside. */
void create_outside(void) { opened(OUTSIDE "/new", O_CREAT | O_WRONLY); }
void append_outside(void) { opened(SENTINEL, O_WRONLY | O_APPEND); }
void truncate_outside(void) { refused(truncate(SENTINEL, 0)); }
void unlink_outside(void) { refused(unlink(SENTINEL)); }
void rename_outside(void) { refused(rename(SENTINEL, OUTSIDE "/renamed")); }
void link_outside(void) { refused(link(SENTINEL, OUTSIDE "/linked")); }
void symlink_outside(void) { refused(symlink("sentinel", OUTSIDE "/symbolic")); }
void folder_outside(void) { refused(mkdir(OUTSIDE "/folder", 0777)); }
void pipe_outside(void) { refused(mkfifo(OUTSIDE "/pipe", 0666)); }
void device_outside(void) { refused(mknod(OUTSIDE "/device", S_IFCHR | 0666, 0x103)); }
void mode_outside(void) { refused(chmod(SENTINEL, 0777)); }
void owner_outside(void) { refused(chown(SENTINEL, getuid(), getgid())); }
void times_outside(void) { struct timeval t[2] = {{1}, {1}}; refused(utimes(SENTINEL, t)); }
void attribute_outside(void) { refused(setxattr(SENTINEL, "user.hostile", "x", 1, 0)); }
void mode_by_folder(void) { refused(fchmodat(AT_FDCWD, SENTINEL, 0777, 0)); }
void mode_by_new_call(void) { refused(syscall(452 /* fchmodat2 */, AT_FDCWD, SENTINEL, 0777, 0)); }
void owner_of_link(void) { refused(lchown(SENTINEL, getuid(), getgid())); }
void times_by_folder(void) { refused(utimensat(AT_FDCWD, SENTINEL, 0, 0)); }
void attribute_of_link(void) { refused(lsetxattr(SENTINEL, "user.hostile", "x", 1, 0)); }
void through_descriptor(void) { /* a descriptor for reading is opened again for writing */
	char path[64];
	int fd = open(SENTINEL, O_RDONLY);
	if (fd < 0) return;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	opened(path, O_WRONLY);
	close(fd);
}

/* Secrets. HOMES is the home of the user. */
void read_key(void) { opened(HOMES "/.ssh/id_rsa", O_RDONLY); }
void read_cloud(void) { opened(HOMES "/.aws/credentials", O_RDONLY); }
void read_notes(void) { opened(HOMES "/notes", O_RDONLY); }
void list_home(void) { opened(HOMES, O_RDONLY | O_DIRECTORY); }
void list_root(void) { opened("/root", O_RDONLY | O_DIRECTORY); }
void list_homes(void) { opened("/home", O_RDONLY | O_DIRECTORY); }
void read_shadow(void) { opened("/etc/shadow", O_RDONLY); }
void list_etc(void) { opened("/etc/ssh", O_RDONLY | O_DIRECTORY); }
void list_run(void) { opened("/run", O_RDONLY | O_DIRECTORY); }
void list_logs(void) { opened("/var/log", O_RDONLY | O_DIRECTORY); }
void read_by_link(void) {
	symlink(HOMES "/.ssh/id_rsa", "link");
	opened("link", O_RDONLY);
}
void read_driver(void) {
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/environ", getppid());
	opened(path, O_RDONLY);
}
void read_command_line(void) { opened(of_victim("cmdline"), O_RDONLY); }
void list_processes(void) { opened("/proc", O_RDONLY | O_DIRECTORY); }
void read_terminal(void) { opened(TERMINAL, O_RDONLY | O_NOCTTY | O_NONBLOCK); }
void read_screen(void) { opened("/dev/vcs", O_RDONLY); }
void read_kernel_log(void) { opened("/dev/kmsg", O_RDONLY | O_NONBLOCK); }
void watch_home(void) { refused(inotify_add_watch(inotify_init1(IN_CLOEXEC), HOMES, IN_ALL_EVENTS)); }

/* The machine. */
void mount_folder(void) { refused(mount("none", OUTSIDE, "tmpfs", 0, "size=64k")); }
void mount_writable(void) { refused(mount("", "/", "", MS_REMOUNT | MS_BIND, "")); }
void unmount_folder(void) { refused(umount2("/proc", MNT_DETACH)); }
void change_root(void) { refused(chroot("/proc")); }
void new_user(void) { refused(unshare(CLONE_NEWUSER)); }
void new_mounts(void) { refused(unshare(CLONE_NEWNS)); }
void enter_namespace(void) {
	int fd = open("/proc/self/ns/net", O_RDONLY);
	refused(setns(fd, 0));
	close(fd);
}
void set_clock(void) { struct timespec t; clock_gettime(CLOCK_REALTIME, &t); refused(clock_settime(CLOCK_REALTIME, &t)); }
void adjust_clock(void) { struct timex t = {.modes = ADJ_TICK, .tick = 10000}; refused(adjtimex(&t)); }
void set_hostname(void) { refused(sethostname("hostile", 7)); }
void swap_off(void) { refused(swapoff("/nonexistent")); }
void load_program(void) { long attributes[16] = {0}; refused(syscall(SYS_bpf, 5, attributes, sizeof attributes)); }
void make_ring(void) { char parameters[120] = {0}; refused(syscall(SYS_io_uring_setup, 1, parameters)); }
void make_segment(void) { refused(shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600)); }
void make_messages(void) { refused(msgget(IPC_PRIVATE, 0600)); }
void make_semaphores(void) { refused(semget(IPC_PRIVATE, 1, 0600)); }
/* Descriptors that the parent does not see. */
void close_in_own_table(void) { refused(syscall(SYS_close_range, 1000000, 1000001, 2 /* CLOSE_RANGE_UNSHARE */)); }
void own_table(void) { refused(unshare(CLONE_FILES)); }
static int at_once(void *p) { return 0; }
void thread_with_own_table(void) {
	static char stack[1 << 16];
	refused(clone(at_once, stack + sizeof stack, CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, 0));
}
void handle_faults(void) { refused(syscall(SYS_userfaultfd, 1)); }
void add_key(void) { refused(syscall(SYS_add_key, "user", "hostile", "x", 1, -3)); }
void kernel_setting(void) { opened("/proc/sys/kernel/core_pattern", O_WRONLY); }
void trigger_kernel(void) { opened("/proc/sysrq-trigger", O_WRONLY); }
void memory_device(void) { opened("/dev/mem", O_RDWR); }
void type_into_terminal(void) { refused(ioctl(0, TIOCSTI, "x")); }

/* Its own confinement. */
void raise_core(void) { struct rlimit l = {1 << 20, 1 << 20}; refused(setrlimit(RLIMIT_CORE, &l)); }
void raise_files(void) { struct rlimit l = {1 << 19, 1 << 19}; refused(setrlimit(RLIMIT_NOFILE, &l)); }
void outlive_driver(void) { refused(prctl(PR_SET_PDEATHSIG, 0)); }
void hide_from_driver(void) { refused(prctl(PR_SET_DUMPABLE, 0)); }
void regain_root(void) { if (getuid() != 0) refused(setuid(0)); }
void answer_judge(void) { /* a filter of its own, to answer what the sandbox's filter asks about */
	struct { unsigned short n; void *p; } none = {0, 0};
	refused(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &none));
}

/* Taking without end. Each stops by itself far above the limits of the test. */
static void *sleeps(void *unused) { pause(); return unused; }
static void *spins(void *unused) { for (;;) __asm__ volatile(""); return unused; }
static void start_threads(int n, void *(*body)(void *)) {
	pthread_attr_t small;
	pthread_t thread;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 16 << 10);
	for (int i = 0; i < n; i++) pthread_create(&thread, &small, body, 0);
}
void threads_asleep(void) { start_threads(2000, sleeps); pause(); }
void threads_busy(void) { start_threads(320, spins); pause(); }

#define PIECE (16L << 20)
#define PIECES 32 /* 512 MiB, more than any limit of the tests; what comes on top costs them time */
static void take(int flags, int fd) {
	for (int i = 0; i < PIECES; i++) {
		void *p = mmap(0, PIECE, PROT_READ | PROT_WRITE, flags, fd, i * PIECE);
		if (p == MAP_FAILED) { perror("mmap"); _exit(68); }
		memset(p, 1, PIECE);
	}
	pause();
}
void take_private(void) { take(MAP_PRIVATE | MAP_ANONYMOUS, -1); }
void take_shared(void) { take(MAP_SHARED | MAP_ANONYMOUS, -1); }
void take_memory_file(void) {
	int fd = memfd_create("hostile", 0);
	if (ftruncate(fd, PIECES * PIECE) < 0) _exit(68);
	take(MAP_SHARED, fd);
}
static void fill(int fd) {
	static char piece[1 << 20];
	memset(piece, 1, sizeof piece);
	for (long i = 0; i < PIECES * PIECE; i += sizeof piece)
		if (write(fd, piece, sizeof piece) < 0) { perror("write"); _exit(68); }
	pause();
}
void fill_memory_file(void) { fill(memfd_create("hostile", 0)); }
static int temporary(const char *name) {
	char path[512];
	const char *folder = getenv("TMPDIR");
	snprintf(path, sizeof path, "%s/%s", folder ? folder : "/tmp", name);
	int fd = open(path, O_CREAT | O_RDWR, 0600);
	if (fd < 0) { perror(path); _exit(68); }
	return fd;
}
void fill_file(void) { fill(temporary("filled")); }
void fill_nameless_file(void) {
	char path[512];
	int fd = temporary("nameless");
	snprintf(path, sizeof path, "%s/nameless", getenv("TMPDIR"));
	unlink(path);
	fill(fd);
}
void fill_sockets(void) { /* and read nothing */
	static char piece[1 << 16];
	int pair[2], size = 1 << 30;
	while (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0)
		for (int k = 0; k < 2; k++) {
			setsockopt(pair[k], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
			while (write(pair[k], piece, sizeof piece) > 0);
		}
	pause();
}
void take_tables(void) { /* that translate addresses of one page of zeros */
	long size = 1L << 39, step = 2L << 20;
	volatile char *p = mmap(0, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED) { perror("mmap"); _exit(68); }
	madvise((void *)p, size, MADV_NOHUGEPAGE);
	for (long i = 0; i < size; i += step) p[i];
	pause();
}
void fill_many_files(void) {
	static char piece[PIECE];
	char name[32];
	memset(piece, 1, sizeof piece);
	for (int i = 0; i < PIECES; i++) {
		snprintf(name, sizeof name, "many%d", i);
		int fd = temporary(name);
		if (write(fd, piece, sizeof piece) < 0) _exit(68);
		close(fd);
	}
	pause();
}
/* Processes, where they are allowed. */
void children_take(void) {
	for (int i = 0; i < 8; i++)
		if (fork() == 0) {
			char *p = mmap(0, 4 * PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			if (p != MAP_FAILED) memset(p, 1, 4 * PIECE);
			for (;;) pause();
		}
	pause();
}
void children_without_end(void) {
	for (int i = 0; i < 2000; i++)
		if (fork() == 0) for (;;) pause();
	pause();
}
void children_share(void) { /* 60 MiB, which would be more than the limit if they counted in each process */
	int status;
	char *p = mmap(0, 60L << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) { perror("mmap"); _exit(68); }
	memset(p, 1, 60L << 20);
	for (int i = 0; i < 4; i++)
		if (fork() == 0) {
			for (long at = 0; at < 60L << 20; at += 4096) p[at]++;
			usleep(400000);
			_exit(0);
		}
	for (int i = 0; i < 4; i++) if (wait(&status) < 0 || status != 0) _exit(68);
	munmap(p, 60L << 20);
}
void fill_shared_memory(void) {
	static char piece[1 << 20];
	int fd = shm_open("/hostile", O_CREAT | O_RDWR, 0600);
	if (fd < 0) { perror("shm_open"); _exit(68); }
	while (write(fd, piece, sizeof piece) > 0); /* the folder is as large as the limit */
	close(fd);
	pause();
}
void longest_file(void) { if (ftruncate(temporary("long"), 5L << 30) < 0) _exit(68); }
void all_descriptors(void) { int fds[70000], n = 0; while (n < 70000 && (fds[n] = dup(1)) >= 0) n++; while (n--) close(fds[n]); }

/* What is allowed: much that is mapped and little that is touched, and one file in memory that is mapped. */
void map_much(void) {
	long size = 32L << 30;
	char *p = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED) { perror("mmap"); _exit(68); }
	for (long i = 0; i < size; i += 1L << 30) p[i] = 1;
	munmap(p, size);
}
void map_memory_file(void) {
	static char *p; /* 150 MiB, which would be more than the limit if they counted twice */
	long size = 150L << 20;
	if (p) return;
	int fd = memfd_create("honest", 0);
	if (ftruncate(fd, size) < 0) _exit(68);
	p = mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	memset(p, 1, size);
	struct timespec while_watched = {0, 600000000};
	nanosleep(&while_watched, 0);
}
void bind_own_threads(void) { /* with numbers of its threads, as runtimes do */
	cpu_set_t s;
	if (sched_getaffinity(0, sizeof s, &s) < 0 || pthread_setaffinity_np(pthread_self(), sizeof s, &s)) _exit(68);
	if (setpriority(PRIO_PROCESS, syscall(SYS_gettid), getpriority(PRIO_PROCESS, 0)) < 0) _exit(68);
}
void ok(void) {}

/* Leaving something behind for those that come after. */
void leave_nice(void) { setpriority(PRIO_PROCESS, 0, 19); }
void leave_idle(void) { struct sched_param p = {0}; sched_setscheduler(0, SCHED_IDLE, &p); }
void leave_cpus(void) { cpu_set_t s; CPU_ZERO(&s); CPU_SET(sched_getcpu(), &s); sched_setaffinity(0, sizeof s, &s); }
void leave_slack(void) { prctl(PR_SET_TIMERSLACK, 500000000L); }
void leave_io(void) { syscall(SYS_ioprio_set, 1, 0, 3 << 13); }
void leave_cpu_limit(void) { struct rlimit l = {3600, 3600}; setrlimit(RLIMIT_CPU, &l); }
void leave_file_limit(void) { struct rlimit l = {4500, 4500}; setrlimit(RLIMIT_NOFILE, &l); }
void leave_mask(void) { sigset_t s; sigemptyset(&s); sigaddset(&s, SIGUSR2); pthread_sigmask(SIG_BLOCK, &s, 0); }
static void nothing(int signal) { (void)signal; }
void leave_handler(void) { signal(SIGUSR2, nothing); }
void leave_ignored(void) { signal(SIGTERM, SIG_IGN); }
void leave_alarm(void) { struct itimerval t = {{0, 0}, {0, 300000}}; setitimer(ITIMER_REAL, &t, 0); }
void leave_profile(void) { struct itimerval t = {{0, 0}, {0, 300000}}; setitimer(ITIMER_PROF, &t, 0); }
void leave_timer(void) {
	struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	struct itimerspec when = {{0, 0}, {0, 300000000}};
	timer_t timer;
	timer_create(CLOCK_MONOTONIC, &e, &timer);
	timer_settime(timer, 0, &when, 0);
}
void leave_umask(void) { umask(0777); }
void leave_folder(void) { if (chdir("/") < 0) _exit(68); }
void leave_files(void) { for (int i = 0; i < 100; i++) (void)dup(1); }
void leave_huge_pages(void) { prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }
void leave_personality(void) { personality(ADDR_COMPAT_LAYOUT); }
void leave_memory(void) { unsigned long node = 1; syscall(SYS_set_mempolicy, 2 /* MPOL_BIND */, &node, 64); }
void leave_stack(void) {
	static char space[65536];
	stack_t s = {space, 0, sizeof space};
	sigaltstack(&s, 0);
}
void leave_filter(void) {
	struct sock_filter all = {6 /* BPF_RET */, 0, 0, SECCOMP_RET_ALLOW};
	struct sock_fprog program = {1, &all};
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
void leave_threads(void) { start_threads(8, spins); }
static void *crashes_late(void *unused) { usleep(100000); *(volatile int *)8 = 1; return unused; }
void leave_crash(void) { start_threads(1, crashes_late); }
void leave_blocked(void) { sigset_t all; sigfillset(&all); pthread_sigmask(SIG_BLOCK, &all, 0); }
void innocent_1(void) {}
void innocent_2(void) {}
void innocent_3(void) {}
void innocent_4(void) {}
void innocent_5(void) {}
void innocent_6(void) { usleep(200000); }
void innocent_7(void) { usleep(200000); }
