package correlate

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zonemark/invocations"
	"zonemark/invocations/testsize"
	"zonemark/trace"
	"zonemark/trace/dispatchcsv"
)

// zoneList is a source in memory.
type zoneList struct {
	threads []trace.Thread
	zones   []trace.Zone
	err     error // after the zones
}

func (l *zoneList) Threads() []trace.Thread { return l.threads }

func (l *zoneList) Zones() iter.Seq2[trace.Zone, error] {
	return func(yield func(trace.Zone, error) bool) {
		for _, z := range l.zones {
			if !yield(z, nil) {
				return
			}
		}
		if l.err != nil {
			yield(trace.Zone{}, l.err)
		}
	}
}

// node is a zone of a tree that a test writes down.
type node struct {
	name, dynamic, text, file string
	start, end                int64
	unfinished                bool
	below                     []node
}

// list makes a source of the zones of each thread.
func list(threads ...[]node) *zoneList {
	l := &zoneList{threads: make([]trace.Thread, len(threads))}
	locations := map[[2]string]*trace.Location{}
	var ordinal int64
	var walk func(n node, thread, depth int, parent int64)
	walk = func(n node, thread, depth int, parent int64) {
		at := locations[[2]string{n.name, n.file}]
		if at == nil {
			at = &trace.Location{Name: n.name, File: n.file, Line: 7}
			locations[[2]string{n.name, n.file}] = at
		}
		mine := ordinal
		ordinal++
		for _, child := range n.below {
			walk(child, thread, depth+1, mine)
		}
		l.zones = append(l.zones, trace.Zone{
			Ordinal: mine, Parent: parent, Depth: depth, Thread: thread, Location: at, DynamicName: n.dynamic,
			Text:    n.text,
			StartNS: n.start, DurationNS: n.end - n.start, Unfinished: n.unfinished,
		})
	}
	for thread, roots := range threads {
		for _, n := range roots {
			walk(n, thread, 0, -1)
		}
	}
	return l
}

func around(id string, start, end int64, below ...node) node {
	return node{name: "invocation", text: "inv=" + id, start: start, end: end, below: below}
}

func work(name string, start, end int64) node { return node{name: name, start: start, end: end} }

func tile(name string, start, end int64) node {
	return node{name: "iree_hal_cmd_execute_dispatch_tiles", dynamic: name, start: start, end: end}
}

// sketch says of each iteration what it holds, and its flags.
func sketch(c *Result) []string {
	var lines []string
	for _, inv := range c.Invocations {
		for _, it := range inv.Iterations {
			line := fmt.Sprintf("%s/%d", inv.ID, it.Number)
			for _, d := range it.Dispatches {
				line += fmt.Sprintf(" %s[%d+%d n%d t%d]", d.Name, d.StartNS, d.WallNS, d.Workgroups, d.Threads)
			}
			if it.Flags != 0 {
				line += " " + it.Flags.String()
			}
			lines = append(lines, line)
		}
	}
	return lines
}

