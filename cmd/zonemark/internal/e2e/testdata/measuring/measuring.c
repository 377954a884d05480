/* Native functions that are hard to measure: the first calls differ from later ones, the state of the caller is disturbed, or a launch is
   unlike the others. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * t.tv_sec + t.tv_nsec;
}

static void spin(double ns)
{
    for (double end = now() + ns; now() < end;) { }
}

void empty(void) {}

/* Each addition waits for the one before, and each call for the one before, through memory. */
void chained(float *p) { *p = *p + 1.0f + 2.0f + 3.0f + 4.0f; }

/* One pass over 256 floats. */
void ordinary(const float *in, float *out)
{
    for (int i = 0; i < 256; i++)
        out[i] = 2.0f * in[i] + 1.0f;
}

/* The first call fills a table, which takes 50 ms. */
void fills_table(float *out)
{
    static float table[256];
    static int filled;
    if (!filled) {
        for (int i = 0; i < 256; i++) {
            table[i] = sinf((float)i);
            spin(50e6 / 256);
        }
        filled = 1;
    }
    *out = table[(int)*out & 255];
}

/* A helper thread that the first call starts does the work of each call. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER, answered = PTHREAD_COND_INITIALIZER;
static int jobs, done;

static void *help(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (done == jobs)
            pthread_cond_wait(&asked, &lock);
        for (volatile int i = 0; i < 20000; i++) { }
        done = jobs;
        pthread_cond_signal(&answered);
    }
}

void runs_thread(float *out)
{
    static int started;
    if (!started) {
        pthread_t t;
        if (pthread_create(&t, 0, help, 0))
            abort();
        started = 1;
    }
    pthread_mutex_lock(&lock);
    int mine = ++jobs;
    pthread_cond_signal(&asked);
    while (done != mine)
        pthread_cond_wait(&answered, &lock);
    pthread_mutex_unlock(&lock);
    *out = (float)mine;
}

/* A thread that the first call starts does the work of all calls, which do not wait for it. */
static sem_t left;

static void *work_off(void *unused)
{
    (void)unused;
    for (;;) {
        sem_wait(&left);
        for (volatile int i = 0; i < 20000; i++) { }
    }
}

void leaves_work(float *out)
{
    static int started;
    if (!started) {
        pthread_t t;
        if (sem_init(&left, 0, 0) || pthread_create(&t, 0, work_off, 0))
            abort();
        started = 1;
    }
    sem_post(&left);
    *out = 1;
}

static void *count(void *unused)
{
    (void)unused;
    for (volatile int i = 0; i < 20000; i++) { }
    return 0;
}

/* Each call makes threads, and joins them. */
void joins_threads(float *out)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        if (pthread_create(&t[i], 0, count, 0))
            abort();
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
    *out = 4;
}

/* What rounding to nearest with denormal numbers gives: the sum is 1, the half is not 0. */
static void rounded(float *out)
{
    volatile float one = 1.0f, tiny = 1e-30f, denormal = 1e-39f;
    volatile float sum = one + tiny, half = denormal * 0.5f;
    out[0] = sum > one ? 100.0f : 1.0f;
    out[1] = half == 0.0f ? 100.0f : 1.0f;
}

void rounds(float *out) { rounded(out); }

void ones(float *out) { out[0] = out[1] = 1.0f; }

/* Computes the same, and then leaves a single CPU. */
void rounds_and_binds(float *out)
{
    rounded(out);
#if defined(__linux__)
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
#endif
}

/* Computes the same, and then leaves another rounding and flushed denormal numbers, too. */
void rounds_and_spoils(float *out)
{
    rounds_and_binds(out);
#if defined(__x86_64__)
    uint32_t csr;
    __asm__ volatile("stmxcsr %0" : "=m"(csr));
    csr = (csr & ~0x6000u) | 0x4000u | 0x8040u; /* upward */
    __asm__ volatile("ldmxcsr %0" : : "m"(csr));
#else
    uint64_t r;
    __asm__ volatile("mrs %0, fpcr; orr %0, %0, #0x1400000; msr fpcr, %0" : "=r"(r)); /* upward, flushed */
#endif
}

