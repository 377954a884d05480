// Functions that change their arguments. All but matmul and the first two take several times as long, or as short, on
// what their first calls have left as on what they are meant to work on.
#include <complex.h>
#include <math.h>

// quick sorts: the branches of data that repeats are learned.
void quick(long n, float y[n]) {
    if (n < 2) return;
    float pivot = y[n / 2];
    long i = 0, j = n - 1;
    while (i <= j) {
        while (y[i] < pivot) i++;
        while (y[j] > pivot) j--;
        if (i > j) break;
        float t = y[i];
        y[i++] = y[j];
        y[j--] = t;
    }
    quick(j + 1, y);
    quick(n - i, y + i);
}

// adds_small adds small numbers, by a branch for each.
float adds_small(long n, const float x[n]) {
    float sum = 0;
    for (long i = 0; i < n; i++) {
        if (x[i] < 0.5f) {
            sum += x[i];
            __asm__ volatile("" ::: "memory"); // so that it stays a branch
        }
    }
    return sum;
}

// insertion sorts: sorted data takes a comparison for each element.
void insertion(long n, float y[n]) {
    for (long i = 1; i < n; i++) {
        float v = y[i];
        long j = i;
        for (; j > 0 && y[j - 1] > v; j--) y[j] = y[j - 1];
        y[j] = v;
    }
}

// decay works on elements until they have faded away.
void decay(long n, float y[n]) {
    for (long i = 0; i < n; i++) {
        if (fabsf(y[i]) < 1e-6f) continue;
        float root = fabsf(y[i]);
        for (int k = 0; k < 20; k++) root = 0.5f * (root + fabsf(y[i]) / root);
        y[i] *= 0.9f - 1e-6f * root;
    }
}

// lu factors a matrix in place, and gives up at a pivot that is not a number: factors of factors overflow soon.
void lu(long n, double a[n][n]) {
    for (long k = 0; k < n; k++) {
        if (!(fabs(a[k][k]) <= 1e300)) return;
        for (long i = k + 1; i < n; i++) {
            a[i][k] /= a[k][k];
            for (long j = k + 1; j < n; j++) a[i][j] -= a[i][k] * a[k][j];
        }
    }
}

// dot multiplies vectors of a multiple of four elements.
static float dot(long m, const float x[m], const float y[m]) {
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (long i = 0; i < m; i += 4)
        s0 += x[i] * y[i], s1 += x[i + 1] * y[i + 1], s2 += x[i + 2] * y[i + 2], s3 += x[i + 3] * y[i + 3];
    return s0 + s1 + s2 + s3;
}

// gram_schmidt makes the rows of a matrix orthogonal, one after the other, each as often as that changes it.
void gram_schmidt(long n, long m, float q[n][m]) {
    for (long k = 0; k < n; k++)
        for (int pass = 0; pass < 8; pass++) {
            float before = dot(m, q[k], q[k]);
            for (long j = 0; j < k; j++) {
                float r = dot(m, q[j], q[k]);
                if (fabsf(r) < 1e-5f) continue;
                for (long i = 0; i < m; i++) q[k][i] -= r * q[j][i];
            }
            float after = dot(m, q[k], q[k]), scale = 1 / sqrtf(after);
            for (long i = 0; i < m; i++) q[k][i] *= scale;
            if (after > 0.99999f * before) break;
        }
}

// fft transforms in place and does not scale: its results overflow, and it gives up at what is not a number.
void fft(long n, double x[n][2]) {
    double complex *z = (double complex *)x;
    for (long i = 1, j = 0; i < n; i++) {
        long bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        if (i < (j ^= bit)) {
            double complex t = z[i];
            z[i] = z[j], z[j] = t;
        }
    }
    for (long len = 2; len <= n; len *= 2) {
        if (isnan(creal(z[0]))) return;
        double complex root = cos(2 * M_PI / len) - I * sin(2 * M_PI / len);
        for (long i = 0; i < n; i += len) {
            double complex w = 1;
            for (long k = i; k < i + len / 2; k++) {
                double complex t = w * z[k + len / 2];
                z[k + len / 2] = z[k] - t, z[k] += t, w *= root;
            }
        }
    }
}

// matmul adds to what is there, which does not change its time.
void matmul(long n, const float a[n][n], const float b[n][n], float c[n][n]) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++) c[i][j] += a[i][k] * b[k][j];
}

// machine does its work in its first state only.
void machine(int state[1], long n, double x[n]) {
    if (state[0] != 0) return;
    state[0] = 1;
    for (long i = 1; i < n; i++) x[i] = x[i - 1] / (1.5 + x[i]);
}

// sorts_const sorts what it says that it only reads.
void sorts_const(long n, const float y[n]) { insertion(n, (float *)y); }

// sorts_static sorts data of its own: only its first call has something to do.
void sorts_static(void) {
    static float y[4000];
    if (y[0] == 0)
        for (int i = 0; i < 4000; i++) y[i] = (float)(4000 - i);
    insertion(4000, y);
}

// strays writes one element too many.
void strays(long n, float y[n]) {
    for (long i = 0; i <= n; i++) y[i] = (float)i;
}

// flips has work in each second call.
void flips(long n, int f[1], double x[1]) {
    if ((f[0] = !f[0]))
        for (long i = 0; i < n; i++) x[0] = x[0] * 0.99 + 0.5;
}

// flushes takes twenty times as long in one call of ten.
float flushes(void) {
    static unsigned calls;
    float x = 1;
    int steps = ++calls % 10 == 0 ? 800000 : 40000;
    for (int i = 0; i < steps; i++) x = x * 0.5f + 1;
    return x;
}
