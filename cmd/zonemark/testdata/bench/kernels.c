/* Functions of known length: nothing, a chain of 45 dependent multiplications (about 50 ns one by one), and one of 9000 (about 10 us). */
#include <stdint.h>

static inline uint64_t chain(uint64_t x, int n)
{
    for (int i = 0; i < n; i++) {
#if defined(__x86_64__)
        __asm__ volatile("imul $3,%0,%0" : "+r"(x)); /* a compiler makes an addition of it */
#else
        x *= 0x9e3779b97f4a7c15u;
        __asm__ volatile("" : "+r"(x));
#endif
    }
    return x;
}

void empty(float *a, float *b, float *c) { (void)a; (void)b; (void)c; __asm__ volatile("" ::: "memory"); }
void short_chain(float *a, float *b, float *c) { (void)b; c[0] = (float)(chain((uintptr_t)a, 45) & 1); }
void long_chain(float *a, float *b, float *c) { (void)b; c[0] = (float)(chain((uintptr_t)a, 9000) & 1); }
