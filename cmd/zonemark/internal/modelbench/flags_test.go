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
		f := Flags{Options: bench.DefaultOptions(), runtimes: c.runtimes}
		f.Spread = c.spread
		f.Options.Given = c.given
		if err := f.settleRuntimes(); err != nil || f.Options.Repetitions != c.want {
			t.Errorf("%+v: %d repetitions, %v", c, f.Options.Repetitions, err)
		}
	}
}

// A name of -o that ends as journals do is that of the journal, and the flags about it need it.
func TestOutputs(t *testing.T) {
	for _, c := range []struct {
		output            string
		resume, overwrite bool
		spread            bool
		journal, records  string
		want              string // error
	}{
		{output: "perf", records: "perf.json"},
		{output: "perf.json", records: "perf.json"},
		{output: "perf.ndjson", journal: "perf.ndjson"},
		{output: "perf.NDJSON", resume: true, journal: "perf.NDJSON"},
		{output: "perf.ndjson", overwrite: true, spread: true, journal: "perf.ndjson"},
		{output: "perf.csv", want: "for a table say --format csv"},
		{output: "nowhere/perf.ndjson", want: "there is no folder nowhere"},
		{output: "perf", resume: true, want: "need the journal: -o FILE.ndjson"},
		{overwrite: true, want: "need the journal: -o FILE.ndjson"},
		{output: "perf.ndjson", resume: true, overwrite: true, want: "give one of them"},
		{output: "perf.ndjson", resume: true, spread: true, want: "--resume with --spread"},
	} {
		f := Flags{Options: bench.Options{OutputOptions: bench.OutputOptions{Output: c.output}}}
		f.Spread, f.Resume, f.Overwrite = c.spread, c.resume, c.overwrite
		err := f.settleOutput()
		switch {
		case (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want):
			t.Errorf("%+v: %v", c, err)
		case err == nil && (f.Output != c.journal || f.Options.Output != c.records):
			t.Errorf("%+v: journal %q, records %q", c, f.Output, f.Options.Output)
		}
	}
}
