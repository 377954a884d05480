/* Functions of truth.sh: chains of known length, loops, functions that change their arguments, and functions that do
 * something else than computing. Their prototypes are in truth_functions.py. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEEP(x) __asm__ volatile("" : : "g"(x) : "memory")
#define TEN(x) x x x x x x x x x x
#define THOUSAND(x) TEN(TEN(TEN(x)))

/* What the loop costs is measured with this. */
void empty(void) {}

/* Chains: the next operation needs the result of the one before, also across calls, since it goes through memory.
 * Additions are of two registers: one of a small constant may take no cycle at all. */
#define ADD x += y; __asm__ volatile("" : "+r"(x));
#define MULTIPLY x *= y; __asm__ volatile("" : "+r"(x));

void chain_add(long thousands, uint64_t state[1])
{
    uint64_t x = state[0], y = 3;
    __asm__ volatile("" : "+r"(y));
    do {
        THOUSAND(ADD)
    } while (--thousands);
    state[0] = x;
}

void chain_multiply(long thousands, uint64_t state[1])
{
    uint64_t x = state[0] | 1, y = 0x9e3779b97f4a7c15u;
    __asm__ volatile("" : "+r"(y));
    do {
        THOUSAND(MULTIPLY)
    } while (--thousands);
    state[0] = x;
}

#if defined(__x86_64__)
#define FLOATING "+x"
__attribute__((target("fma")))
#else
#define FLOATING "+w"
#endif
void chain_fma(long thousands, double state[1])
{
    double x = state[0], y = 0.5, z = 0.25;
    __asm__ volatile("" : FLOATING(y), FLOATING(z));
    do {
        THOUSAND(x = __builtin_fma(x, y, z); __asm__ volatile("" : FLOATING(x));)
    } while (--thousands);
    state[0] = x;
}

void chain_product(long thousands, double state[1])
{
    double x = state[0], y = 1;
    __asm__ volatile("" : FLOATING(y));
    do {
        THOUSAND(x *= y; __asm__ volatile("" : FLOATING(x));)
    } while (--thousands);
    state[0] = x;
}

void chain_divide(long n, double state[1])
{
    double x = state[0], y = 1.0000001;
    for (long i = 0; i < n; i++) x = y / (x + 0.5);
    state[0] = x;
}

/* About a nanosecond each. */
void increment(long state[1])
{
    state[0]++;
}

void four_additions(float state[1])
{
    float x = state[0];
    x += 3;
    __asm__ volatile("" : FLOATING(x));
    x += 3;
    __asm__ volatile("" : FLOATING(x));
    x += 3;
    __asm__ volatile("" : FLOATING(x));
    x += 3;
    state[0] = x;
}

double half(double x)
{
    return 0.5 * x;
}

/* Loops. */
double sum(long n, const double x[n])
{
    double s = 0;
    for (long i = 0; i < n; i++) s += x[i];
    return s;
}

double dot4(long n, const double x[n], const double y[n])
{
    double a = 0, b = 0, c = 0, d = 0;
    for (long i = 0; i + 4 <= n; i += 4) {
        a += x[i] * y[i];
        b += x[i + 1] * y[i + 1];
        c += x[i + 2] * y[i + 2];
        d += x[i + 3] * y[i + 3];
    }
    return a + b + c + d;
}

void scale(long n, const float x[n], float y[n])
{
    for (long i = 0; i < n; i++) y[i] = 2 * x[i] + 1;
}

uint64_t hash(long n, const uint8_t text[n])
{
    uint64_t h = 14695981039346656037u;
    for (long i = 0; i < n; i++) h = (h ^ text[i]) * 1099511628211u;
    return h;
}

uint64_t random_steps(long n, uint64_t state[1])
{
    uint64_t x = state[0] | 1;
    for (long i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    return state[0] = x;
}

/* Branches that nobody can predict, as long as the data are new to the predictor. */
long count_large(long n, const float x[n])
{
    long count = 0;
    for (long i = 0; i < n; i++)
        if (x[i] > 0.5f) {
            count++;
            KEEP(count);
        }
    return count;
}

/* The same by the order of the data alone. */
long ascents(long n, const float x[n])
{
    long count = 0;
    for (long i = 1; i < n; i++)
        if (x[i] > x[i - 1]) {
            count++;
            KEEP(count);
        }
    return count;
}

void gather(long n, const int index[n], const float table[n], float y[n])
{
    for (long i = 0; i < n; i++) y[i] = table[index[i]];
}

void copy(long n, const uint8_t from[n], uint8_t to[n])
{
    memcpy(to, from, (size_t)n);
    KEEP(to);
}

void transpose(long n, const float x[n][n], float y[n][n])
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) y[j][i] = x[i][j];
}

