/* The thirty kernels that PolyBench names, written for truth.sh: each is the textbook's loop nest over square arrays of
 * n, so small that one call takes 10 to 200 us and its data stay in the second cache. */
#include <math.h>

#define FOR(i, from, to) for (long i = (from); i < (to); i++)
#define DOWN(i, from, to) for (long i = (from); i >= (to); i--)

static const double ALPHA = 1.5, BETA = 0.5;

/* D = alpha A B C + beta D */
void k2mm(long n, const double A[n][n], const double B[n][n], const double C[n][n], double D[n][n], double T[n][n])
{
    FOR(i, 0, n) FOR(j, 0, n) {
        double s = 0;
        FOR(k, 0, n) s += ALPHA * A[i][k] * B[k][j];
        T[i][j] = s;
    }
    FOR(i, 0, n) FOR(j, 0, n) {
        double s = BETA * D[i][j];
        FOR(k, 0, n) s += T[i][k] * C[k][j];
        D[i][j] = s;
    }
}

static void product(long n, const double A[n][n], const double B[n][n], double C[n][n])
{
    FOR(i, 0, n) FOR(j, 0, n) {
        double s = 0;
        FOR(k, 0, n) s += A[i][k] * B[k][j];
        C[i][j] = s;
    }
}

/* G = (A B) (C D) */
void k3mm(long n, const double A[n][n], const double B[n][n], const double C[n][n], const double D[n][n],
          double E[n][n], double F[n][n], double G[n][n])
{
    product(n, A, B, E);
    product(n, C, D, F);
    product(n, (const double (*)[n])E, (const double (*)[n])F, G);
}

/* One step in each direction of an implicit scheme: a tridiagonal system for each column, then for each row. */
static void sweep(long n, const double from[n][n], double to[n][n], double p[n][n], double q[n][n], int columns)
{
    const double a = -0.3, b = 1.6, d = 0.2;
    FOR(i, 1, n - 1) {
        double edge = 1;
        p[i][0] = 0;
        q[i][0] = edge;
        FOR(j, 1, n - 1) {
            double left = columns ? from[j][i - 1] : from[i - 1][j], here = columns ? from[j][i] : from[i][j];
            double right = columns ? from[j][i + 1] : from[i + 1][j], w = 1 / (a * p[i][j - 1] + b);
            p[i][j] = -a * w;
            q[i][j] = (d * left + (1 - 2 * d) * here + d * right - a * q[i][j - 1]) * w;
        }
        double x = edge;
        DOWN(j, n - 2, 1) {
            x = p[i][j] * x + q[i][j];
            if (columns)
                to[j][i] = x;
            else
                to[i][j] = x;
        }
    }
}

void kadi(long n, double u[n][n], double v[n][n], double p[n][n], double q[n][n])
{
    sweep(n, (const double (*)[n])u, v, p, q, 1);
    sweep(n, (const double (*)[n])v, u, p, q, 0);
}

/* y = A^T (A x) */
void katax(long n, const double A[n][n], const double x[n], double y[n])
{
    FOR(j, 0, n) y[j] = 0;
    FOR(i, 0, n) {
        double s = 0;
        FOR(j, 0, n) s += A[i][j] * x[j];
        FOR(j, 0, n) y[j] += A[i][j] * s;
    }
}

void kbicg(long n, const double A[n][n], const double p[n], const double r[n], double q[n], double s[n])
{
    FOR(j, 0, n) s[j] = 0;
    FOR(i, 0, n) {
        double sum = 0;
        FOR(j, 0, n) {
            s[j] += r[i] * A[i][j];
            sum += A[i][j] * p[j];
        }
        q[i] = sum;
    }
}

void kcholesky(long n, double A[n][n])
{
    FOR(i, 0, n) {
        FOR(j, 0, i) {
            double s = A[i][j];
            FOR(k, 0, j) s -= A[i][k] * A[j][k];
            A[i][j] = s / A[j][j];
        }
        double s = A[i][i];
        FOR(k, 0, i) s -= A[i][k] * A[i][k];
        A[i][i] = sqrt(s);
    }
}

