// A matrix product in tiles, whose size is a macro.
#ifndef TILE
#define TILE 8
#endif
enum { size = 128 };

void product(const float a[128][128], const float b[128][128], float c[128][128]) {
    for (long i = 0; i < size; i++)
        for (long j = 0; j < size; j++) c[i][j] = 0;
    for (long ii = 0; ii < size; ii += TILE)
        for (long kk = 0; kk < size; kk += TILE)
            for (long i = ii; i < ii + TILE; i++)
                for (long k = kk; k < kk + TILE; k++)
                    for (long j = 0; j < size; j++) c[i][j] += a[i][k] * b[k][j];
}
