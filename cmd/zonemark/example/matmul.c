/* The shipped example: one matrix product, C = A·B with 128×128 floats in row-major order, under four schedules. */
#include <string.h>

enum { N = 128, TILE = 32 };

/* The textbook loop: B is read down its columns. */
void matmul_ijk(const float *a, const float *b, float *c)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i * N + k] * b[k * N + j];
            c[i * N + j] = sum;
        }
}

/* Loops interchanged: B and C are read along their rows, and the inner loop vectorises. */
void matmul_ikj(const float *a, const float *b, float *c)
{
    memset(c, 0, sizeof(float) * N * N);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            float x = a[i * N + k];
            for (int j = 0; j < N; j++)
                c[i * N + j] += x * b[k * N + j];
        }
}

/* Tiled over k and j, so that a tile of B stays in the first-level cache. */
void matmul_tiled(const float *a, const float *b, float *c)
{
    memset(c, 0, sizeof(float) * N * N);
    for (int jj = 0; jj < N; jj += TILE)
        for (int kk = 0; kk < N; kk += TILE)
            for (int i = 0; i < N; i++)
                for (int k = kk; k < kk + TILE; k++) {
                    float x = a[i * N + k];
                    for (int j = jj; j < jj + TILE; j++)
                        c[i * N + j] += x * b[k * N + j];
                }
}

/* Four rows of C at once, so that each row of B is loaded a quarter as often. */
void matmul_rows4(const float *a, const float *b, float *c)
{
    for (int i = 0; i < N; i += 4) {
        float acc[4][N];
        memset(acc, 0, sizeof acc);
        for (int k = 0; k < N; k++) {
            const float *row = b + k * N;
            float x0 = a[i * N + k], x1 = a[(i + 1) * N + k], x2 = a[(i + 2) * N + k], x3 = a[(i + 3) * N + k];
            for (int j = 0; j < N; j++) {
                acc[0][j] += x0 * row[j];
                acc[1][j] += x1 * row[j];
                acc[2][j] += x2 * row[j];
                acc[3][j] += x3 * row[j];
            }
        }
        memcpy(c + i * N, acc, sizeof acc);
    }
}