static void centre(long n, double data[n][n], double mean[n])
{
    FOR(j, 0, n) {
        double s = 0;
        FOR(i, 0, n) s += data[i][j];
        mean[j] = s / (double)n;
    }
    FOR(i, 0, n) FOR(j, 0, n) data[i][j] -= mean[j];
}

static void products(long n, double data[n][n], double out[n][n], double scale)
{
    FOR(i, 0, n) FOR(j, i, n) {
        double s = 0;
        FOR(k, 0, n) s += data[k][i] * data[k][j];
        out[i][j] = out[j][i] = s * scale;
    }
}

void kcorrelation(long n, double data[n][n], double corr[n][n], double mean[n], double dev[n])
{
    centre(n, data, mean);
    FOR(j, 0, n) {
        double s = 0;
        FOR(i, 0, n) s += data[i][j] * data[i][j];
        dev[j] = sqrt(s / (double)n);
        if (dev[j] < 0.1) dev[j] = 1;
    }
    FOR(i, 0, n) FOR(j, 0, n) data[i][j] /= sqrt((double)n) * dev[j];
    products(n, data, corr, 1);
}

void kcovariance(long n, double data[n][n], double cov[n][n], double mean[n])
{
    centre(n, data, mean);
    products(n, data, cov, 1 / ((double)n - 1));
}

/* A recursive filter over rows in both directions, then over columns. */
static void filter(long n, long stride, const float *x, float *y, float *z)
{
    const float a = 0.3f, b = 0.2f, c = 0.6f, d = -0.1f;
    float x1 = 0, y1 = 0, y2 = 0;
    FOR(j, 0, n) {
        float here = a * x[j * stride] + b * x1 + c * y1 + d * y2;
        x1 = x[j * stride];
        y2 = y1;
        y1 = y[j * stride] = here;
    }
    float xa = 0, xb = 0;
    y1 = y2 = 0;
    DOWN(j, n - 1, 0) {
        float here = b * xa + a * xb + c * y1 + d * y2;
        xb = xa;
        xa = x[j * stride];
        y2 = y1;
        y1 = z[j * stride] = here;
    }
}

void kderiche(long n, const float in[n][n], float out[n][n], float y[n][n], float z[n][n])
{
    FOR(i, 0, n) filter(n, 1, in[i], y[i], z[i]);
    FOR(i, 0, n) FOR(j, 0, n) out[i][j] = y[i][j] + z[i][j];
    FOR(j, 0, n) filter(n, n, &out[0][j], &y[0][j], &z[0][j]);
    FOR(i, 0, n) FOR(j, 0, n) out[i][j] = y[i][j] + z[i][j];
}

void kdoitgen(long n, double A[n][n][n], const double C[n][n], double sum[n])
{
    FOR(r, 0, n) FOR(q, 0, n) {
        FOR(p, 0, n) {
            double s = 0;
            FOR(k, 0, n) s += A[r][q][k] * C[k][p];
            sum[p] = s;
        }
        FOR(p, 0, n) A[r][q][p] = sum[p];
    }
}

void kdurbin(long n, const double r[n], double y[n], double z[n])
{
    double alpha = -r[0], beta = 1;
    y[0] = -r[0];
    FOR(k, 1, n) {
        beta *= 1 - alpha * alpha;
        double s = r[k];
        FOR(i, 0, k) s += r[k - i - 1] * y[i];
        alpha = -s / beta;
        FOR(i, 0, k) z[i] = y[i] + alpha * y[k - i - 1];
        FOR(i, 0, k) y[i] = z[i];
        y[k] = alpha;
    }
}

