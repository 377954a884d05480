/* Forty schedules of one matrix product: five sizes of tiles in each direction that is tiled, and two orders of loops. */
enum { N = 128 };

#define TILED(ROWS, COLUMNS, ORDER, OUTER, INNER)                                                                       \
    void product_##ORDER##_##ROWS##_##COLUMNS(const float a[N][N], const float b[N][N], float c[N][N]) {                \
        for (int i = 0; i < N; i++)                                                                                    \
            for (int j = 0; j < N; j++) c[i][j] = 0;                                                                   \
        for (int top = 0; top < N; top += ROWS)                                                                        \
            for (int left = 0; left < N; left += COLUMNS)                                                              \
                for (int i = top; i < top + ROWS; i++) OUTER INNER c[i][j] += a[i][k] * b[k][j];                       \
    }
#define ACROSS(COLUMNS) for (int j = left; j < left + COLUMNS; j++)
#define ALONG for (int k = 0; k < N; k++)
#define BOTH(ROWS, COLUMNS)                                                                                             \
    TILED(ROWS, COLUMNS, ikj, ALONG, ACROSS(COLUMNS)) TILED(ROWS, COLUMNS, ijk, ACROSS(COLUMNS), ALONG)
#define ROW(ROWS) BOTH(ROWS, 8) BOTH(ROWS, 16) BOTH(ROWS, 32) BOTH(ROWS, 64)

ROW(4) ROW(8) ROW(16) ROW(32) ROW(64)