void exps(long n, const double x[n], double y[n])
{
    for (long i = 0; i < n; i++) y[i] = exp(x[i]);
}

void sines(long n, const double x[n], double y[n])
{
    for (long i = 0; i < n; i++) y[i] = sin(x[i]);
}

/* Functions that change their arguments, most of them so that the next call has less, or more, to do. */
void insertion_sort(long n, float y[n])
{
    for (long i = 1; i < n; i++) {
        float v = y[i];
        long j = i;
        for (; j > 0 && y[j - 1] > v; j--) y[j] = y[j - 1];
        y[j] = v;
    }
}

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

void library_sort(long n, float y[n])
{
    qsort(y, (size_t)n, sizeof *y, compare);
}

static void partition(float *y, long low, long high)
{
    while (low < high) {
        float pivot = y[low + (high - low) / 2];
        long i = low, j = high;
        while (i <= j) {
            while (y[i] < pivot) i++;
            while (y[j] > pivot) j--;
            if (i <= j) {
                float t = y[i];
                y[i++] = y[j];
                y[j--] = t;
            }
        }
        partition(y, low, j);
        low = i;
    }
}

void quicksort(long n, float y[n])
{
    partition(y, 0, n - 1);
}

void decay(long steps, long n, float y[n])
{
    for (long t = 0; t < steps; t++)
        for (long i = 0; i < n; i++) y[i] *= 0.99f;
}

void running_sum(long n, double y[n])
{
    for (long i = 1; i < n; i++) y[i] += y[i - 1];
}

/* In place, radix 2, without scaling: numbers grow with every call. */
void fft(long n, double re[n], double im[n])
{
    for (long i = 1, j = 0; i < n; i++) {
        long bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) {
            double t = re[i];
            re[i] = re[j];
            re[j] = t;
            t = im[i];
            im[i] = im[j];
            im[j] = t;
        }
    }
    for (long half = 1; half < n; half *= 2) {
        double wr = 1, wi = 0, c = 1, s = 0;
        c = half == 1 ? -1 : half == 2 ? 0 : cos(3.14159265358979323846 / (double)half);
        s = half == 1 ? 0 : half == 2 ? -1 : -sin(3.14159265358979323846 / (double)half);
        for (long k = 0; k < half; k++) {
            for (long i = k; i < n; i += 2 * half) {
                double tr = wr * re[i + half] - wi * im[i + half], ti = wr * im[i + half] + wi * re[i + half];
                re[i + half] = re[i] - tr;
                im[i + half] = im[i] - ti;
                re[i] += tr;
                im[i] += ti;
            }
            double next = wr * c - wi * s;
            wi = wr * s + wi * c;
            wr = next;
        }
    }
}

void accumulate(long n, const float a[n][n], const float b[n][n], float c[n][n])
{
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++) c[i][j] += a[i][k] * b[k][j];
}

/* Works until it has come to its end, which the first call does. */
void machine(int state[1], long n, const uint8_t text[n], int count[16])
{
    if (state[0] == 3) return;
    for (long i = 0; i < n; i++) {
        state[0] = (state[0] * 5 + text[i]) & 15;
        count[state[0]]++;
    }
    state[0] = 3;
}

void visit_once(long n, const int next[n], uint8_t seen[n], long steps[1])
{
    for (long at = 0; !seen[at]; at = next[at]) {
        seen[at] = 1;
        steps[0]++;
    }
}

/* What is no computing. */
void allocate(long bytes)
{
    char *p = malloc((size_t)bytes);
    KEEP(p);
    free(p);
}

void allocate_list(long n)
{
    void *first = NULL;
    for (long i = 0; i < n; i++) {
        void **p = malloc(sizeof *p + (size_t)(i % 7) * 16);
        if (p == NULL) abort();
        *p = first;
        first = p;
    }
    while (first != NULL) {
        void *next = *(void **)first;
        free(first);
        first = next;
    }
}

void touch_pages(long bytes)
{
    char *p = malloc((size_t)bytes);
    if (p == NULL) abort();
    for (long i = 0; i < bytes; i += 4096) p[i] = 1;
    KEEP(p);
    free(p);
}

