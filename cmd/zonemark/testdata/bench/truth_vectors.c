/* Functions of truth.sh that wide registers make fast, and that may lower the clock of their core: the same work by
 * scalar code, AVX2, AVX-512 and AMX. The stencil's time depends on how its arrays lie to each other. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

void stencil3(long n, const float x[n], float y[n])
{
    for (long i = 1; i < n - 1; i++) y[i] = 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1];
}

void saxpy(long n, float a, const float x[n], float y[n])
{
    for (long i = 0; i < n; i++) y[i] += a * x[i];
}

void add1024(const float a[1024], const float b[1024], float c[1024])
{
    for (int i = 0; i < 1024; i++) c[i] = a[i] + b[i];
}

#if defined(__x86_64__)
enum { ROUNDS = 2000, SUMS = 10 };

/* Each of the three makes the same number of rounds of ten independent fused multiply-adds. */
__attribute__((target("avx2,fma"))) double fma_scalar(const double x[128])
{
    double a[SUMS], sum = 0;
    for (int i = 0; i < SUMS; i++) a[i] = x[i];
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < SUMS; i++) {
            a[i] = __builtin_fma(a[i], 0.999, 0.001);
            __asm__ volatile("" : "+x"(a[i]));
        }
    for (int i = 0; i < SUMS; i++) sum += a[i];
    return sum;
}

__attribute__((target("avx2,fma"))) double fma_narrow(const double x[128])
{
    __m256d a[SUMS], c = _mm256_set1_pd(0.999), d = _mm256_set1_pd(0.001);
    double sum = 0, t[4];
    for (int i = 0; i < SUMS; i++) a[i] = _mm256_loadu_pd(x + 4 * i);
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < SUMS; i++) a[i] = _mm256_fmadd_pd(a[i], c, d);
    for (int i = 0; i < SUMS; i++) {
        _mm256_storeu_pd(t, a[i]);
        sum += t[0] + t[1] + t[2] + t[3];
    }
    return sum;
}

__attribute__((target("avx512f"))) double fma_wide(const double x[128])
{
    __m512d a[SUMS], c = _mm512_set1_pd(0.999), d = _mm512_set1_pd(0.001);
    double sum = 0;
    for (int i = 0; i < SUMS; i++) a[i] = _mm512_loadu_pd(x + 8 * i);
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < SUMS; i++) a[i] = _mm512_fmadd_pd(a[i], c, d);
    for (int i = 0; i < SUMS; i++) sum += _mm512_reduce_add_pd(a[i]);
    return sum;
}

/* One sum only: latency bounds it, so a core's other units rest, and the clock may stay as it is. */
__attribute__((target("avx512f"))) double fma_wide_chain(const double x[128])
{
    __m512d a = _mm512_loadu_pd(x), c = _mm512_set1_pd(0.999), d = _mm512_set1_pd(0.001);
    for (int r = 0; r < ROUNDS; r++) a = _mm512_fmadd_pd(a, c, d);
    return _mm512_reduce_add_pd(a);
}

/* Additions of integers in wide registers, from the first cache. */
__attribute__((target("avx512f"))) long sum_wide(long n, const int x[n])
{
    __m512i a = _mm512_setzero_si512(), b = a;
    for (long i = 0; i + 32 <= n; i += 32) {
        a = _mm512_add_epi32(a, _mm512_loadu_si512(x + i));
        b = _mm512_add_epi32(b, _mm512_loadu_si512(x + i + 16));
    }
    return _mm512_reduce_add_epi32(_mm512_add_epi32(a, b));
}

__attribute__((target("avx2"))) void scale_narrow(long n, const float x[n], float y[n])
{
    __m256 c = _mm256_set1_ps(1.5f);
    for (long i = 0; i + 8 <= n; i += 8) _mm256_storeu_ps(y + i, _mm256_mul_ps(c, _mm256_loadu_ps(x + i)));
}

/* A process must ask for the tiles of AMX once. */
static __attribute__((constructor)) void ask_for_tiles(void)
{
    enum { REQUEST = 0x1023, TILES = 18 };
    syscall(SYS_arch_prctl, REQUEST, TILES);
}

__attribute__((target("amx-tile,amx-int8"))) void tiles(const int8_t a[1024], const int8_t b[1024], int c[256])
{
    struct __attribute__((packed)) {
        uint8_t palette, start, reserved[14];
        uint16_t columns[16];
        uint8_t rows[16];
    } shape = {.palette = 1};
    for (int i = 0; i < 4; i++) {
        shape.columns[i] = 64;
        shape.rows[i] = 16;
    }
    _tile_loadconfig(&shape);
    _tile_zero(0);
    _tile_zero(3);
    _tile_loadd(1, a, 64);
    _tile_loadd(2, b, 64);
    for (int r = 0; r < 200; r++) {
        _tile_dpbssd(0, 1, 2);
        _tile_dpbssd(3, 1, 2);
    }
    _tile_stored(0, c, 64);
    _tile_release();
}
#endif
