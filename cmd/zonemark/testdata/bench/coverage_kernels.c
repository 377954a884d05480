/* Functions from 1 ns to 10 ms for coverage.sh and disturb.sh. All but the gather are bound by the core. */
#if defined(__linux__)
#define _GNU_SOURCE
#include <sched.h>
#endif
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif
#include <stdint.h>

/* Four dependent additions. Through memory the sum depends on the call before, too: calls do not overlap, and one takes
 * more than a nanosecond. */
void add4(float *sum)
{
    float x = *sum;
    x += 3;
    x += 3;
    x += 3;
    x += 3;
    *sum = x;
}

void scale256(const float *a, float *b)
{
    for (int i = 0; i < 256; i++) b[i] = 2 * a[i] + 1;
}

void add1024(const float *a, const float *b, float *c)
{
    for (int i = 0; i < 1024; i++) c[i] = a[i] + b[i];
}

static __attribute__((noinline)) void product(const float *a, const float *b, float *c)
{
    enum { N = 64 };
    for (int i = 0; i < N; i++) {
        float row[N] = {0};
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++) row[j] += a[i * N + k] * b[k * N + j];
        for (int j = 0; j < N; j++) c[i * N + j] = row[j];
    }
}

void product64(const float *a, const float *b, float *c)
{
    product(a, b, c);
}

/* The table has a million floats, 4 MB; the indices are random and any number is one. */
void gather(const float *table, const uint32_t *index, float *out)
{
    for (int i = 0; i < 65536; i++) out[i] = table[index[i] & (1u << 20) - 1];
}

/* Ten million dependent multiplications: 10 ms at 3 GHz. */
void chain(uint64_t *value)
{
    uint64_t x = *value | 1;
    for (int i = 0; i < 10 * 1000 * 1000; i++) {
        x *= 0x9e3779b97f4a7c15u;
        __asm__ volatile("" : "+r"(x));
    }
    *value = x;
}

/* The same product from a function that moves its thread between CPUs 0 and 1 in every 1,000th call, which is seldom
 * enough to cost nothing itself. */
void product64_moving(const float *a, const float *b, float *c)
{
#if defined(__linux__)
    static unsigned calls;
    if (calls++ % 1000 == 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(calls / 1000 % 2, &set);
        sched_setaffinity(0, sizeof set, &set);
    }
#endif
    product(a, b, c);
}

#if defined(__x86_64__)
enum { NEAREST = 0x1f80, UP_AND_FLUSH = NEAREST | _MM_ROUND_UP | _MM_FLUSH_ZERO_ON };
#endif

/* Leaves the rounding mode and the treatment of denormals changed behind it. */
void set_rounding(const float *a, float *c)
{
#if defined(__x86_64__)
    _mm_setcsr(UP_AND_FLUSH);
#endif
    for (int i = 0; i < 1024; i++) c[i] = a[i] + 1;
}

/* out[0] is 1 when results are rounded to nearest and 1.0005 when they are rounded up. The others are denormal, or 0
 * when those are flushed: then a call takes a fifth of the time on processors where denormals are slow. */
static __attribute__((noinline)) void rounded(const float *tiny, float *out)
{
    float sum = 1;
    for (int i = 0; i < 4096; i++) sum += tiny[i] * 1e-9f;
    out[0] = sum;
    for (int i = 1; i < 1024; i++) out[i] = (tiny[i] + 1) * 1e-20f * 1e-20f;
}

void rounding_sensitive(const float *tiny, float *out)
{
    rounded(tiny, out);
}

/* The reference of it, which sets the modes that a program starts with. */
void rounding_reference(const float *tiny, float *out)
{
#if defined(__x86_64__)
    unsigned before = _mm_getcsr();
    _mm_setcsr(NEAREST);
    rounded(tiny, out);
    _mm_setcsr(before);
#else
    rounded(tiny, out);
#endif
}
