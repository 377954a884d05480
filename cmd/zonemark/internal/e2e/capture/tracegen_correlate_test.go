package capture

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/invocations"
	"zonemark/trace"
	"zonemark/trace/correlate"
	"zonemark/trace/tracycsv"

	"github.com/google/go-cmp/cmp"
)

// withoutThread is a capture without the zones of one thread.
type withoutThread struct {
	trace.Source
	lost int
}

func (w withoutThread) Zones() iter.Seq2[trace.Zone, error] {
	return func(yield func(trace.Zone, error) bool) {
		for z, err := range w.Source.Zones() {
			if (err != nil || z.Thread != w.lost) && !yield(z, err) {
				return
			}
		}
	}
}

// placedDispatch holds those facts of a dispatch that do not depend on how a correlation found it.
type placedDispatch struct {
	Invocation          string
	Iteration           int
	Name                string
	StartNS, WallNS     int64
	Workgroups, Threads int
}

// placed lists the dispatches of a correlation. It leaves out those with dynamic names if dynamic is false, since some
// tables cannot hold them.
func placed(c *correlate.Result, dynamic bool) (list []placedDispatch) {
	for _, inv := range c.Invocations {
		for _, it := range inv.Iterations {
			for _, d := range it.Dispatches {
				if dynamic || !strings.Contains(d.Name, "gemm_dispatch_0") {
					list = append(list, placedDispatch{inv.ID, it.Number, d.Name, d.StartNS, d.WallNS, d.Workgroups,
						d.Threads})
				}
			}
		}
	}
	return list
}

// A capture of two invocations of the same zones, called by turns, is joined to them. Every zone gets to its
// invocation, the parts sum to the call, and if the zones of any thread are removed, the result says so.
func TestCapturedCorrelation(t *testing.T) {
	zones, f := e2e.ReadZones(t, generateCapture(t, "invocations"))
	correlation := correlated(t, f)
	// brackets and strays
	if correlation.Method != correlate.ByBracket || correlation.OrphanCount != 0 || correlation.Outside != 6+6 {
		t.Errorf("joined by %s; %d orphans, %d zones outside", correlation.Method, correlation.OrphanCount,
			correlation.Outside)
	}
	var brackets []trace.Zone
	for _, z := range zones {
		if z.Location.Name == "invocation" {
			brackets = append(brackets, z)
		}
	}
	if len(correlation.Invocations) != 2 || len(brackets) != 6 {
		t.Fatalf("%d invocations, %d brackets", len(correlation.Invocations), len(brackets))
	}
	want := []placedDispatch{
		{Name: "gemm_dispatch_0, 64x64", Workgroups: 4, Threads: 2},
		{Name: "gemm_dispatch_1", Workgroups: 1, Threads: 1},
		{Name: "gemm_dispatch_2", Workgroups: 1, Threads: 1}, {Name: "gemm_dispatch_3", Workgroups: 1, Threads: 1},
	}
	for i, inv := range correlation.Invocations {
		if inv.ID != fmt.Sprintf("gemm/%d", i) || len(inv.Iterations) != 3 || inv.Verdict != invocations.Clean ||
			inv.Flags != 0 {
			t.Errorf("invocation %q: %d iterations, %s, flags %q", inv.ID, len(inv.Iterations), inv.Verdict, inv.Flags)
		}
		for k, it := range inv.Iterations {
			bracket := brackets[2*k+i]
			if it.StartNS != bracket.StartNS || it.BracketNS != bracket.DurationNS || it.Zones != 2+4+2+2 {
				t.Errorf("%s, %d: from %d, %d ns, %d zones; the bracket: %+v", inv.ID, k, it.StartNS, it.BracketNS,
					it.Zones, bracket)
			}
			if sum := it.DispatchNS + it.GapNS + it.HostNS; it.BracketNS-sum != it.UnexplainedNS ||
				it.UnexplainedPart() > 0.01 {
				t.Errorf("%s, %d: not conserved to 1 %%: %+v", inv.ID, k, it.Conservation)
			}
			var got []placedDispatch
			for _, d := range it.Dispatches {
				if d.StartNS < bracket.StartNS || d.EndNS() > bracket.EndNS() {
					t.Errorf("%s, %d: %s lies outside", inv.ID, k, d.Name)
				}
				got = append(got, placedDispatch{Name: d.Name, Workgroups: d.Workgroups, Threads: d.Threads})
			}
			slices.SortFunc(got, func(a, b placedDispatch) int { return strings.Compare(a.Name, b.Name) })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %d: %s", inv.ID, k, diff)
			}
		}
	}
	lost := 0
	for i, thread := range f.Threads() {
		if !strings.HasPrefix(thread.Name, "worker ") {
			continue
		}
		lost++
		for _, inv := range correlated(t, withoutThread{f, i}).Invocations {
			if inv.Verdict != invocations.PartialTrace || inv.Flags&correlate.Unexplained == 0 {
				t.Errorf("%s without %s: %s, flags %q", inv.ID, thread.Name, inv.Verdict, inv.Flags)
			}
		}
	}
	if lost != 2 {
		t.Errorf("%d workers were taken away, want 2", lost)
	}
}

