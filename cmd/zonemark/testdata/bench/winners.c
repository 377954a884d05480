/* The same sums of products with registers of 256 bits and, in a share of the rounds, of 512 bits. Wide registers lower
   the clock of the core, so that fewer cycles may take longer. With -DMAIN it is the truth of winners.sh: both take
   turns of 8 ms, of which the last 4 count, and the middle ratio of wide to narrow is printed. The sums stay in
   registers: in memory, where the code lies changes the time by 20 %, and each way of comparing has another build. */
#include <immintrin.h>

enum { ROUNDS = 2000, REGISTERS = 10 };
#ifndef WORK
#define WORK 1
#endif

__attribute__((target("avx2,fma"))) double narrow(const double x[80])
{
    __m256d a[REGISTERS], c = _mm256_set1_pd(0.999), d = _mm256_set1_pd(0.001);
    double s = 0, t[4];
    
#pragma GCC unroll 10
    for (int i = 0; i < REGISTERS; i++) a[i] = _mm256_loadu_pd(x + 4 * i);
    for (int r = 0; r < ROUNDS; r++)
#pragma GCC unroll 10
        for (int i = 0; i < REGISTERS; i++) a[i] = _mm256_fmadd_pd(a[i], c, d);
#pragma GCC unroll 10
    for (int i = 0; i < REGISTERS; i++) {
        _mm256_storeu_pd(t, a[i]);
        s += t[0] + t[1] + t[2] + t[3];
    }
    return s;
}

__attribute__((target("avx512f"))) double wide(const double x[80])
{
    __m512d a[REGISTERS], c = _mm512_set1_pd(0.999), d = _mm512_set1_pd(0.001);
    double s = 0, t[8];
    
#pragma GCC unroll 10
    for (int i = 0; i < REGISTERS; i++) a[i] = _mm512_loadu_pd(x + 8 * i);
    for (int r = 0; r < (int)(ROUNDS * WORK); r++)
#pragma GCC unroll 10
        for (int i = 0; i < REGISTERS; i++) a[i] = _mm512_fmadd_pd(a[i], c, d);
#pragma GCC unroll 10
    for (int i = 0; i < REGISTERS; i++) {
        _mm512_storeu_pd(t, a[i]);
        s += t[0] + t[1] + t[2] + t[3];
    }
    return s;
}

#ifdef ONE /* the same function under one name, for two files */
double kernel(const double x[80]) { return ONE(x); }
#endif

#ifdef MAIN
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static double turn(double (*function)(const double *), const double *x)
{
    volatile double kept = 0;
    for (double start = now(); now() - start < 4e6;) kept = kept + function(x);
    long calls = 0;
    double start = now();
    for (; now() - start < 4e6; calls++) kept = kept + function(x);
    return (now() - start) / (double)calls;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    enum { TURNS = 101 };
    static double x[80], ratios[TURNS];
    for (int i = 0; i < TURNS; i++) {
        double one = turn(narrow, x);
        ratios[i] = turn(wide, x) / one;
    }
    qsort(ratios, TURNS, sizeof *ratios, ascending);
    printf("%.4f\n", ratios[TURNS / 2]);
    return 0;
}
#endif
