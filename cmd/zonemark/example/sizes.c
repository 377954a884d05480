/* A matrix product of any size, for suites that sweep over sizes: C = A·B in row-major order. */
#include <stdint.h>
#include <string.h>

void product(int64_t M, int64_t N, int64_t K, const float *a, const float *b, float *c)
{
    memset(c, 0, sizeof(float) * (size_t)(M * N));
    for (int64_t i = 0; i < M; i++)
        for (int64_t k = 0; k < K; k++) {
            float x = a[i * K + k];
            for (int64_t j = 0; j < N; j++)
                c[i * N + j] += x * b[k * N + j];
        }
}

/* The textbook loop, as the reference. */
void product_naive(int64_t M, int64_t N, int64_t K, const float *a, const float *b, float *c)
{
    for (int64_t i = 0; i < M; i++)
        for (int64_t j = 0; j < N; j++) {
            float sum = 0;
            for (int64_t k = 0; k < K; k++)
                sum += a[i * K + k] * b[k * N + j];
            c[i * N + j] = sum;
        }
}
