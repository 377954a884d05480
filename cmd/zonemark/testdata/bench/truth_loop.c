/* The caller of truth.sh: what a careful loop in C waits for. truth.py writes truth_calls.h, with one batch of calls
 * for each function, through a pointer, as a program calls a shared library.
 *
 * A function is measured in a few turns. Each has fresh places for its arrays; 5 ms of additions, whose speed is the
 * clock of scalar code; 2 ms of calls that do not count; and batches for some milliseconds. How well branches are
 * predicted depends on the caller. So some processes make batches of 25, some of 100, some of 400 us, half of them
 * have four calls in a round of their loop. Some print numbers between batches of 25 us: after a thousand branches
 * of somebody else, those of a factorization are predicted better for some calls than after its own, and it takes 3
 * % less. Wide registers lower the clock in their batches, a core keeps that for up to 4 ms, and what neighbours do
 * to it shows in the additions before and after them. So time times that clock is what a call costs in cycles of
 * scalar code. The additions come in groups of the same length, up to 5 ms: what a host takes of them then cancels
 * out. Of single long calls, both are right, with what it takes and without.
 * Batches during which another thread of the same core worked, as independent additions beside them show, count only
 * if there are no others.
 *
 * Functions that change their arguments are called in two ways: one by one, with the arguments restored before each
 * call, which is not timed; and in batches, as the others, but restored before each batch, so that contents which fade
 * from call to call are not denormal in the end.
 *
 * Functions whose contents are reordered are called on sets that lie near each other, each with the elements in another
 * order than all before it.
 *
 * Processes of odd seeds call in a second thread, while the first one waits: the C library then takes its locks, and
 * memory from an arena of its own. Those whose seed has its second bit print, and those with the third one call each
 * function for 100 ms first: some processors learn for so long where its loops end. Those with the fourth bit have freed
 * half of what they had: 4,000 bytes of a heap with such holes take half as long again as of one without.
 *
 * Usage: truth_loop SEED LEVEL NAME…
 *        truth_loop once 0 NAME…     (calls each once, and measures nothing)
 * LEVEL is the least time of independent additions to that of dependent ones that another process has seen; 0: none has.
 * It prints for each function, in ns and in cycles:
 *   NAME net gross fresh single net-cycles gross-cycles fresh-cycles single-cycles quiet-share
 * gross is a batch divided by its calls, net is without what the same loop takes around an empty function. fresh is the
 * mean and single the median of single calls, 0 for functions that change nothing. The mean has a share of what stops
 * the thread for some microseconds now and then, as a batch has; most single calls have none. At the end comes
 *   level LEVEL
 * with the least level now. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ARRAYS = 8, PAGE = 4096, LINE = 64, SETS = 64, NEAREST = 32 << 10, ORDERED = 1 << 20,
       BATCHES = 4000, TURNS = 3, CHAIN = 4800 };

typedef void batch(void *function, long calls, void **arrays);

struct array {
    const char *file; /* .npy */
    size_t bytes;
    int changes;
};

struct function {
    const char *name, *library, *symbol;
    batch *calls;
    int changes; /* its arguments, so that they are restored */
    int reorders; /* its only array, of floats, in each call */
    struct array arrays[ARRAYS];
};

static int unrolled; /* batches have four calls in a round of their loop */
static int prints;   /* numbers between batches */
static int learns;   /* for LEARN before the first turn */
static int holes;    /* in the heap */

#include "truth_calls.h"

static const double SCALAR = 5e6, SETTLE = 2e6, LEARN = 1e8, MEASURE = 5e6, LONG = 2e7; /* ns */
static const double LEAST_SHARE = 0.9; /* of a core that a host leaves */
static double batch_ns; /* the least time of a batch */
/* Levels of one core scatter by 2 %. From 3 % on, a matrix product took half as long again on an AMD Zen 4. */
static const double NEAR = 1.03;