func TestCorrelate(t *testing.T) {
	const a, b = "main_dispatch_0_a", "main_dispatch_1_b"
	issue := func(start, end int64, below ...node) node {
		return node{name: "iree_hal_local_executable_issue_dispatch_inline", start: start, end: end, below: below}
	}
	wait := func(start, end int64) node { return work("iree_hal_fence_wait", start, end) }
	known := around("x", 0, 1_000_000, wait(10, 999_000))
	for _, c := range []struct {
		name    string
		source  *zoneList
		options Options
		method  Method
		want    []string
		orphans int64
	}{
		{"identical names stay apart", list([]node{
			around("x", 0, 100, issue(10, 40, work(a, 11, 20), work(a, 21, 39)), issue(50, 60, work(b, 51, 59))),
			around("y", 100, 200, issue(110, 130, work(a, 111, 120), work(a, 121, 129)),
				issue(150, 160, work(b, 151, 159))),
		}), Options{}, ByBracket, []string{
			"x/0 " + a + "[10+30 n2 t1] " + b + "[50+10 n1 t1]",
			"y/0 " + a + "[110+20 n2 t1] " + b + "[150+10 n1 t1]",
		}, 0},
		{"workers by time", list(
			[]node{around("x", 0, 100, wait(1, 99)), around("y", 200, 300, wait(201, 299))},
			[]node{tile(a, 10, 30), tile(b, 50, 60), tile(a, 210, 230)},
			[]node{tile(a, 20, 40), tile(b, 55, 70), tile(a, 205, 215)},
		), Options{}, ByBracket, []string{"x/0 " + a + "[10+30 n2 t2] " + b + "[50+20 n2 t2]", "y/0 " + a +
			"[205+25 n2 t2]"}, 0},
		{"the same dispatch twice, another between", list(
			[]node{around("x", 0, 100)}, []node{tile(a, 10, 20), tile(b, 30, 40), tile(a, 50, 60)},
		), Options{}, ByBracket, []string{"x/0 " + a + "[10+10 n1 t1] " + b + "[30+10 n1 t1] " + a + "[50+10 n1 t1]"},
			0},
		{"the same dispatch twice, another between on another thread", list(
			[]node{around("x", 0, 9000)}, []node{tile(a, 10, 20), tile(a, 5000, 6000)}, []node{tile(b, 1000, 2000)},
		), Options{}, ByBracket, []string{"x/0 " + a + "[10+10 n1 t1] " + b + "[1000+1000 n1 t1] " + a +
			"[5000+1000 n1 t1]"}, 0},
		{"one after the other below one zone", list([]node{around("x", 0, 100, work(a, 10, 20), work(b, 30, 40),
			work(a, 50, 60))}),
			Options{}, ByBracket, []string{"x/0 " + a + "[10+10 n1 t1] " + b + "[30+10 n1 t1] " + a + "[50+10 n1 t1]"},
			0},
		{"issued twice in a row", list([]node{around("x", 0, 100, issue(10, 20, work(a, 11, 19)),
			issue(20, 30, work(a, 21, 29)))}),
			Options{}, ByBracket, []string{"x/0 " + a + "[10+10 n1 t1] " + a + "[20+10 n1 t1]"}, 0},
		{"workgroups of any name below an issuing zone", list([]node{around("x", 0, 100, issue(10, 20, work("odd", 11,
			14), work("odd", 15, 19)))}),
			Options{}, ByBracket, []string{"x/0 odd[10+10 n2 t1]"}, 0},
		{"an issuing zone and its workers", list([]node{around("x", 0, 100, issue(10, 30))}, []node{tile(a, 12, 20)},
			[]node{tile(a, 14, 28)}),
			Options{}, ByBracket, []string{"x/0 " + a + "[10+20 n2 t2]"}, 0},
		{"an issuing zone without workgroups", list([]node{around("x", 0, 100, issue(10, 30))}),
			Options{}, ByBracket, []string{"x/0 iree_hal_local_executable_issue_dispatch_inline[10+20 n0 t0] " +
				"no-workgroups"}, 0},
		{"a workgroup inside a workgroup", list([]node{around("x", 0, 100,
			node{name: a, start: 10, end: 30, below: []node{work(a+"_inner", 12, 20)}})}),
			Options{}, ByBracket, []string{"x/0 " + a + "[10+20 n1 t1]"}, 0},
		{"nested brackets", list(
			[]node{around("x", 0, 100, work(a, 5, 10), around("y", 20, 80, work(a, 30, 40)), work(b, 85, 90))},
			[]node{tile(b, 50, 60), tile(a, 92, 95)},
		), Options{}, ByBracket, []string{
			"x/0 " + a + "[5+5 n1 t1] " + b + "[85+5 n1 t1] " + a + "[92+3 n1 t1] nested",
			"y/0 " + a + "[30+10 n1 t1] " + b + "[50+10 n1 t1]",
		}, 0},
		{"overlapping brackets", list(
			[]node{around("x", 0, 100, work(a, 60, 70))}, []node{around("y", 50, 150, work(a, 80, 90))},
			[]node{tile(b, 10, 20), tile(b, 55, 65), tile(b, 110, 120)},
		), Options{}, ByBracket, []string{
			"x/0 " + b + "[10+10 n1 t1] " + a + "[60+10 n1 t1] overlapping",
			"y/0 " + a + "[80+10 n1 t1] " + b + "[110+10 n1 t1] overlapping",
		}, 1},
		{"unfinished", list([]node{{name: "invocation", text: "inv=x", start: 0, end: 100, unfinished: true,
			below: []node{work(a, 10, 20)}}}),
			Options{}, ByBracket, []string{"x/0 " + a + "[10+10 n1 t1] unfinished"}, 0},
		{"a workgroup across the end", list([]node{around("x", 0, 100, work("host", 1, 2))},
			[]node{tile(a, 90, 110), tile(a, 200, 210)}),
			Options{}, ByBracket, []string{"x/0 straddled"}, 2},
		{"a lost thread", list([]node{known}), Options{}, ByBracket, []string{"x/0 unexplained"}, 0},
		{"a thread that is there", list([]node{known}, []node{tile(a, 40_000, 980_000)}), Options{}, ByBracket,
			[]string{"x/0 " + a + "[40000+940000 n1 t1]"}, 0},
		{"nothing in the bracket", list([]node{around("x", 0, 100)}), Options{}, ByBracket, []string{"x/0 empty"}, 0},
		{"an iteration that lost a dispatch", list([]node{
			around("x", 0, 10, work(a, 1, 2), work(b, 3, 4)), around("x", 10, 20, work(a, 11, 12), work(b, 13, 14)),
			around("x", 20, 30, work(a, 21, 22)),
		}), Options{}, ByBracket, []string{
			"x/0 " + a + "[1+1 n1 t1] " + b + "[3+1 n1 t1]", "x/1 " + a + "[11+1 n1 t1] " + b + "[13+1 n1 t1]", "x/2 " +
				a + "[21+1 n1 t1] lacking",
		}, 0},
		{"an iteration that was too short for a dispatch", list([]node{
			around("x", 0, 90, work(a, 1, 2), work(b, 3, 83)), around("x", 100, 190, work(a, 101, 102), work(b, 103,
				183)), around("x", 200, 210, work(a, 201, 202)),
		}), Options{}, ByBracket, []string{
			"x/0 " + a + "[1+1 n1 t1] " + b + "[3+80 n1 t1]", "x/1 " + a + "[101+1 n1 t1] " + b + "[103+80 n1 t1]",
			"x/2 " + a + "[201+1 n1 t1] differs",
		}, 0},
		{"empty calls, and one that lasted as long as the others", list([]node{
			around("x", 0, 10), around("x", 100, 190, work(a, 101, 182)), around("x", 200, 290, work(a, 201, 281)),
			around("x", 300, 390), around("x", 400, 439),
		}), Options{}, ByBracket, []string{
			"x/0 differs", "x/1 " + a + "[101+81 n1 t1]", "x/2 " + a + "[201+80 n1 t1]", "x/3 empty lacking",
			"x/4 differs",
		}, 0},
		{"an iteration with one dispatch more", list([]node{
			around("x", 0, 90, work(a, 1, 2), work(b, 3, 83)), around("x", 100, 190, work(a, 101, 102)),
			around("x", 200, 290, work(a, 201, 202)),
		}), Options{}, ByBracket, []string{"x/0 " + a + "[1+1 n1 t1] " + b + "[3+80 n1 t1] differs", "x/1 " + a +
			"[101+1 n1 t1]", "x/2 " + a + "[201+1 n1 t1]"}, 0},
		{"issued with fewer workgroups, in as much time and in less", list([]node{
			around("x", 0, 90, issue(10, 50, work(a, 10, 30), work(a, 30, 50))),
			around("x", 100, 190, issue(110, 150, work(a, 110, 130), work(a, 130, 150))),
			around("x", 200, 290, issue(210, 250, work(a, 210, 230))), around("x", 300, 390, issue(310, 331, work(a,
				310, 330))),
		}), Options{}, ByBracket, []string{
			"x/0 " + a + "[10+40 n2 t1]", "x/1 " + a + "[110+40 n2 t1]", "x/2 " + a + "[210+40 n1 t1] lacking", "x/3 " +
				a + "[310+21 n1 t1] differs",
		}, 0},
		{"warm-up has no vote", list([]node{
			around("x", 0, 90, work(a, 1, 82)), around("x", 100, 190, work(a, 101, 182)),
			around("x", 200, 290, work(b, 201, 281)),
		}), Options{WarmupIterations: 2}, ByBracket, []string{"x/0 " + a + "[1+81 n1 t1] differs", "x/1 " + a +
			"[101+81 n1 t1] differs", "x/2 " + b + "[201+80 n1 t1]"}, 0},
		{"empty zones on a boundary", list([]node{around("x", 0, 10, work(a, 10, 10)),
			around("y", 10, 20, work(b, 10, 10))}),
			Options{}, ByBracket, []string{"x/0 " + a + "[10+0 n1 t1]", "y/0 " + b + "[10+0 n1 t1]"}, 0},
		{"source files, calls of the runtime", list([]node{
			{name: "iree_vm_invoke", start: 0, end: 50, below: []node{{name: a, file: "inv://0042/f", start: 5,
				end: 9}}},
			{name: "iree_vm_invoke", start: 50, end: 100, below: []node{{name: a, file: "inv://0043/f", start: 55,
				end: 59}}},
			{name: "iree_vm_invoke", start: 100, end: 150, below: []node{{name: a, file: "inv://0042/f", start: 105,
				end: 109}}},
		}), Options{}, ByFile, []string{"0042/0 " + a + "[5+4 n1 t1]", "0042/1 " + a + "[105+4 n1 t1]", "0043/0 " + a +
			"[55+4 n1 t1]"}, 0},
		{"source files alone", list([]node{{name: a, file: "inv://1/f", start: 5, end: 9},
			{name: b, file: "inv://2/f", start: 15, end: 19}, {name: a, file: "inv://1", start: 25, end: 29}}),
			Options{}, ByFile, []string{"1/0 " + a + "[5+24 n2 t1] no-bracket", "2/0 " + b + "[15+4 n1 t1] no-bracket"},
			0},
		{"two invocations in one call", list([]node{{name: "iree_vm_invoke", start: 0, end: 50, below: []node{
			{name: a, file: "inv://1/f", start: 5, end: 9}, {name: a, file: "inv://2/f", start: 15, end: 19}}}}),
			Options{}, ByFile, []string{"1/0 " + a + "[5+4 n1 t1] mixed", "2/0 " + a + "[15+4 n1 t1] mixed"}, 0},
		{"rules", list([]node{
			{name: "Run", dynamic: "Run 17", start: 0, end: 50, below: []node{work("kernel/softmax", 5, 9)}},
			{name: "Run", dynamic: "Run 18", start: 50, end: 100, below: []node{work("kernel/softmax", 55, 59)}},
		}), Options{Rules: []Rule{
			{Zone: regexp.MustCompile(`^Run (\d+)$`), Invocation: "id$1"},
			{Zone: regexp.MustCompile(`^kernel/(?P<what>.*)`), Dispatch: "${what}_0"},
		}}, ByRule, []string{"id17/0 softmax_0[5+4 n1 t1]", "id18/0 softmax_0[55+4 n1 t1]"}, 0},
		{"rules without brackets", list([]node{work("p7 gemm", 5, 9), work("p8 gemm", 15, 19)}),
			Options{Rules: []Rule{{Zone: regexp.MustCompile(`^p(\d) (\w+)`), Invocation: "$1", Dispatch: "$2"}}},
			ByRule, []string{"7/0 gemm[5+4 n1 t1] no-bracket", "8/0 gemm[15+4 n1 t1] no-bracket"}, 0},
		{"nothing to go by", list([]node{work(a, 5, 9)}), Options{}, "", nil, 1},
		{"incomplete", &zoneList{zones: list([]node{around("x", 0, 100, work(a, 10, 20))}).zones,
			err: errors.New("cut")},
			Options{}, ByBracket, []string{"x/0 " + a + "[10+10 n1 t1] partial"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Join(c.source, c.options)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, sketch(got)); diff != "" || got.Method != c.method ||
				got.OrphanCount != c.orphans {
				t.Errorf("method %s, %d orphans, %q\n%s", got.Method, got.OrphanCount, got.Warnings, diff)
			}
			for _, inv := range got.Invocations {
				if inv.Flags.PartialTrace() != (inv.Verdict == invocations.PartialTrace) {
					t.Errorf("flags %s, verdict %s", inv.Flags, inv.Verdict)
				}
				for i := range inv.Iterations {
					checkConserved(t, &inv.Iterations[i])
				}
			}
		})
	}
}