/* Appends a line to the file that ZONEMARK_TEST_LOG names, once a process; returns how many lines it has then. */
static int note(const char *format, long a, long b, long c, long d)
{
    const char *path = getenv("ZONEMARK_TEST_LOG");
    FILE *f = path ? fopen(path, "a+") : 0;
    if (!f)
        abort();
    fprintf(f, format, a, b, c, d);
    rewind(f);
    int lines = 0;
    for (int c; (c = getc(f)) != EOF;)
        lines += c == '\n';
    fclose(f);
    return lines;
}

/* Notes the process, and where in their pages two arrays and the stack lie. */
void where(float *a, float *b)
{
    static int noted;
    if (!noted)
        note("%ld %ld %ld %ld\n", getpid(), (long)((uintptr_t)a % 4096), (long)((uintptr_t)b % 4096), (long)((uintptr_t)__builtin_frame_address(0) % 4096));
    noted = 1;
    a[0] = b[0];
}

/* Notes on how many CPUs its process may run. */
void cpus(float *out)
{
#if defined(__linux__)
    static int noted;
    cpu_set_t may;
    if (!noted && !sched_getaffinity(0, sizeof may, &may))
        note("%ld %ld %ld %ld\n", CPU_COUNT(&may), 0, 0, 0);
    noted = 1;
#endif
    *out = 1.0f;
}

#if defined(__linux__)
static void *policy(void *out)
{
    *(int *)out = sched_getscheduler(0);
    return 0;
}
#endif

#if defined(__linux__)
/* Returns by how many nanoseconds timers of a thread may be late. */
static long slack(const char *thread)
{
    char path[64];
    long ns = -1;
    snprintf(path, sizeof path, "/proc/%.20s/timerslack_ns", thread);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%ld", &ns) != 1)
        ns = -1;
    if (f)
        fclose(f);
    return ns;
}
#endif

/* Notes the scheduling policies of the calling thread and of a new one, how many threads of the process have SCHED_BATCH, and how many have
   timers that may be milliseconds late. */
void policies(float *out)
{
#if defined(__linux__)
    static int noted;
    pthread_t other;
    int of_other = -1, batch = 0, late = 0;
    if (!noted && !pthread_create(&other, 0, policy, &of_other)) {
        pthread_join(other, 0);
        DIR *tasks = opendir("/proc/self/task");
        for (struct dirent *one; tasks && (one = readdir(tasks));) {
            batch += atoi(one->d_name) > 0 && sched_getscheduler(atoi(one->d_name)) == SCHED_BATCH;
            late += atoi(one->d_name) > 0 && slack(one->d_name) > 1000000;
        }
        if (tasks)
            closedir(tasks);
        note("%ld %ld %ld %ld\n", sched_getscheduler(0), of_other, batch, late);
    }
    noted = 1;
#endif
    *out = 1.0f;
}

/* Ends the third process that calls it. */
void third_crashes(float *out)
{
    static int noted;
    if (!noted && note("%ld %ld %ld %ld\n", getpid(), 0, 0, 0) == 3)
        abort();
    noted = 1;
    *out = 1.0f;
}

/* Takes about n microseconds. */
void takes(int64_t n) { spin(1e3 * n); }

/* Takes about n microseconds. Its first call notes the process, and waits until a file beside the log, with the suffix ".go", has as many
   bytes as the log has lines. */
void gated(int64_t n)
{
    static int noted;
    if (!noted) {
        char path[4096];
        struct stat s;
        int lines = note("%ld %ld %ld %ld\n", getpid(), (long)n, 0, 0);
        snprintf(path, sizeof path, "%s.go", getenv("ZONEMARK_TEST_LOG"));
        while (stat(path, &s) || s.st_size < lines)
            usleep(1000);
    }
    noted = 1;
    spin(1e3 * n);
}
