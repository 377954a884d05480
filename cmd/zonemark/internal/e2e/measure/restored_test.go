package measure

import (
	"slices"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/invocations"
	"zonemark/invocations/testsize"
)

// drifting measures a function of drift.c.
func drifting(t *testing.T, function string, args ...string) invocations.Record {
	t.Helper()
	all := []string{"run", e2e.Testdata(t, "drift", "drift.c"), "--function", function, "--launches", "2", "--min-time", "10ms",
		"--max-time", "500ms"}
	return e2e.Timed(t, e2e.Measured(t, append(all, args...)...), function)
}

// noteOf returns the note with a text; "" if there is none.
func noteOf(r invocations.Record, text string) string {
	if i := slices.IndexFunc(r.Notes, func(n string) bool { return strings.Contains(n, text) }); i >= 0 {
		return r.Notes[i]
	}
	return ""
}

// TestRestored measures functions that change their arguments, each of which takes another time on what its first calls
// have left: the row says so, and is that of calls on what they are meant to see. Rows used to be those of sorted data,
// of what is not a number, or of nothing left to do, and were clean. The small size has two of the functions.
func TestRestored(t *testing.T) {
	functions := []struct {
		function string
		args     []string
		how      string // the note says of what calls have left
	}{
		{"insertion", []string{"--param", "n=500"}, "as fast"},
		{"machine", []string{"--param", "n=1000", "--input", "state=zeros"}, "as fast"},
		{"decay", []string{"--param", "n=500"}, "as fast"},
		{"lu", []string{"--param", "n=32"}, "as fast"},
		{"gram_schmidt", []string{"--param", "n=24", "--param", "m=32"}, "as fast"},
		{"fft", []string{"--param", "n=256"}, "as fast"},
	}
	for _, c := range functions[:testsize.Of(2, len(functions))] {
		r := drifting(t, c.function, c.args...)
		if note := noteOf(r, "original contents"); !r.Restored || !strings.Contains(note, c.how) {
			t.Errorf("%s: restored: %t, %q", c.function, r.Restored, note)
		}
	}
}

// TestReordered measures functions whose branches the processor learns if random contents repeat: their rows were clean
// with a quarter of the time that they take on any other contents. What is given keeps its order, and never means never.
func TestReordered(t *testing.T) {
	for _, c := range []struct {
		function string
		args     []string
		want     invocations.Fresh
	}{
		{"quick", nil, invocations.Fresh{Restored: true, Reordered: true}},
		{"adds_small", nil, invocations.Fresh{Reordered: true}},
		{"adds_small", []string{"--reorder", "never"}, invocations.Fresh{}},
		{"adds_small", []string{"--input", "x=iota"}, invocations.Fresh{}},
	} {
		r := drifting(t, c.function, slices.Concat([]string{"--param", "n=1000"}, c.args)...)
		note := noteOf(r, "random contents are put into another order before each call")
		if (invocations.Fresh{Restored: r.Restored, Reordered: r.Reordered}) != c.want || (note != "") != c.want.Reordered {
			t.Errorf("%s %v: restored %t, reordered %t, %q", c.function, c.args, r.Restored, r.Reordered, note)
		}
		if why := noteOf(r, "original contents"); (why != "") != c.want.Restored {
			t.Errorf("%s %v: restored %t, %q", c.function, c.args, r.Restored, why)
		}
	}
}

// TestRestoredIfWanted: the user decides, in every mode. The small size has one mode that calls one at a time, and one
// with batches.
func TestRestoredIfWanted(t *testing.T) {
	args := []string{"--param", "n=500"}
	wishes := []struct {
		args  []string
		want  bool
		batch int64 // calls; 0: any number
	}{
		{[]string{"--restore", "never"}, false, 0},
		{[]string{"--mode", "serialized"}, true, 0},
		{[]string{"--calls-per-batch", "50"}, true, 50},
		{[]string{"--restore", "always"}, true, 0},
		{[]string{"--mode", "cold", "--input-sets-minimum-size-mb", "1"}, true, 0},
		{[]string{"--mode", "flush"}, true, 0},
	}
	for _, c := range wishes[:testsize.Of(3, len(wishes))] {
		r := drifting(t, "insertion", slices.Concat(args, c.args)...)
		if note := noteOf(r, "restored before each call"); r.Restored != c.want || (note != "") != c.want {
			t.Errorf("%v: restored: %t, %q", c.args, r.Restored, note)
		}
		if c.batch != 0 && *r.CallsPerBatch != c.batch {
			t.Errorf("%v: %d calls a batch", c.args, *r.CallsPerBatch)
		}
	}
}

// TestAccumulatingIsNotRestored measures a product that is added to what is there. Its time does not depend on that, and
// nothing is restored. On a busy machine, fifteen pairs of batches may agree by chance, but not again and again; the
// decision itself is tested with scripts: TestWearMatters in package executor.
func TestAccumulatingIsNotRestored(t *testing.T) {
	const most = 4
	for range most {
		if r := drifting(t, "matmul", "--param", "n=32"); !r.Restored && noteOf(r, "original contents") == "" {
			return
		}
	}
	t.Errorf("it was restored %d times", most)
}

// TestCallsLeaveMore measures functions that leave something outside of what is restored, which changes the time of later
// calls, or the rest of the memory. Their rows were those of sorted data, and clean.
func TestCallsLeaveMore(t *testing.T) {
	for _, c := range []struct {
		function string
		args     []string
		want     string
	}{
		{"sorts_static", nil, "the first call of a launch takes"},
		{"sorts_const", []string{"--param", "n=500"}, "calls change argument 2 (y), which is declared as an input only"},
		{"strays", []string{"--param", "n=500"}, "calls write behind the end of argument 2 (y)"},
	} {
		if r := drifting(t, c.function, c.args...); noteOf(r, c.want) == "" {
			t.Errorf("%s: %q", c.function, r.Notes)
		}
	}
}

// TestStateThatComesBack: an even number of calls leaves what there was at first, and yet each second call has less to do.
// The figure was the mean of both, in half of the runs. On a busy machine other work may hide it, but not again and again.
func TestStateThatComesBack(t *testing.T) {
	args := []string{"--param", "n=150000", "--input", "f=0", "--calls-per-batch", "4"} // too long for one before each batch
	const most = 4
	for range most {
		if drifting(t, "flips", args...).Restored {
			return
		}
	}
	t.Errorf("it was not restored in any of %d runs", most)
}