// The same capture through each CSV dialect that holds texts, which brackets need, gives the same dispatches. Those
// that the program names at run time are there only if the dialect has such names.
func TestCapturedCorrelationByTable(t *testing.T) {
	_, f := e2e.ReadZones(t, generateCapture(t, "invocations"))
	direct := correlated(t, f)
	for dialect, dynamic := range map[string]bool{tracycsv.DialectZonemark: true, "tt": true, "0.11.2": false,
		"0.12": false, "0.14": false} {
		var b bytes.Buffer
		if err := tracycsv.Write(&b, f, tracycsv.Options{Unwrap: true, Dialect: dialect}); err != nil {
			t.Fatal(err)
		}
		table, err := tracycsv.Read(dialect, &b)
		if err != nil {
			t.Fatal(err)
		}
		byTable := correlated(t, table)
		want := placed(direct, dynamic)
		if diff := cmp.Diff(want, placed(byTable, true)); diff != "" || byTable.Method != correlate.ByBracket ||
			len(want) != map[bool]int{true: 24, false: 18}[dynamic] {
			t.Errorf("%s: %d dispatches, by %s, warnings %q\n%s", dialect, len(want), byTable.Method,
				byTable.Warnings, diff)
		}
	}
}

func correlated(t *testing.T, source trace.Source) *correlate.Result {
	t.Helper()
	c, err := correlate.Join(source, correlate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Zones of a device that the real client emitted become the dispatches of the calls that waited for them, by the
// device's clock.
func TestCapturedDevice(t *testing.T) {
	_, f := e2e.ReadZones(t, generateCapture(t, "device"))
	c, err := correlate.Join(f, correlate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Invocations) != 2 || len(c.Warnings) > 0 {
		t.Fatalf("%d invocations, warnings %q", len(c.Invocations), c.Warnings)
	}
	for _, inv := range c.Invocations {
		if inv.Verdict != invocations.Clean || len(inv.Iterations) != 3 || len(inv.Dispatches) != 2 {
			t.Fatalf("%s: %s (%s), %d calls, %+v", inv.ID, inv.Verdict, inv.Flags, len(inv.Iterations), inv.Dispatches)
		}
		for i, d := range inv.Dispatches {
			least := float64(1+i) * 1e6
			if d.Name != fmt.Sprintf("gemm_dispatch_%d", i) || d.MinNS < least || d.SourceFile != "model.mlir" ||
				d.SourceLine != 9 {
				t.Errorf("%s: %+v", inv.ID, d)
			}
		}
		for _, it := range inv.Iterations {
			if it.DeviceNS < 3e6 || it.DeviceNS > it.BracketNS || it.DeviceNS != it.DispatchNS+it.GapNS ||
				it.DeviceNS+it.HostNS != it.BracketNS {
				t.Errorf("%s: %d ns on the device, %+v", inv.ID, it.DeviceNS, it.Conservation)
			}
		}
	}
}
