package hatbench

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/executor/cfunction/cfunctiontest"
	"zonemark/executor/csource"
	"zonemark/executor/hat"
)

// draftSource has functions that can be measured, and others.
const draftSource = `#include <stdint.h>
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

// writeSource writes the source and its header into a folder of the test, and returns the path of the source.
func writeSource(t *testing.T, source string) string {
	t.Helper()
	folder := t.TempDir()
	cfunctiontest.CC(t, folder, "--version") // skips without a compiler
	cfunctiontest.Write(t, folder, "width.h", "#define WIDTH 4\n")
	return cfunctiontest.Write(t, filepath.Clean(folder), "kernels.c", source)
}

// A draft is a package that other tools read, and it describes the same functions.
func TestDraft(t *testing.T) {
	source := writeSource(t, strings.ReplaceAll(strings.ReplaceAll(draftSource, `#include "width.h"`, ""), "WIDTH", "4"))
	text, _, err := Draft(context.Background(), source, map[string]string{csource.OptionCFlags: "-O3"}, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, "\n# not described: shapeless: kernels.c:21:23: x has no shape") {
		t.Errorf("the draft does not say what it leaves out:\n%s", text)
	}
	path := strings.TrimSuffix(source, ".c") + ".hat"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	list, err := hat.Runtime{}.Describe(path, executor.DescribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	described, err := csource.Runtime{}.Describe(source, executor.DescribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	direct := described[0]
	for i, f := range list[0].Functions {
		if f.Name != direct.Functions[i].Name || f.Signature != direct.Functions[i].Signature || f.Note != "" {
			t.Errorf("%+v\nnot as the C file says: %+v", f, direct.Functions[i])
		}
	}
	if len(list[0].Functions) != 4 {
		t.Errorf("%d functions, want 4", len(list[0].Functions))
	}
	if _, err := (hat.Runtime{}).Build(context.Background(), list[0].Artifact, t.TempDir()); err != nil {
		t.Errorf("the draft does not build: %v", err)
	}
}

// The source of a package is compiled alone, so the package of a source that includes others names a library.
func TestDraftOfSeveralFiles(t *testing.T) {
	text, remarks, err := Draft(context.Background(), writeSource(t, draftSource), nil, os.Getenv)
	if err != nil || !strings.Contains(text, "\nlink_target = \"kernels.so\"\n") ||
		!strings.Contains(remarks, "kernels.c includes width.h") {
		t.Errorf("%s\n%s\n%v", text, remarks, err)
	}
}
