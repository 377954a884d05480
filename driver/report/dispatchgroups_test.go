package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zonemark/invocations"
)

// manyDispatches returns a record with n dispatches, of which three in a row have one name, and the last names are the
// hottest.
func manyDispatches(n int) invocations.Record {
	traced, host := 1e6, 5e3
	r := invocations.Record{ID: "0", Name: "bert", Status: invocations.OK,
		RecordedRun: invocations.RecordedRun{Mode: invocations.Warm},
		RecordedProfile: invocations.RecordedProfile{
			DispatchSource: invocations.ByTracy, TracedNS: &traced, HostNS: &host,
		}}
	for i := range n {
		ns := float64(100 * (i/3 + 1))
		r.Dispatches = append(r.Dispatches, invocations.DispatchRecord{Name: fmt.Sprintf("dispatch_%d_matmul_8x8x8", i/3),
			Ordinal: i, Count: 7, MedianNS: &ns, Workgroups: 4 + i%3/2, SourceFile: "m.mlir", SourceLine: i / 3})
	}
	return r
}

func TestPartsOf(t *testing.T) {
	names := func(parts []Part) (all []string) {
		for _, p := range parts {
			all = append(all, fmt.Sprintf("%s %v ×%d", strings.TrimSuffix(p.Name, "_matmul_8x8x8"), p.NS, p.Issues))
		}
		return all
	}
	others := []string{"gaps 0 ×0", "host 5000 ×0", "unexplained 0 ×0"}
	for _, c := range []struct {
		name string
		n    int
		o    DispatchOptions
		want []string
	}{
		{"few stay in the program's order", 4, DispatchOptions{},
			[]string{"dispatch_0 100 ×0", "dispatch_0 100 ×0", "dispatch_0 100 ×0", "dispatch_1 200 ×0"}},
		{"few by time", 4, DispatchOptions{Order: TimeOrder}, []string{"dispatch_0 300 ×3", "dispatch_1 200 ×1"}},
		{"a limit", 12, DispatchOptions{Order: TimeOrder, Limit: 2},
			[]string{"dispatch_3 1200 ×3", "dispatch_2 900 ×3", "6 other dispatches 900 ×6"}},
		{"one row beyond the limit has its name", 9, DispatchOptions{Order: TimeOrder, Limit: 2},
			[]string{"dispatch_2 900 ×3", "dispatch_1 600 ×3", "dispatch_0 300 ×3"}},
		{"a limit in the program's order", 30, DispatchOptions{Order: ProgramOrder, Limit: 1},
			[]string{"dispatch_0 100 ×0", "29 other dispatches 16400 ×29"}},
	} {
		if d := cmp.Diff(append(c.want, others...), names(PartsOf(new(manyDispatches(c.n)), c.o))); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
	many := PartsOf(new(manyDispatches(102)), DispatchOptions{})
	if len(many) != FewDispatches+1+3 || many[0].Name != "dispatch_33_matmul_8x8x8" || many[0].Workgroups != 0 ||
		many[0].Place != "m.mlir:33" || many[20].Name != "42 other dispatches" {
		t.Errorf("102 dispatches: %+v", many)
	}
	if sum := 300.0 * 34 * 35 / 2; many[20].CumulativeNS != sum || many[0].CumulativeNS != 10200 {
		t.Errorf("cumulative %v and %v, want 10200 and %v", many[0].CumulativeNS, many[20].CumulativeNS, sum)
	}
	for _, o := range []DispatchOptions{{Order: ProgramOrder}, {Order: ProgramOrder, Limit: -1}} {
		if all := PartsOf(new(manyDispatches(102)), o); len(all) != 102+3 {
			t.Errorf("%+v: %d rows", o, len(all))
		}
	}
	if all := PartsOf(new(manyDispatches(102)), DispatchOptions{Limit: -1}); len(all) != 34+3 {
		t.Errorf("all by time: %d rows", len(all))
	}
}

func TestJoinedRates(t *testing.T) {
	rates := []Part{{Name: "a", NS: 10, FLOPPerS: 1e9}, {Name: "a", NS: 30, FLOPPerS: 3e9}}
	if p := joined(rates); p.FLOPPerS != 2.5e9 || p.NS != 40 {
		t.Errorf("%+v, want 2.5 GFLOP/s: 100 FLOP in 40 ns", p)
	}
	if p := joined(append(rates, Part{Name: "a", NS: 1})); p.FLOPPerS != 0 {
		t.Errorf("%+v: of one part the rate is not known", p)
	}
}

// TestLongDispatchTable: the text shows the hottest names, while formats for programs keep every dispatch.
func TestLongDispatchTable(t *testing.T) {
	run := Run{Records: invocations.RecordsOf(manyDispatches(102)), Complete: true}
	var text, lines bytes.Buffer
	if err := writeText(&text, run); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"dispatch_33_matmul_8x8x8  10.20 µs", "42 other dispatches", "count  cumulative"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if n := strings.Count(text.String(), "_matmul_8x8x8"); n != FewDispatches {
		t.Errorf("%d rows of dispatches", n)
	}
	if err := writeNDJSON(&lines, run); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(lines.String(), "_matmul_8x8x8"); n != 102 {
		t.Errorf("the journal's lines have %d dispatches", n)
	}
}