/* What follows begins only when the clock has been read to the end, so that reading it costs the same around all. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double ns = 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
#if defined(__x86_64__)
    __asm__ volatile("lfence" : "+x"(ns) : : "memory");
#elif defined(__aarch64__)
    __asm__ volatile("isb" : "+w"(ns) : : "memory");
#endif
    return ns;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, int n)
{
    if (n == 0) return 0;
    qsort(v, (size_t)n, sizeof *v, ascending);
    return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

static double smallest(const double *v, int n)
{
    double least = v[0];
    for (int i = 1; i < n; i++) least = v[i] < least ? v[i] : least;
    return least;
}

static double additions_ns(int cycles)
{
    uint64_t x = 1, y = 3;
    __asm__ volatile("" : "+r"(y));
    double start = now();
    for (int i = 0; i < cycles / 8; i++) {
#define STEP x += y; __asm__ volatile("" : "+r"(x));
        STEP STEP STEP STEP STEP STEP STEP STEP
    }
    return now() - start;
}

static double chain_ns(void) { return additions_ns(CHAIN); }

/* Additions that fill all units take longer if another thread has some of them. */
static double independent_ns(void)
{
    uint64_t a = 1, b = 1, c = 1, d = 1, e = 1, y = 3;
    __asm__ volatile("" : "+r"(y));
    double start = now();
    for (int i = 0; i < CHAIN / 8; i++) {
#define ROUND                                                                                                          \
    a += y, b += y, c += y, d += y, e += y;                                                                            \
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e));
        ROUND ROUND ROUND ROUND ROUND
    }
    return now() - start;
}

/* What reading the clock adds to a chain: one of twice the length has it once, too. Two readings in turn take 5 ns longer,
 * which would be 0.4 % of a chain. */
static double read_ns(void)
{
    enum { PAIRS = 1001 };
    double v[PAIRS];
    for (int i = 0; i < PAIRS; i++) {
        double once = additions_ns(CHAIN), twice = additions_ns(2 * CHAIN);
        v[i] = once + additions_ns(CHAIN) - twice;
    }
    return median(v, PAIRS);
}

static double best_share = 1e9, last_share = 1e9, reading;

/* Returns whether the core is this thread's alone, as far as units tell. The best level is what two looks in turn have
 * seen, since an interrupted chain makes a single one look better. */
static int quiet(void)
{
    double wide[3], chain[3];
    for (int i = 0; i < 3; i++) {
        wide[i] = independent_ns() - reading;
        chain[i] = chain_ns() - reading;
    }
    double share = smallest(wide, 3) / smallest(chain, 3), both = share > last_share ? share : last_share;
    if (both < best_share) best_share = both;
    last_share = share;
    return share < NEAR * best_share;
}

/* Clocks in cycles a nanosecond: by chains, most of which nothing stops, and by groups of them that are as long as a
 * batch. */
struct clock {
    double chain, batch;
};

/* Additions until the clock is that of scalar code, then the clock. ns is the length of a batch. */
static struct clock scalar_clock(double ns)
{
    enum { GROUPS = 5, CHAINS = 400, LONGEST = 4000 /* 5 ms */ };
    static double v[GROUPS * LONGEST], sums[CHAINS];
    double start = now();
    while (now() - start < SCALAR) chain_ns();
    int each = (int)(ns / chain_ns()) + 1, n = 0;
    each = each > LONGEST ? LONGEST : each;
    int chains = GROUPS * each < CHAINS ? CHAINS : GROUPS * each;
    for (int i = 0; i < chains; i++) v[i] = chain_ns() - reading;
    for (; (n + 1) * each <= chains; n++) {
        sums[n] = 0;
        for (int i = n * each; i < (n + 1) * each; i++) sums[n] += v[i];
    }
    struct clock c = {CHAIN / median(v, chains), (double)CHAIN * each / median(sums, n)};
    if (c.batch < LEAST_SHARE * c.chain) c.batch = c.chain; /* another program had the core, not the host */
    return c;
}

struct memory {
    char *room[ARRAYS], *fresh[ARRAYS];
    void *place[ARRAYS];
    size_t bytes[ARRAYS];
    void *set[SETS]; /* the array of a function that reorders */
    int sets;
    char *orders; /* of the contents */
    long order, count;
};

static void die(const char *what, const char *which)
{
    fprintf(stderr, "truth_loop: %s: %s\n", which, what);
    exit(1);
}

