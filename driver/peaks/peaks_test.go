package peaks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"zonemark/invocations"

	"github.com/google/go-cmp/cmp"
)

func somePeak(name string, perS float64) Peak {
	return Peak{
		Name: name, What: "float32", Using: "avx2", CPUs: 1, PerS: perS, LowPerS: perS / 2, HighPerS: 2 * perS,
		Verdicts: []invocations.Verdict{invocations.Clean}, Measured: time.Unix(1e9, 0).UTC(),
	}
}

// Peaks are kept by machine and by name. A short measurement replaces only another short one.
func TestKeep(t *testing.T) {
	path := filepath.Join(t.TempDir(), File)
	quick := somePeak("b", 5e9)
	quick.Quick = true
	better, long := quick, somePeak("b", 7e9)
	better.PerS, better.HighPerS = 6e9, 6e9
	for _, step := range []struct {
		machine string
		add     []Peak
		want    []Peak
	}{
		{"one", []Peak{somePeak("a", 1e9), quick}, []Peak{somePeak("a", 1e9), quick}},
		{"two", []Peak{somePeak("a", 2e9)}, []Peak{somePeak("a", 2e9)}},
		{"one", []Peak{better}, []Peak{somePeak("a", 1e9), better}},
		{"one", []Peak{long}, []Peak{somePeak("a", 1e9), long}},
		{"one", []Peak{quick}, []Peak{somePeak("a", 1e9), long}},
	} {
		if err := Keep(path, step.machine, step.add); err != nil {
			t.Fatal(err)
		}
		got, err := Load(path, step.machine)
		if diff := cmp.Diff(step.want, got); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
	}
}

func TestLoadFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), File)
	if got, err := Load(path, "one"); err != nil || got != nil {
		t.Errorf("of a missing file %v, %v", got, err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path, "one"); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("of a damaged file: %v", err)
	}
	if err := Keep(path, "one", []Peak{somePeak("a", 1e9)}); err != nil {
		t.Errorf("it was not written anew: %v", err)
	}
	if err := Keep(filepath.Join(path, "below"), "one", nil); err == nil {
		t.Error("peaks were kept below a file")
	}
}

// A peak is vague if its interval is wider than half of it, or has no upper end. Such a one is kept.
func TestVague(t *testing.T) {
	path := filepath.Join(t.TempDir(), File)
	for _, c := range []struct {
		low, high float64
		vague     bool
	}{{1e9, 1e9, false}, {0.8e9, 1.2e9, false}, {0.7e9, 1.3e9, true}, {0, 1e9, true}, {0.9e9, 0, true}} {
		p := somePeak("a", 1e9)
		if p.LowPerS, p.HighPerS = c.low, c.high; p.Vague() != c.vague {
			t.Errorf("%g to %g: vague %v", c.low, c.high, !c.vague)
		}
		if err := Keep(path, "one", []Peak{p}); err != nil {
			t.Fatal(err)
		}
		if got, err := Load(path, "one"); err != nil || !cmp.Equal(got, []Peak{p}) {
			t.Errorf("%g to %g: %v, %v", c.low, c.high, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"m":[{"name":"a","what":"read","level":"L1","cpus":1,"per_s":1e9,"low_per_s":1,"high_per_s":2e9}]}`))
	f.Add([]byte(`{"m":[{"name":"a","per_s":-1}]}`))
	f.Add([]byte(`{"m":null}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		all, err := parse("peaks.json", b)
		if err != nil {
			if all != nil || !strings.Contains(err.Error(), "peaks.json") {
				t.Errorf("%v with %v", err, all)
			}
			return
		}
		for _, list := range all {
			for _, p := range list {
				if !(p.PerS > 0 && p.LowPerS <= p.PerS && (p.PerS <= p.HighPerS || p.HighPerS == 0)) || p.Moves() == (p.Using != "") {
					t.Errorf("%+v is kept", p)
				}
			}
		}
	})
}
