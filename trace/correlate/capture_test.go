package correlate

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zonemark/invocations"
	"zonemark/trace"
	"zonemark/trace/tracycsv"
)

func correlateCapture(t *testing.T, file string, o Options) *Result {
	t.Helper()
	f, err := trace.Open(filepath.Join("..", "testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, err := Join(f, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCorrelateBracketedCapture: ten ids three times; the first ten brackets call nothing, the other twenty call mlp,
// of 16, 16 and 8 workgroups.
func TestCorrelateBracketedCapture(t *testing.T) {
	c := correlateCapture(t, "iree_mlp_bracketed.tracy", Options{})
	if c.Method != ByBracket || len(c.Invocations) != 10 || c.OrphanCount != 0 || c.Partial {
		t.Fatalf("method %s, %d invocations, %d orphans, partial %t, %q", c.Method, len(c.Invocations), c.OrphanCount,
			c.Partial, c.Warnings)
	}
	want := []struct {
		name       string
		workgroups int
	}{{"mlp_dispatch_0_matmul_64x512x256_f32", 16}, {"mlp_dispatch_1_matmul_64x128x512_f32", 16},
		{"mlp_dispatch_2_softmax_64x128xf32_dispatch_tensor_store", 8}}
	for _, inv := range c.Invocations {
		if len(inv.Iterations) != 3 || inv.Flags != Differs || inv.Verdict != invocations.Clean {
			t.Fatalf("%s: %d iterations, flags %s, %s", inv.ID, len(inv.Iterations), inv.Flags, inv.Verdict)
		}
		for _, it := range inv.Iterations {
			checkConserved(t, &it)
			if it.Number == 0 {
				if len(it.Dispatches) != 0 || it.Zones != 0 || it.Flags != Differs {
					t.Errorf("%s, empty call: %d dispatches, %d zones, flags %s", inv.ID, len(it.Dispatches), it.Zones,
						it.Flags)
				}
				continue
			}
			if len(it.Dispatches) != len(want) || it.Flags != 0 || it.workgroups() != 40 {
				t.Fatalf("%s, %d: %d dispatches, flags %s", inv.ID, it.Number, len(it.Dispatches), it.Flags)
			}
			for i, d := range it.Dispatches {
				if d.Name != want[i].name || d.Workgroups != want[i].workgroups || d.SourceFile != "mods/mlp.mlir" ||
					d.SourceLine != 2 || !d.Issued || d.TotalNS > d.WallNS || d.Threads != 1 {
					t.Errorf("%s, %d: %+v", inv.ID, it.Number, d)
				}
			}
		}
	}
}

// TestCorrelateWorkers joins a capture without brackets by a rule. Its workgroups ran on two worker threads, as 2, 2
// and 8 reservations a call.
func TestCorrelateWorkers(t *testing.T) {
	options := Options{Rules: []Rule{{Zone: regexp.MustCompile(`^(Benchmark)Iteration$`), Invocation: "m", Name: "$1"}},
		WarmupIterations: 2}
	c := correlateCapture(t, "iree_mlp_local-task.tracy", options)
	if c.Method != ByRule || len(c.Invocations) != 1 || c.OrphanCount != 0 {
		t.Fatalf("method %s, %d invocations, %d orphans", c.Method, len(c.Invocations), c.OrphanCount)
	}
	inv := c.Invocations[0]
	if len(inv.Iterations) != 20 || inv.Name != "Benchmark" || len(inv.Dispatches) != 3 ||
		inv.Dispatches[0].Count != 18 {
		t.Fatalf("%d iterations, %+v", len(inv.Iterations), inv.Dispatches)
	}
	// four calls waited for milliseconds on a busy machine
	if inv.Flags != Unexplained || inv.Verdict != invocations.Contended {
		t.Errorf("flags %s, verdict %s", inv.Flags, inv.Verdict)
	}
	sums := [3]int{}
	for _, it := range inv.Iterations {
		checkConserved(t, &it)
		for i, d := range it.Dispatches {
			sums[i] += d.Workgroups
		}
	}
	if sums != [3]int{40, 40, 160} {
		t.Errorf("workgroups %v", sums)
	}
}

// TestVerdictOfWaits has calls that waited for nothing that is known, five of them to warm up.
func TestVerdictOfWaits(t *testing.T) {
	for _, c := range []struct {
		calls  string // w: it waited
		flags  Flags
		expect invocations.Verdict
	}{
		{"..... ......", 0, invocations.Clean},
		{"..... ..w..w", 0, invocations.Contended},
		{"..... w", 0, invocations.Contended}, // a busy machine has let one call count
		{"wwwww w.....", 0, invocations.Contended},
		{"wwwww wwwwww", 0, invocations.PartialTrace},
		{"w.w.w ww.w..", 0, invocations.PartialTrace},
		{".ww", 0, invocations.PartialTrace},
		{"..... ..w..w", NoWorkgroups, invocations.PartialTrace},
	} {
		inv := Invocation{}
		for i, call := range strings.ReplaceAll(c.calls, " ", "") {
			it := Iteration{Number: i, Flags: c.flags}
			if call == 'w' {
				it.Flags |= Unexplained
			}
			inv.Iterations = append(inv.Iterations, it)
		}
		inv.markWarmup(UsualWarmup)
		if inv.summarize(); inv.Verdict != c.expect {
			t.Errorf("%s with flags %q: %s, want %s", c.calls, c.flags, inv.Verdict, c.expect)
		}
	}
}

func checkConserved(t *testing.T, it *Iteration) {
	t.Helper()
	if sum := it.DispatchNS + it.GapNS + it.HostNS + it.UnexplainedNS; sum != it.BracketNS ||
		min(it.DispatchNS, it.GapNS, it.HostNS, it.UnexplainedNS, it.OverlapNS) < 0 {
		t.Errorf("not conserved: %+v", it.Conservation)
	}
	var walls int64
	for i := range it.Dispatches {
		walls += it.Dispatches[i].WallNS
	}
	if walls != it.DispatchNS+it.OverlapNS {
		t.Errorf("dispatches sum to %d: %+v", walls, it.Conservation)
	}
}

// TestCorrelateLostThreads takes the zones of worker threads from a capture: what the invoking thread waited for is
// gone, and the result says so.
func TestCorrelateLostThreads(t *testing.T) {
	f, err := trace.Open(filepath.Join("..", "testdata", "iree_mlp_local-task.tracy"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	options := Options{Rules: []Rule{{Zone: regexp.MustCompile(`^BenchmarkIteration$`), Invocation: "m"}}}
	for _, c := range []struct {
		lost    []int
		flagged int
	}{{nil, 4}, {[]int{2, 3}, 20}} {
		kept := &zoneList{threads: f.Threads()}
		for z, err := range f.Zones() {
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(c.lost, z.Thread) {
				kept.zones = append(kept.zones, z)
			}
		}
		result, err := Join(kept, options)
		if err != nil {
			t.Fatal(err)
		}
		inv, flagged := result.Invocations[0], 0
		for _, it := range inv.Iterations {
			checkConserved(t, &it)
			if it.Flags&Unexplained != 0 {
				flagged++
			}
		}
		if flagged != c.flagged || (inv.Verdict == invocations.PartialTrace) != (c.lost != nil) {
			t.Errorf("without threads %d: %d iterations flagged, %s", c.lost, flagged, inv.Verdict)
		}
	}
}

// TestCorrelateTable correlates the exporter's table of a capture, whose nesting had to be recovered, and gets what the
// capture itself gives. The exporter lost the texts of the brackets, so both go by a rule.
func TestCorrelateTable(t *testing.T) {
	table, err := tracycsv.Open(filepath.Join("..", "testdata", "iree_mlp_bracketed.u.csv"))
	if err != nil {
		t.Fatal(err)
	}
	options := Options{BracketName: "none", Rules: []Rule{{Zone: regexp.MustCompile(`^invocation$`),
		Invocation: "mlp"}}}
	got, err := Join(table, options)
	if err != nil {
		t.Fatal(err)
	}
	want := correlateCapture(t, "iree_mlp_bracketed.tracy", options)
	if diff := cmp.Diff(want.Invocations, got.Invocations, onAnyThread); diff != "" || got.Method != ByRule ||
		len(got.Invocations) != 1 || got.OrphanCount != 0 {
		t.Errorf("method %s, %d invocations, %d orphans\n%s", got.Method, len(got.Invocations), got.OrphanCount, diff)
	}
	if n := len(got.Rows()); n != 60 {
		t.Errorf("%d dispatches", n)
	}
}

// TestCorrelateOwnTable does the same through our own dialect, which holds texts and dynamic names, for workgroups by
// nesting and by time.
func TestCorrelateOwnTable(t *testing.T) {
	for file, options := range map[string]Options{
		"iree_mlp_bracketed.tracy": {},
		"iree_mlp_local-task.tracy": {Rules: []Rule{{Zone: regexp.MustCompile(`^BenchmarkIteration$`),
			Invocation: "m"}}},
	} {
		f, err := trace.Open(filepath.Join("..", "testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var b bytes.Buffer
		if err := tracycsv.Write(&b, f, tracycsv.Options{Unwrap: true}); err != nil {
			t.Fatal(err)
		}
		table, err := tracycsv.Read("t", &b)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Join(table, options)
		if err != nil {
			t.Fatal(err)
		}
		want := correlateCapture(t, file, options)
		if diff := cmp.Diff(want.Invocations, got.Invocations, onAnyThread); diff != "" || got.Method != want.Method ||
			got.Zones != want.Zones {
			t.Errorf("%s: method %s, %d zones\n%s", file, got.Method, got.Zones, diff)
		}
	}
}

// TestCorrelateRepeatedText: in the exporter's tables a text may be that of another zone, and a correlation that rests
// on such texts says so.
func TestCorrelateRepeatedText(t *testing.T) {
	const rows = "name,src_file,src_line,ns_since_start,exec_time_ns,thread,value\n" +
		"invocation,d.go,1,0,100,1,inv=1\ninvocation,d.go,1,200,100,1,inv=1\nx_dispatch_0,m,2,210,50,1,\n"
	table, err := tracycsv.Read("t", strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	c, err := Join(table, Options{})
	if err != nil || len(c.Invocations) != 1 || len(c.Invocations[0].Iterations) != 2 {
		t.Fatalf("%+v, %v", c, err)
	}
	if !slices.ContainsFunc(c.Warnings, func(w string) bool { return strings.Contains(w, "repeats the last text") }) {
		t.Errorf("warnings %q", c.Warnings)
	}
}

// onAnyThread ignores the index of the invoking thread: a table may number threads in a way of its own.
var onAnyThread = cmp.Transformer("onAnyThread", func(it Iteration) iterationOnAnyThread {
	it.Thread = 0
	return iterationOnAnyThread(it)
})

// iterationOnAnyThread is an iteration whose thread was left out: a table numbers threads in a way of its own.
type iterationOnAnyThread Iteration
