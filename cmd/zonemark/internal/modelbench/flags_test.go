package modelbench

import (
	"strings"
	"testing"
)

func TestRewriteShorthands(t *testing.T) {
	in := []string{"-df", "Fp32", "-mf=LoFi", "-opt", "2", "-mb=3", "-bp", "CNN", "-m", "x", "-d", "-dfx", "--", "-df"}
	const want = "--dataformat Fp32 --math-fidelity=LoFi --backend-opt-level 2 --microbatch=3 --balancer-policy CNN " +
		"-m x -d -dfx -- -df"
	if got := strings.Join(rewriteShorthands(in), " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if in[0] != "-df" {
		t.Error("the arguments were changed in place")
	}
}
