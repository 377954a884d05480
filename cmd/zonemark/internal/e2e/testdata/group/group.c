/* Variants of one sum. The first two cannot be called, the last one computes something else. */
#include <stdlib.h>

enum { n = 64 };

void a_crashes(float* a, float* b, float* c)
{
    (void)a; (void)b; (void)c;
    *(volatile int*)8 = 1;
}

void b_exits(float* a, float* b, float* c)
{
    (void)a; (void)b; (void)c;
    exit(3);
}

void c_sums(float* a, float* b, float* c)
{
    for (int i = 0; i < n; i++) c[i] = a[i] + b[i];
}

void d_sums(float* a, float* b, float* c)
{
    for (int i = n - 1; i >= 0; i--) c[i] = a[i] + b[i];
}

void e_differs(float* a, float* b, float* c)
{
    for (int i = 0; i < n; i++) c[i] = a[i] - b[i];
}