static void load(const struct function *f, struct memory *m)
{
    for (int i = 0; i < ARRAYS && f->arrays[i].file; i++) {
        unsigned char head[10];
        FILE *in = fopen(f->arrays[i].file, "rb");
        if (in == NULL || fread(head, 1, 10, in) != 10) die("cannot be read", f->arrays[i].file);
        fseek(in, 10 + head[8] + 256L * head[9], SEEK_SET);
        m->bytes[i] = f->arrays[i].bytes;
        m->fresh[i] = aligned_alloc(PAGE, (m->bytes[i] + PAGE - 1) / PAGE * PAGE);
        m->room[i] = aligned_alloc(PAGE, (m->bytes[i] + 2 * PAGE - 1) / PAGE * PAGE);
        if (!m->fresh[i] || !m->room[i] || fread(m->fresh[i], 1, m->bytes[i], in) != m->bytes[i])
            die("is too short", f->arrays[i].file);
        fclose(in);
    }
}

/* Makes the sets, and as many orders as no processor learns. */
static void reorder(struct memory *m)
{
    size_t bytes = m->bytes[0], step = (bytes + LINE - 1) / LINE * LINE;
    long n = (long)(bytes / sizeof(float));
    m->sets = (int)(NEAREST / step) < SETS ? (int)(NEAREST / step) : SETS;
    m->count = ORDERED / n + 1;
    m->orders = malloc(m->count * bytes);
    char *sets = aligned_alloc(PAGE, (m->sets * step + PAGE - 1) / PAGE * PAGE);
    if (!m->orders || !sets) die("takes too much memory", "its orders");
    for (int k = 0; k < m->sets; k++) m->set[k] = sets + k * step;
    for (long o = 0; o < m->count; o++) {
        float *all = (float *)(m->orders + o * bytes);
        memcpy(all, m->fresh[0], bytes);
        for (long i = n - 1; i > 0; i--) {
            long j = rand() % (i + 1);
            float one = all[i];
            all[i] = all[j];
            all[j] = one;
        }
    }
}

/* Returns what a call takes on each of so many sets, after one on another set that does not count. */
static double ordered_ns(const struct function *f, void *function, struct memory *m, long calls)
{
    for (long k = 0; k <= calls; k++) {
        memcpy(m->set[k], m->orders + m->order * m->bytes[0], m->bytes[0]);
        m->order = (m->order + 1) % m->count;
    }
    f->calls(function, 1, m->set);
    double start = now();
    for (long k = 1; k <= calls; k++) f->calls(function, 1, m->set + k);
    return now() - start;
}

static void restore(const struct function *f, struct memory *m, int all)
{
    for (int i = 0; i < ARRAYS && f->arrays[i].file; i++)
        if (all || f->arrays[i].changes) memcpy(m->place[i], m->fresh[i], m->bytes[i]);
}

/* A function that uses wide registers may leave their upper halves in use, and so may the switch to another thread and
 * back. It makes functions many times slower that use the lower halves only, until somebody clears them. */
static void clear_upper_halves(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx")) __asm__ volatile("vzeroupper");
#endif
}

/* Each array begins at any line of its page. */
static void place(const struct function *f, struct memory *m)
{
    for (int i = 0; i < ARRAYS && f->arrays[i].file; i++) m->place[i] = m->room[i] + rand() % (PAGE / LINE) * LINE;
    restore(f, m, 1);
}

/* Returns what so many calls on restored arguments take. */
static double call_ns(const struct function *f, void *function, struct memory *m, long calls)
{
    if (f->reorders) return ordered_ns(f, function, m, calls);
    restore(f, m, 0);
    clear_upper_halves();
    double start = now();
    f->calls(function, calls, m->place);
    return now() - start;
}

/* Has a thousand branches, most of which depend on the numbers, and system calls, which leave a processor otherwise. */
static void print_numbers(void)
{
    static uint32_t x = 1;
    static int nowhere = -1;
    if (nowhere < 0 && (nowhere = open("/dev/null", O_WRONLY)) < 0) die("cannot be opened", "/dev/null");
    for (int i = 0; i < 5; i++) {
        x = x * 1664525u + 1013904223u;
        if (dprintf(nowhere, "%.17g %u", x / 3.0, x) < 0) die("cannot be written", "/dev/null");
    }
}

