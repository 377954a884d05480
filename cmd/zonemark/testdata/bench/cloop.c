/* The loop that one writes by hand: clock_gettime around batches of calls. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

typedef void kernel(float *, float *, float *);

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

void c_loop(kernel *f, float *a, float *b, float *c, long calls, long batches, double *ns_per_call)
{
    for (long i = 0; i < batches; i++) {
        double start = now();
        for (long n = calls; n > 0; n--) f(a, b, c);
        ns_per_call[i] = (now() - start) / (double)calls;
    }
}