// TestCorrelateWarmup: what happened during warm-up does not count against an invocation, unless there is nothing else.
func TestCorrelateWarmup(t *testing.T) {
	const a = "main_dispatch_0_a"
	source := list([]node{around("x", 0, 90), around("x", 100, 190, work(a, 101, 182)),
		around("x", 200, 290, work(a, 201, 281))})
	for warmup, want := range map[int]struct {
		verdict invocations.Verdict
		flags   Flags
	}{0: {invocations.PartialTrace, Empty | Lacking}, 1: {invocations.Clean, 0},
		3: {invocations.PartialTrace, Empty | Lacking}} {
		c, err := Join(source, Options{WarmupIterations: warmup})
		if err != nil {
			t.Fatal(err)
		}
		if it := c.Invocations[0].Iterations[0]; it.HostNS != 0 || it.UnexplainedNS != 90 {
			t.Errorf("a call without any zone: host %d, unexplained %d", it.HostNS, it.UnexplainedNS)
		}
		for i, it := range c.Invocations[0].Iterations { // no call is warm-up if all would be
			if it.Warmup != (i < warmup && warmup < 3) {
				t.Errorf("%d of 3 calls are warm-up: call %d is marked %v", warmup, i, it.Warmup)
			}
		}
		if inv := c.Invocations[0]; inv.Verdict != want.verdict || inv.Flags != want.flags ||
			inv.Iterations[0].Flags != Empty|Lacking {
			t.Errorf("warm-up %d: %s, flags %s, first iteration %s", warmup, inv.Verdict, inv.Flags,
				inv.Iterations[0].Flags)
		}
	}
}

