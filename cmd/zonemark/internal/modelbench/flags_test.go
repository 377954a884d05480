package modelbench

import (
	"strings"
	"testing"

	"zonemark/driver/bench"
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

// What is compared has enough repetitions for pairs, unless the user gives a number.
func TestRepetitionsOfPairs(t *testing.T) {
	for _, c := range []struct {
		runtimes string
		spread   bool
		given    map[string]bool
		want     int64
	}{
		{"tt", false, nil, bench.DefaultOptions().Repetitions},
		{"tt,iree", false, nil, pairedRepetitions},
		{"tt", true, nil, pairedRepetitions},
		{"tt,iree", true, map[string]bool{"repetitions": true}, bench.DefaultOptions().Repetitions},
	} {
		f := Flags{Options: bench.DefaultOptions(), runtimes: c.runtimes, spread: c.spread}
		f.Options.Given = c.given
		if err := f.settleRuntimes(); err != nil || f.Options.Repetitions != c.want {
			t.Errorf("%+v: %d repetitions, %v", c, f.Options.Repetitions, err)
		}
	}
}
