/* Native functions that go wrong in every way. They touch only their own process. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void ok(void) {}
void segv(void) { fprintf(stderr, "native: about to read page zero\n"); *(volatile int *)8 = 1; }
void fpe(void) { volatile int a = 1, b = 0; a = a / b; }
void ill(void) { __builtin_trap(); }
void aborts(void) { fprintf(stderr, "native: assertion failed, crash.c\n"); abort(); }
void exit_zero(void) { exit(0); }
void exit_three(void) { exit(3); }
void kill_itself(void) { kill(getpid(), SIGKILL); }
void terminate_itself(void) { kill(getpid(), SIGTERM); }
void loop(void) { for (volatile long x = 0;; x++) {} }

static int recurse(volatile char *p) { volatile char b[4096]; b[0] = p ? p[0] + 1 : 1; return recurse(b) + b[0]; }
void stack_overflow(void) { volatile int x = recurse(0); (void)x; }

void blocked_loop(void)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, 0);
    loop();
}

static void *thread_body(void *x) { *(volatile int *)16 = 1; return x; }
void thread_segv(void) { pthread_t t; pthread_create(&t, 0, thread_body, 0); pthread_join(t, 0); }

void double_free(void) { char *volatile p = malloc(100); free(p); free(p); }

void garbage(void) { for (int fd = 0; fd < 1024; fd++) { ssize_t n = write(fd, "\xc1\xff\x00garbage\n", 11); (void)n; } }

void close_all(void) { for (int fd = 0; fd < 65536; fd++) close(fd); }

void exhaust(void)
{
    for (;;) {
        char *p = malloc(16 << 20);
        if (!p) { fprintf(stderr, "native: malloc gave NULL\n"); abort(); }
        memset(p, 1, 16 << 20);
    }
}

/* Keeps 64 MiB in each call and goes on, as a leak does. */
void leak(void) { char *p = malloc(64 << 20); if (p) memset(p, 1, 64 << 20); }

void flood(void)
{
    static char line[1 << 16];
    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = '\n';
    for (int i = 0; i < 1600; i++) { ssize_t n = write(1, line, sizeof line); (void)n; }
    abort();
}

void forks(void) { if (fork() >= 0) _exit(66); abort(); }
void execs(void) { execl("/bin/true", "true", (char *)0); abort(); }

/* One in a hundred numbers crashes, each time in another way. */
void storm(int64_t n)
{
    if (n % 100 != 57)
        return;
    switch (n / 100 % 6) {
    case 0: segv(); break;
    case 1: aborts(); break;
    case 2: fpe(); break;
    case 3: exit_zero(); break;
    case 4: kill_itself(); break;
    case 5: stack_overflow(); break;
    }
}