func TestParseRule(t *testing.T) {
	calls := list([]node{
		{name: "Run", dynamic: "Run 17", start: 0, end: 50, below: []node{work("kernel/softmax", 5, 9)}},
		{name: "Run", dynamic: "Run 18", start: 50, end: 100, below: []node{work("kernel/softmax", 55, 59),
			work("p17 gemm", 60, 61)}},
	})
	for _, c := range []struct {
		rules []string
		want  []string
	}{
		{[]string{`^Run (?P<invocation>\d+)$`, `^kernel/(?P<dispatch>.*)`},
			[]string{"17/0 softmax[5+4 n1 t1]", "18/0 softmax[55+4 n1 t1]"}},
		{[]string{`^p(?P<invocation>\d+) (?P<dispatch>\w+)`}, []string{"17/0 gemm[60+1 n1 t1] no-bracket"}},
		{[]string{`^(?P<invocation>Run)`, `^kernel/(?P<dispatch>soft)|(?P<dispatch>gemm)`}, []string{
			"Run/0 soft[5+4 n1 t1] lacking", "Run/1 soft[55+4 n1 t1] gemm[60+1 n1 t1]"}},
		// an empty dispatch is none
		{[]string{`^Run (?P<invocation>\d*)x?`, `(?P<dispatch>y*)softmax`}, []string{"17/0", "18/0"}},
	} {
		var o Options
		for _, text := range c.rules {
			rule, err := ParseRule(text)
			if err != nil {
				t.Fatal(err)
			}
			o.Rules = append(o.Rules, rule)
		}
		got, err := Join(calls, o)
		if diff := cmp.Diff(c.want, sketch(got)); err != nil || got.Method != ByRule || diff != "" {
			t.Errorf("%q: %v, method %s\n%s", c.rules, err, got.Method, diff)
		}
	}
	if _, err := ParseRule("invoke"); err == nil || !strings.Contains(err.Error(), "(?P<dispatch>…)") {
		t.Errorf("a rule without groups: %v", err)
	}
}