/* What batches or single calls took, of those that were quiet, if any were. */
struct times {
    double quiet[BATCHES], all[BATCHES];
    int quiets, count;
};

static double of(struct times *t)
{
    return t->quiets ? median(t->quiet, t->quiets) : median(t->all, t->count);
}

static void add(struct times *t, double ns, int quiet)
{
    if (t->count == BATCHES) return;
    t->all[t->count++] = ns;
    if (quiet) t->quiet[t->quiets++] = ns;
}

/* Fills batches by the times of a call in batches of so many calls, or, with 0, in as many single calls as take that
 * long; then singles has each of them. */
static void measure(const struct function *f, void *function, struct memory *m, long calls, struct times *batches,
                    struct times *singles)
{
    double start = now();
    int before = quiet();
    batches->quiets = batches->count = singles->quiets = singles->count = 0;
    do {
        double ns = 0;
        long made = calls;
        if (prints) print_numbers();
        if (calls > 0)
            ns = call_ns(f, function, m, calls);
        else
            for (; ns < batch_ns; made++) {
                double one = call_ns(f, function, m, 1);
                add(singles, one, before);
                ns += one;
            }
        int after = quiet();
        add(batches, ns / (double)made, before && after);
        before = after;
    } while (batches->count < BATCHES && now() - start < MEASURE);
}

static void settle(const struct function *f, void *function, struct memory *m, long calls, double ns)
{
    double start = now();
    while (now() - start < ns) call_ns(f, function, m, calls);
}

static long calls_in_a_batch(const struct function *f, void *function, struct memory *m, double *first)
{
    long calls = 1;
    double ns = *first = call_ns(f, function, m, 1);
    while (ns < batch_ns && (!f->reorders || 2 * calls < m->sets)) {
        calls *= 2;
        ns = call_ns(f, function, m, calls);
    }
    return calls;
}

static double empty_ns(const struct function *f, void *empty, struct memory *m, long calls)
{
    double v[21];
    for (int i = 0; i < 21; i++) v[i] = call_ns(f, empty, m, calls) / (double)calls;
    return median(v, 21);
}

static void *symbol_of(const char *library, const char *symbol)
{
    void *handle = dlopen(library, RTLD_NOW), *symbol_at = handle ? dlsym(handle, symbol) : NULL;
    if (symbol_at == NULL) die(dlerror(), symbol);
    return symbol_at;
}

enum { NET, GROSS, FRESH, SINGLE, FIGURES };

/* What the turns of a function have shown: times with the loop around it, and the clocks that make cycles of them. */
struct turns {
    double ns[FIGURES][TURNS], clock[FIGURES][TURNS];
    int count, quiets, batches;
};

static void note(struct turns *t, int figure, double ns, double clock)
{
    t->ns[figure][t->count] = ns;
    t->clock[figure][t->count] = clock;
}

/* Prints the median of a figure over the turns, each without the time of the loop, in ns or in cycles. */
static void print_figure(const struct turns *t, int figure, double loop, int in_cycles)
{
    double v[TURNS];
    for (int i = 0; i < t->count; i++) {
        v[i] = t->ns[figure][i] > loop ? t->ns[figure][i] - loop : 0;
        if (in_cycles) v[i] *= t->clock[figure][i];
    }
    printf(" %.6g", median(v, t->count));
}

