package zonestats

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zonemark/trace"
	"zonemark/trace/histogram"
	"zonemark/trace/internal/zonetest"
)

// TestSummarizeFile: the short way from a capture to its sums gives what the way by zones gives, for whole captures and
// for cut ones.
func TestSummarizeFile(t *testing.T) {
	paths, err := filepath.Glob("../testdata/*.tracy")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	options := map[string]Options{
		"by place": {},
		"self":     {Self: true},
		"by name":  {ByName: true},
		"selected": {Select: func(z *trace.Zone) bool {
			return strings.Contains(z.Name(), "i") && z.Depth < 3 &&
				z.DurationNS > 100
		}},
		"not a zone": {Select: func(*trace.Zone) bool { return false }},
	}
	cut := 0
	everything := cmp.Options{cmp.AllowUnexported(Group{}), cmp.Comparer(func(a, b histogram.Histogram) bool {
		return a.MinNS() == b.MinNS() && a.MaxNS() == b.MaxNS() && a.Exact() == b.Exact() &&
			slices.Equal(a.Tallies(false), b.Tallies(false))
	})}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{len(data), len(data) * 9 / 10} {
			if _, err := zonetest.OpenBytes(t, data[:size]); err != nil && size < len(data) {
				continue // the cut went through the tables
			} else if size < len(data) {
				cut++
			}
			for name, o := range options {
				direct, byZones := mustOpen(t, data[:size]), mustOpen(t, data[:size])
				got, gotErr := SummarizeFile(direct, o)
				want, wantErr := Summarize(byZones.Zones(), o)
				if diff := cmp.Diff(want, got, everything); diff != "" || (gotErr == nil) != (wantErr == nil) ||
					gotErr != nil && gotErr.Error() != wantErr.Error() {
					t.Errorf("%s, %d of %d bytes, %s: %v instead of %v\n%s", path, size, len(data), name, gotErr,
						wantErr, diff)
				}
				if diff := cmp.Diff(byZones.Info(), direct.Info()); diff != "" {
					t.Errorf("%s, %d of %d bytes, %s: what the pass noted\n%s", path, size, len(data), name, diff)
				}
				if size == len(data) && name == "by place" && got.Count != direct.Info().ZoneCount {
					t.Errorf("%s: %d of %d zones", path, got.Count, direct.Info().ZoneCount)
				}
			}
		}
	}
	if cut == 0 {
		t.Error("no cut capture was summed up")
	}
}

func mustOpen(t *testing.T, data []byte) *trace.File {
	t.Helper()
	f, err := zonetest.OpenBytes(t, data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestSummarizeWatch: whoever watches sees the count grow, and can end the pass.
func TestSummarizeWatch(t *testing.T) {
	data, err := os.ReadFile("../testdata/z100k_0112.tracy")
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	for name, summarize := range map[string]func(Options) (*Summary, error){
		"direct":   func(o Options) (*Summary, error) { return SummarizeFile(mustOpen(t, data), o) },
		"by zones": func(o Options) (*Summary, error) { return Summarize(mustOpen(t, data).Zones(), o) },
	} {
		var seen []int64
		s, err := summarize(Options{Watch: func(zones int64) error {
			if seen = append(seen, zones); len(seen) == 3 {
				return enough
			}
			return nil
		}})
		if !errors.Is(err, enough) || len(seen) != 3 || seen[0] <= 0 || seen[1] <= seen[0] || s.Count >= seen[2] ||
			s.Count < seen[1] {
			t.Errorf("%s: %v after %d, %d zones summed up", name, err, seen, s.Count)
		}
	}
}