func TestCorrelateErrors(t *testing.T) {
	cut := errors.New("cut")
	if _, err := Join(&zoneList{err: cut}, Options{}); !errors.Is(err, cut) {
		t.Errorf("no zones: %v", err)
	}
	if _, err := Join(list(), Options{Rules: []Rule{{Invocation: "x"}}}); err == nil ||
		!strings.Contains(err.Error(), "rule 1") {
		t.Errorf("a rule without an expression: %v", err)
	}
	if _, err := Join(&zoneList{zones: make([]trace.Zone, 1)}, Options{}); err == nil {
		t.Error("a zone without a location passes")
	}
}

func TestCorrelateSummary(t *testing.T) {
	var roots []node
	for i := range int64(1000) {
		for k := range int64(4) { // wall 10, 20, 30, 40
			at := 1000*(4*i+k) + 1
			roots = append(roots, around(fmt.Sprint("id", i), at, at+900, work("x_dispatch_0", at+100, at+110+10*k),
				work("x_dispatch_1", at+300, at+350)))
		}
	}
	c, err := Join(list(roots), Options{WarmupIterations: 1, Known: map[string]string{"id0": "zero"}})
	if err != nil || len(c.Invocations) != 1000 || len(c.Warnings) != 999 {
		t.Fatalf("%d invocations, %d warnings, %v", len(c.Invocations), len(c.Warnings), err)
	}
	if c.Invocations[0].Name != "zero" {
		t.Errorf("name %q", c.Invocations[0].Name)
	}
	want := []invocations.Dispatch{
		{Name: "x_dispatch_0", Count: 3, MedianNS: 30, MinNS: 20, TotalNS: 90, P10NS: 22, P90NS: 38,
			Workgroups: 1, Threads: 1,
			SourceLine: 7},
		{Name: "x_dispatch_1", Ordinal: 1, Count: 3, MedianNS: 50, MinNS: 50, TotalNS: 150, P10NS: 50, P90NS: 50,
			Workgroups: 1, Threads: 1,
			SourceLine: 7},
	}
	for _, inv := range c.Invocations {
		if diff := cmp.Diff(want, inv.Dispatches); diff != "" || !inv.Iterations[0].Warmup ||
			inv.Iterations[1].Warmup || inv.HostNS != 650 || inv.GapNS != 170 || inv.Verdict != invocations.Clean {
			t.Fatalf("%s: %+v\n%s", inv.ID, inv, diff)
		}
	}
	var b bytes.Buffer
	if err := dispatchcsv.Write(&b, c.Rows()); err != nil {
		t.Fatal(err)
	}
	rows, err := dispatchcsv.Read("d.csv", &b)
	if diff := cmp.Diff(c.Rows(), rows); diff != "" || err != nil || len(rows) != 8000 {
		t.Errorf("%d rows, %v\n%s", len(rows), err, diff)
	}
}