void kfdtd2d(long n, double ex[n][n], double ey[n][n], double hz[n][n])
{
    FOR(t, 0, 4) {
        FOR(j, 0, n) ey[0][j] = (double)t;
        FOR(i, 1, n) FOR(j, 0, n) ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j]);
        FOR(i, 0, n) FOR(j, 1, n) ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1]);
        FOR(i, 0, n - 1) FOR(j, 0, n - 1) hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
    }
}

void kfloydwarshall(long n, int path[n][n])
{
    FOR(k, 0, n) FOR(i, 0, n) FOR(j, 0, n) {
        int through = path[i][k] + path[k][j];
        path[i][j] = path[i][j] < through ? path[i][j] : through;
    }
}

void kgemm(long n, const double A[n][n], const double B[n][n], double C[n][n])
{
    FOR(i, 0, n) {
        FOR(j, 0, n) C[i][j] *= BETA;
        FOR(k, 0, n) FOR(j, 0, n) C[i][j] += ALPHA * A[i][k] * B[k][j];
    }
}

void kgemver(long n, double A[n][n], const double u[n], const double v[n], double x[n], const double y[n], double w[n])
{
    FOR(i, 0, n) FOR(j, 0, n) A[i][j] += u[i] * v[j];
    FOR(i, 0, n) FOR(j, 0, n) x[i] += BETA * A[j][i] * y[j];
    FOR(i, 0, n) {
        double s = 0;
        FOR(j, 0, n) s += ALPHA * A[i][j] * x[j];
        w[i] = s;
    }
}

void kgesummv(long n, const double A[n][n], const double B[n][n], const double x[n], double y[n])
{
    FOR(i, 0, n) {
        double s = 0, t = 0;
        FOR(j, 0, n) {
            s += A[i][j] * x[j];
            t += B[i][j] * x[j];
        }
        y[i] = ALPHA * s + BETA * t;
    }
}

void kgramschmidt(long n, double A[n][n], double R[n][n], double Q[n][n])
{
    FOR(k, 0, n) {
        double norm = 0;
        FOR(i, 0, n) norm += A[i][k] * A[i][k];
        R[k][k] = sqrt(norm);
        FOR(i, 0, n) Q[i][k] = A[i][k] / R[k][k];
        FOR(j, k + 1, n) {
            double s = 0;
            FOR(i, 0, n) s += Q[i][k] * A[i][j];
            R[k][j] = s;
            FOR(i, 0, n) A[i][j] -= Q[i][k] * s;
        }
    }
}

static void warm(long n, const double from[n][n][n], double to[n][n][n])
{
    FOR(i, 1, n - 1) FOR(j, 1, n - 1) FOR(k, 1, n - 1) {
        double c = from[i][j][k];
        to[i][j][k] = c + 0.125 * (from[i + 1][j][k] - 2 * c + from[i - 1][j][k]) +
                      0.125 * (from[i][j + 1][k] - 2 * c + from[i][j - 1][k]) +
                      0.125 * (from[i][j][k + 1] - 2 * c + from[i][j][k - 1]);
    }
}

void kheat3d(long n, double A[n][n][n], double B[n][n][n])
{
    FOR(t, 0, 2) {
        warm(n, (const double (*)[n][n])A, B);
        warm(n, (const double (*)[n][n])B, A);
    }
}

void kjacobi1d(long n, double A[n], double B[n])
{
    FOR(t, 0, 10) {
        FOR(i, 1, n - 1) B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
        FOR(i, 1, n - 1) A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
    }
}

void kjacobi2d(long n, double A[n][n], double B[n][n])
{
    FOR(t, 0, 2) {
        FOR(i, 1, n - 1) FOR(j, 1, n - 1)
            B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j] + A[i - 1][j]);
        FOR(i, 1, n - 1) FOR(j, 1, n - 1)
            A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][j + 1] + B[i + 1][j] + B[i - 1][j]);
    }
}

