// Kernels that zonemark measures as they are: the prototypes tell the shapes of the arrays.
//
//     zonemark run kernels.c --param n=4096 --param m=64 --param k=64 --param a=1.5
#include <stddef.h>

#define TAPS 5

// y = a*x + y. An array that is not const is input and output.
void saxpy(long n, float a, const float x[n], float y[restrict n])
{
    for (long i = 0; i < n; i++)
        y[i] += a * x[i];
}

double dot(long n, const float x[restrict n], const float y[restrict n])
{
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += (double)x[i] * y[i];
    return sum;
}

// c = a*b. Bounds may be names of other parameters, numbers and expressions.
void matmul(size_t m, size_t k, const float left[m][k], const float right[k][m], float product[m][m])
{
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < m; j++)
            product[i][j] = 0;
        for (size_t p = 0; p < k; p++)
            for (size_t j = 0; j < m; j++)
                product[i][j] += left[i][p] * right[p][j];
    }
}

// A filter reads some elements more than it writes.
void filter(long n, const float weights[TAPS], const float x[n + TAPS - 1], float y[restrict n])
{
    for (long i = 0; i < n; i++) {
        float sum = 0;
        for (int t = 0; t < TAPS; t++)
            sum += weights[t] * x[i + t];
        y[i] = sum;
    }
}