long parent(void)
{
    return syscall(SYS_getppid);
}

long clock_reads(long n)
{
    struct timespec t = {0};
    for (long i = 0; i < n; i++) clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

void nap(long us)
{
    usleep((useconds_t)us);
}

static double since(const struct timespec *start)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)(t.tv_sec - start->tv_sec) * 1e6 + (double)(t.tv_nsec - start->tv_nsec) / 1e3;
}

void spin(long us)
{
    struct timespec start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    while (since(&start) < (double)us) {
    }
}

void nap_and_work(long us, uint64_t state[1])
{
    chain_add(1000, state);
    usleep((useconds_t)us);
}

static void *work(void *argument)
{
    uint64_t *state = argument;
    chain_add(16000, state);
    return NULL;
}

void one_thread(uint64_t state[1])
{
    pthread_t t;
    if (pthread_create(&t, NULL, work, state) != 0) abort();
    pthread_join(t, NULL);
}

void two_threads(uint64_t state[32])
{
    pthread_t t;
    if (pthread_create(&t, NULL, work, state) != 0) abort();
    work(state + 16);
    pthread_join(t, NULL);
}

int forks(int status)
{
    pid_t p = fork();
    if (p == 0) _exit(status);
    if (p < 0) return -1;
    waitpid(p, NULL, 0);
    return 0;
}

/* Reads its table from a file in each call, as a function does that keeps nothing. */
int lookup(long n, const int x[n], float y[n])
{
    static float table[4096];
    FILE *f = fopen(TABLE, "rb");
    if (f == NULL) return -1;
    size_t count = fread(table, sizeof *table, 4096, f);
    fclose(f);
    for (long i = 0; i < n; i++) y[i] = table[x[i] & 4095];
    return count == 4096 ? 0 : -2;
}

/* Tables that a function of the library has to fill before; without them the work is done anew in each call. */
static int ready;
static double squares[1024];

int set_up(void)
{
    for (int i = 0; i < 1024; i++) squares[i] = sqrt((double)i);
    ready = 1;
    return 0;
}

double roots(long n, const int x[n])
{
    double s = 0;
    for (long i = 0; i < n; i++) {
        double v = (double)(x[i] & 1023);
        if (!ready)
            for (int k = 0; k < 8; k++) v = sqrt(v * v + k);
        s += ready ? squares[x[i] & 1023] : v;
    }
    return s;
}

/* Functions that are not what they say. */
void honest(long n, const float x[n], float y[n])
{
    for (long i = 0; i < n; i++) {
        float s = 0;
        for (int k = 0; k < 64; k++) s = s * x[i] + 0.5f;
        y[i] = s;
    }
}

void first_only(long n, const float x[n], float y[n])
{
    static int calls;
    if (calls++ == 0) honest(n, x, y);
}

/* hands_over has a thread make the polynomials, and does not wait for it. */
static struct { long n; const float *x; float y[4096]; sem_t jobs; } handed;

static void *make_polynomials(void *unused)
{
    for (;;) {
        sem_wait(&handed.jobs);
        honest(handed.n, handed.x, handed.y);
    }
    return unused;
}

void hands_over(long n, const float x[n], float y[n])
{
    static int started;
    if (!started) {
        static float copy[4096];
        pthread_t t;
        memcpy(copy, x, (size_t)n * sizeof *x);
        handed.n = n;
        handed.x = copy;
        if (sem_init(&handed.jobs, 0, 0) != 0 || pthread_create(&t, NULL, make_polynomials, NULL) != 0) abort();
        started = 1;
    }
    sem_post(&handed.jobs);
    y[0] = 1;
}

#if defined(__x86_64__)
__attribute__((visibility("hidden"))) void polynomials(long n, const float *x, float *y)
{
    honest(n, x, y);
}

#define LOSES(name, change)                                                                                            \
    __attribute__((naked)) void name(long n, const float x[n], float y[n])                                             \
    {                                                                                                                  \
        __asm__("sub $8, %rsp\n\tcall polynomials\n\tadd $8, %rsp\n\t" change "\n\tret");                              \
    }
LOSES(loses_r12, "xor %r12d, %r12d")
LOSES(loses_rbx, "xor %ebx, %ebx")
LOSES(loses_rounding, "movl $0x3f80, -8(%rsp)\n\tldmxcsr -8(%rsp)")
LOSES(leaves_direction, "std")
#endif