// Rows that stand for many calls leave empty what belongs to one.
func TestSummaryRows(t *testing.T) {
	rows := []dispatchcsv.Row{
		{Invocation: "a", Name: "n", Dispatch: "d", StartNS: 3, DurationNS: 4, TotalNS: 5, Workgroups: 6, Threads: 1},
		{Invocation: "b", Name: "n", Ordinal: 1, Dispatch: "e", DurationNS: 4, Workgroups: 6, Threads: 1, Calls: 50},
	}
	var b bytes.Buffer
	if err := dispatchcsv.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	const want = "invocation,invocation_name,iteration,warmup,ordinal,dispatch,source_file,source_line,start_ns," +
		"duration_ns,total_ns,workgroups,threads,gap_before_ns,flags,calls,p10_ns,p90_ns,quiet_share,disturbed\n" +
		"a,n,0,false,0,d,,0,3,4,5,6,1,0,,,,,,\nb,n,,,1,e,,,,4,,6,1,,,50,,,,\n"
	if got := b.String(); got != want {
		t.Errorf("wrote\n%swant\n%s", got, want)
	}
	if back, err := dispatchcsv.Read("d.csv", &b); err != nil || !cmp.Equal(back, rows) {
		t.Errorf("read %+v, error %v", back, err)
	}
}