static void report(const struct function *f)
{
    static struct times batches, singles;
    struct turns turns = {0};
    struct memory m = {0};
    void *function = symbol_of(f->library, f->symbol), *empty = symbol_of(LIBRARY, "empty");
    double first;
    load(f, &m);
    place(f, &m);
    if (f->reorders) reorder(&m);
    long calls = calls_in_a_batch(f, function, &m, &first);
    double length = first > batch_ns ? first : batch_ns;
    struct clock before = scalar_clock(length);
    for (; turns.count < (first < LONG ? TURNS : 1); turns.count++) /* of what is long, one turn tells enough */
        for (int fresh = 0; fresh <= f->changes; fresh++) {
            place(f, &m);
            if (first < LONG) settle(f, function, &m, fresh ? 1 : calls, learns && turns.count == 0 ? LEARN : SETTLE);
            measure(f, function, &m, fresh ? 0 : calls, &batches, &singles);
            turns.quiets += batches.quiets;
            turns.batches += batches.count;
            struct clock after = scalar_clock(length);
            double chain = (before.chain + after.chain) / 2, batch = (before.batch + after.batch) / 2;
            before = after;
            if (fresh) {
                note(&turns, FRESH, of(&batches), batch);
                note(&turns, SINGLE, of(&singles), chain);
            } else {
                note(&turns, GROSS, of(&batches), calls > 1 ? batch : chain);
                note(&turns, NET, of(&batches), batch);
            }
        }
    /* Not before: a processor predicts calls otherwise that have gone to two functions, as those of few programs do. */
    double loop = empty_ns(f, empty, &m, calls < 1000 && !f->reorders ? 1000 : calls);
    double single = empty_ns(f, empty, &m, 1);
    const double loops[FIGURES] = {loop, 0, single, single};
    printf("%s", f->name);
    for (int k = 0; k < 2 * FIGURES; k++) print_figure(&turns, k % FIGURES, loops[k % FIGURES], k >= FIGURES);
    printf(" %.3g\n", (double)turns.quiets / turns.batches);
    fflush(stdout);
    free(m.orders);
    free(m.set[0]);
    for (int i = 0; i < ARRAYS; i++) {
        free(m.room[i]);
        free(m.fresh[i]);
    }
}

static void call_once(const struct function *f)
{
    struct memory m = {0};
    load(f, &m);
    place(f, &m);
    f->calls(symbol_of(f->library, f->symbol), 1, m.place);
    puts(f->name);
}

/* Leaves a heap as a program does that has freed some of what it had. */
static void make_holes(void)
{
    enum { BLOCKS = 2000, LARGEST = 8192 };
    static void *block[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) block[i] = malloc((size_t)(1 + rand() % LARGEST));
    for (int i = 0; i < BLOCKS; i++)
        if (rand() % 2) free(block[i]);
}

struct words {
    int count;
    char **list;
};

/* Does what the words of the command line ask for. */
static void *answer(void *argument)
{
    const struct words *words = argument;
    char **word = words->list;
    /* The heap of each process begins elsewhere. */
    void *volatile gap = malloc((size_t)(rand() % 4096) * 16);
    if (holes) make_holes();
    reading = read_ns();
    if (atof(word[2]) > 0) best_share = atof(word[2]);
    for (int i = 0; i < 100; i++) quiet();
#ifdef SET_UP
    ((int (*)(void))symbol_of(LIBRARY, SET_UP))();
#endif
    for (int i = 3; i < words->count; i++) {
        size_t k = 0;
        while (k < sizeof functions / sizeof *functions && strcmp(functions[k].name, word[i]) != 0) k++;
        if (k == sizeof functions / sizeof *functions) die("no such function", word[i]);
        (strcmp(word[1], "once") == 0 ? call_once : report)(&functions[k]);
    }
    if (strcmp(word[1], "once") != 0) printf("level %.6g\n", best_share);
    free(gap);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 3) die("usage: truth_loop SEED|once LEVEL NAME…", "too few words");
    struct words words = {argc, argv};
    pthread_t thread;
    int seed = atoi(argv[1]);
    srand((unsigned)seed);
    static const double lengths[] = {2.5e4, 1e5, 4e5};
    prints = seed >> 1 & 1;
    learns = seed >> 2 & 1;
    holes = seed >> 3 & 1;
    batch_ns = lengths[prints ? 0 : rand() % 3];
    unrolled = rand() % 2;
    if (seed % 2 == 0) {
        answer(&words);
    } else if (pthread_create(&thread, NULL, answer, &words) != 0 || pthread_join(thread, NULL) != 0) {
        die("no thread", argv[1]);
    }
    return 0;
}