static void factor(long n, double A[n][n])
{
    FOR(i, 0, n) {
        FOR(j, 0, i) {
            double s = A[i][j];
            FOR(k, 0, j) s -= A[i][k] * A[k][j];
            A[i][j] = s / A[j][j];
        }
        FOR(j, i, n) {
            double s = A[i][j];
            FOR(k, 0, i) s -= A[i][k] * A[k][j];
            A[i][j] = s;
        }
    }
}

void klu(long n, double A[n][n])
{
    factor(n, A);
}

void kludcmp(long n, double A[n][n], const double b[n], double x[n], double y[n])
{
    factor(n, A);
    FOR(i, 0, n) {
        double s = b[i];
        FOR(j, 0, i) s -= A[i][j] * y[j];
        y[i] = s;
    }
    DOWN(i, n - 1, 0) {
        double s = y[i];
        FOR(j, i + 1, n) s -= A[i][j] * x[j];
        x[i] = s / A[i][i];
    }
}

void kmvt(long n, const double A[n][n], double x[n], double y[n], const double u[n], const double v[n])
{
    FOR(i, 0, n) FOR(j, 0, n) x[i] += A[i][j] * u[j];
    FOR(i, 0, n) FOR(j, 0, n) y[i] += A[j][i] * v[j];
}

/* Folding of a sequence of four bases: the most pairs that stretch i to j can have. */
void knussinov(long n, const int seq[n], int table[n][n])
{
    DOWN(i, n - 1, 0) FOR(j, i + 1, n) {
        int best = table[i][j];
        if (table[i][j - 1] > best) best = table[i][j - 1];
        if (i + 1 < n && table[i + 1][j] > best) best = table[i + 1][j];
        if (i + 1 < n) {
            int pair = table[i + 1][j - 1] + (i < j - 1 && seq[i] + seq[j] == 3);
            if (pair > best) best = pair;
        }
        FOR(k, i + 1, j) if (table[i][k] + table[k + 1][j] > best) best = table[i][k] + table[k + 1][j];
        table[i][j] = best;
    }
}

void kseidel2d(long n, double A[n][n])
{
    FOR(i, 1, n - 1) FOR(j, 1, n - 1)
        A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j] + A[i][j + 1] +
                   A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) / 9;
}

void ksymm(long n, const double A[n][n], const double B[n][n], double C[n][n])
{
    FOR(i, 0, n) FOR(j, 0, n) {
        double s = 0;
        FOR(k, 0, i) {
            C[k][j] += ALPHA * B[i][j] * A[i][k];
            s += B[k][j] * A[i][k];
        }
        C[i][j] = BETA * C[i][j] + ALPHA * (B[i][j] * A[i][i] + s);
    }
}

void ksyr2k(long n, const double A[n][n], const double B[n][n], double C[n][n])
{
    FOR(i, 0, n) {
        FOR(j, 0, i + 1) C[i][j] *= BETA;
        FOR(k, 0, n) FOR(j, 0, i + 1) C[i][j] += ALPHA * (A[j][k] * B[i][k] + B[j][k] * A[i][k]);
    }
}

void ksyrk(long n, const double A[n][n], double C[n][n])
{
    FOR(i, 0, n) {
        FOR(j, 0, i + 1) C[i][j] *= BETA;
        FOR(k, 0, n) FOR(j, 0, i + 1) C[i][j] += ALPHA * A[i][k] * A[j][k];
    }
}

void ktrisolv(long n, const double L[n][n], const double b[n], double x[n])
{
    FOR(i, 0, n) {
        double s = b[i];
        FOR(j, 0, i) s -= L[i][j] * x[j];
        x[i] = s / L[i][i];
    }
}

void ktrmm(long n, const double A[n][n], double B[n][n])
{
    FOR(i, 0, n) FOR(j, 0, n) {
        double s = B[i][j];
        FOR(k, i + 1, n) s += A[k][i] * B[k][j];
        B[i][j] = ALPHA * s;
    }
}