// randomForest fills a stretch of time with zones of random names and depths.
func randomForest(r *rand.Rand, start, end int64, depth int) []node {
	var nodes []node
	for at := start; depth > 0 && at < end; {
		from := at + r.Int64N(end-at+1)
		to := from + r.Int64N(end-from+1)
		names := []string{"host", "a_dispatch_0", "a_dispatch_1", "iree_hal_local_executable_issue_dispatch_inline",
			"iree_hal_fence_wait"}
		nodes = append(nodes, node{name: names[r.IntN(len(names))], start: from, end: to,
			below: randomForest(r, from, to, depth-1)})
		at = to + 1
	}
	return nodes
}

func TestCorrelateConserves(t *testing.T) {
	for seed := range uint64(testsize.Of(60, 300)) {
		r := rand.New(rand.NewPCG(seed, 4))
		threads := make([][]node, 1+r.IntN(4))
		at := int64(0)
		for i := range 5 {
			start := at + r.Int64N(1000)
			at = start + r.Int64N(1_000_000)
			threads[0] = append(threads[0], around(fmt.Sprint(i%3), start, at, randomForest(r, start, at, 4)...))
		}
		for i := 1; i < len(threads); i++ {
			threads[i] = randomForest(r, 0, at, 5)
		}
		source := list(threads...)
		c, err := Join(source, Options{})
		if err != nil {
			t.Fatal(err)
		}
		placed := c.Outside
		for _, inv := range c.Invocations {
			for i := range inv.Iterations {
				checkConserved(t, &inv.Iterations[i])
				placed += inv.Iterations[i].Zones
			}
		}
		if placed != int64(len(source.zones)) || c.Zones != placed {
			t.Errorf("seed %d: %d of %d zones are placed", seed, placed, len(source.zones))
		}
		// the order in which threads come does not matter
		slices.SortStableFunc(source.zones, func(a, b trace.Zone) int { return b.Thread - a.Thread })
		other, err := Join(source, Options{})
		if diff := cmp.Diff(c.Invocations, other.Invocations); diff != "" || err != nil {
			t.Errorf("seed %d: threads in another order: %v\n%s", seed, err, diff)
		}
	}
}

// A source that was cut makes every invocation doubtful, except those whose calls are known to be all there.
func TestCorrelateKnownCalls(t *testing.T) {
	call := func(id string, start int64) node {
		return node{name: "invocation", text: "inv=" + id, start: start, end: start + 100,
			below: []node{{name: "f_dispatch_0", start: start + 10, end: start + 90}}}
	}
	first := call("whole", 0)
	first.text += "\nname=a product"
	src := list([]node{first, call("whole", 200), call("cut", 400)})
	src.err = errors.New("the file ends here")
	c, err := Join(src, Options{Calls: map[string]int64{"whole": 2, "cut": 2}})
	if err != nil {
		t.Fatal(err)
	}
	for _, inv := range c.Invocations {
		if partial := inv.Verdict == invocations.PartialTrace; partial != (inv.ID == "cut") {
			t.Errorf("%s: verdict %s, flags %s", inv.ID, inv.Verdict, inv.Flags)
		}
	}
	if c.Invocations[0].Name != "a product" || c.Invocations[1].Name != "" {
		t.Errorf("names: %q, %q", c.Invocations[0].Name, c.Invocations[1].Name)
	}
	if c, err = Join(src, Options{}); err != nil || len(c.Invocations) != 2 ||
		c.Invocations[0].Verdict != invocations.PartialTrace {
		t.Errorf("without calls: %+v, %v", c, err)
	}
}
