/* The sum of an array by two threads, which OpenMP starts at the first call. */
#include <omp.h>

void team(const float *in, float *out)
{
    float sum = 0.0f;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 20000; i++)
        sum += in[i];
    *out = sum;
}
