package cfunctiontest

import (
	"path/filepath"
	"testing"
)

// Kernels is a C source with functions that can be measured, and others. It includes the header that WriteKernels writes.
const Kernels = `#include <stdint.h>
#include "width.h"
typedef float real;
static real twice(real x) { return 2 * x; }
void scale(int64_t n, real a, const real x[n], real y[restrict n]) {
    for (int64_t i = 0; i < n; i++) y[i] = a * twice(x[i]);
}
void scaled(int64_t n, real a, const real x[n], real y[restrict n]) {
    for (int64_t i = 0; i < n; i++) y[i] = a * x[i] + a * x[i];
}
void wrong(int64_t n, real a, const real x[n], real y[restrict n]) {
    for (int64_t i = 0; i < n; i++) y[i] = a * x[i] + 1000;
}
double rows(int n, int m, const double x[n + 1][m][WIDTH]) {
    double sum = 0;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < WIDTH; k++) sum += x[i][j][k];
    return sum;
}
void shapeless(float *x) { *x = 0; }
static void hidden(int n, float x[n]) { x[0] = n; }
int main(void) { hidden(0, 0); return 0; }
`

// WriteKernels writes a source, such as Kernels, and its header into a folder of the test, and returns the path of the
// source. The test is skipped on a machine without a compiler; see CC.
func WriteKernels(t testing.TB, source string) string {
	t.Helper()
	folder := t.TempDir()
	CC(t, folder, "--version")
	Write(t, folder, "width.h", "#define WIDTH 4\n")
	return Write(t, filepath.Clean(folder), "kernels.c", source)
}
