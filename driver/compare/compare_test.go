package compare

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zonemark/invocations"
)

// timed returns a measurement of launches around ns, with a spread of 0.2 %.
func timed(name string, rng *rand.Rand, ns float64) Measurement {
	m := Measurement{ID: "id of " + name, Name: name, Status: invocations.OK, OwnClock: 1}
	for range 10 {
		m.Reference.Launches = append(m.Reference.Launches, ns*math.Exp(0.002*rng.NormFloat64()))
		m.Time.Launches = append(m.Time.Launches, ns*math.Exp(0.2*rng.NormFloat64())) // with what the clock does
	}
	return m
}

func setOf(list ...Measurement) *Set { return &Set{Measurements: list} }

func TestVerdicts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	noisy := timed("noisy", rng, 100)
	noisy.Reference.Half = 0.2
	noisyNew := timed("noisy", rng, 103)
	noisyNew.Reference.Half = 0.2
	contended := timed("contended", rng, 150)
	contended.Verdicts = []invocations.Verdict{invocations.Contended}
	dropped := timed("dropped", rng, 150)
	dropped.Verdicts = []invocations.Verdict{invocations.Contended, invocations.Slower}
	crashed := Measurement{ID: "id of crashes", Name: "crashes", Status: invocations.Crashed}
	single := Measurement{Name: "single", Status: invocations.OK, Time: Values{Launches: []float64{100}}}
	singleNew := Measurement{Name: "single", Status: invocations.OK, Time: Values{Launches: []float64{200}}}
	checked := Measurement{Name: "checked", Status: invocations.OK}
	untimed := Measurement{ID: "id of untimed", Name: "untimed", Status: invocations.OK}
	rows := Compare(
		setOf(timed("same", rng, 100), timed("slower", rng, 100), timed("faster", rng, 100), noisy,
			timed("contended", rng, 100), dropped, timed("crashes", rng, 100), timed("gone", rng, 100), single, checked, timed("untimed", rng, 100)),
		setOf(timed("same", rng, 100), timed("slower", rng, 102), timed("faster", rng, 90), noisyNew, contended, timed("dropped", rng, 100),
			crashed, timed("fresh", rng, 100), singleNew, checked, untimed),
		Options{})
	want := map[string]Verdict{
		"same": Same, "slower": Slower, "faster": Faster, "noisy": Undecided, "contended": Undecided, "dropped": Undecided, "crashes": Broken,
		"fresh": OnlyNew, "gone": Missing, "single": Undecided, "checked": Undecided, "untimed": Missing,
	}
	for _, r := range rows {
		if r.Verdict != want[r.Name] {
			t.Errorf("%s: %s, want %s: %+v", r.Name, r.Verdict, want[r.Name], r.Difference)
		}
		if why := "the old run dropped it from a race after few launches"; slices.Contains(r.Notes, why) != (r.Name == "dropped") {
			t.Errorf("%s: notes %q", r.Name, r.Notes)
		}
		delete(want, r.Name)
	}
	if len(want) > 0 {
		t.Errorf("rows are missing: %v", want)
	}
	if worse, undecided := Regressions(rows); !worse || !undecided {
		t.Errorf("worse %v, undecided %v", worse, undecided)
	}
}

// Runs of which one has restored arguments have called a function with other data: nothing is decided of it. A journal of
// before restoring would make a function 200 times slower.
func TestRestoredOnOneSide(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	worn, fresh := timed("sort", rng, 100), timed("sort", rng, 20_000)
	fresh.Restored = true
	slower := timed("sort", rng, 30_000)
	slower.Restored = true
	checkCompared(t, []compared{
		{worn, fresh, Undecided, "only the new run restored the arguments"},
		{fresh, worn, Undecided, "only the old run restored the arguments"},
		{fresh, slower, Slower, ""},
	})
	other := timed("sort", rng, 60_000)
	other.Fresh = invocations.Fresh{Restored: true, Reordered: true}
	checkCompared(t, []compared{
		{fresh, other, Undecided, "only the new run put random contents into another order"},
		{other, fresh, Undecided, "only the old run put random contents into another order"},
		{worn, other, Undecided, "only the new run restored the arguments"},
	})
}

// compared are two measurements, the verdict on them, and how their only note begins; "" if there is none.
type compared struct {
	before, after Measurement
	want          Verdict
	note          string
}

func checkCompared(t *testing.T, all []compared) {
	t.Helper()
	for _, c := range all {
		r := Compare(setOf(c.before), setOf(c.after), Options{})[0]
		told := len(r.Notes) == 1 && strings.HasPrefix(r.Notes[0], c.note)
		if c.note == "" {
			told = len(r.Notes) == 0
		}
		if r.Verdict != c.want || !told {
			t.Errorf("%s: %q", r.Verdict, r.Notes)
		}
	}
}

// A sort of static data finds it sorted in its second call. What is compared then is said, whatever the verdict is: an
// insertion sort was 20 times faster than the library's, without a word.
func TestFirstCallIsTold(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	library, insertion := timed("sort", rng, 20_000), timed("sort", rng, 1000)
	insertion.FirstNS = 600_000
	r := Compare(setOf(library), setOf(insertion), Options{})[0]
	if r.Verdict != Faster || len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], "new: the first call of a launch takes 600.0 µs") {
		t.Errorf("%s: %q", r.Verdict, r.Notes)
	}
	if r := Compare(setOf(library), setOf(library), Options{})[0]; len(r.Notes) != 0 {
		t.Errorf("%q", r.Notes)
	}
}

// atClock returns a measurement of a function on a core whose neighbours leave it a clock for scalar code, and which it
// lowers by a factor itself. A call takes ns where scalar code has 4 GHz. Of before: the journal does not tell the
// factor, and its time at the reference clock does not keep it.
func atClock(rng *rand.Rand, ns, own, scalar float64, ofBefore bool) Measurement {
	m := Measurement{Name: "kernel", Status: invocations.OK, ReferenceGHz: 4, OwnClock: own}
	for range 10 {
		reference := ns * math.Exp(0.001*rng.NormFloat64())
		took := reference * 4 / scalar
		if ofBefore {
			m.OwnClock, reference = 0, reference*own
		}
		m.Time.Launches, m.Reference.Launches = append(m.Time.Launches, took), append(m.Reference.Launches, reference)
	}
	return m
}

// TestOwnClock compares a scalar kernel with a wide one that takes 5 % longer and fewer cycles, since it lowers its
// clock by 7 %: it used to be called faster.
func TestOwnClock(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		name     string
		old, new Measurement
		by       Figure
		verdict  Verdict
		noted    bool
	}{
		{"both tell", atClock(rng, 1000, 1, 4, false), atClock(rng, 1050, 0.93, 4, false), ByReference, Slower, false},
		{
			"other neighbours", atClock(rng, 1000, 1, 4.2, false), atClock(rng, 1050, 0.93, 3.8, false),
			ByReference, Slower, false,
		},
		{"neither tells", atClock(rng, 1000, 1, 4, true), atClock(rng, 1050, 0.93, 4, true), ByTime, Slower, true},
		{"the new one tells", atClock(rng, 1000, 0.93, 4, true), atClock(rng, 950, 1, 4, false), ByTime, Faster, true},
		{"at one clock", atClock(rng, 1000, 1, 4, true), atClock(rng, 1050, 1, 4, true), ByReference, Slower,
			false},
	} {
		row := Compare(setOf(c.old), setOf(c.new), Options{})[0]
		if row.By != c.by || row.Verdict != c.verdict {
			t.Errorf("%s: %s by %s, want %s by %s: %+v", c.name, row.Verdict, row.By, c.verdict, c.by, row.Difference)
		}
		if noted := strings.Contains(strings.Join(row.Notes, "; "), "the times decide"); noted != c.noted {
			t.Errorf("%s: notes %q", c.name, row.Notes)
		}
	}
}

// TestFalseAlarms compares many equal runs. Whole comparisons with a wrong row must be as rare as Alpha says.
func TestFalseAlarms(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const trials, rows = 400, 8
	alarms, same := 0, 0
	for range trials {
		before, after := &Set{}, &Set{}
		for i := range rows {
			name := string(rune('a' + i))
			before.Measurements = append(before.Measurements, timed(name, rng, 100))
			after.Measurements = append(after.Measurements, timed(name, rng, 100))
		}
		compared := Compare(before, after, Options{})
		if slices.ContainsFunc(compared, func(r Row) bool { return r.Verdict == Slower || r.Verdict == Faster }) {
			alarms++
		}
		for _, r := range compared {
			if r.Verdict == Same {
				same++
			}
		}
	}
	if alarms > trials*2/100 {
		t.Errorf("%d of %d comparisons of equal runs have a wrong row", alarms, trials)
	}
	if same < trials*rows*9/10 {
		t.Errorf("%d of %d equal rows are called the same", same, trials*rows)
	}
}

func TestMatch(t *testing.T) {
	m := func(id, name, parameters string) Measurement {
		return Measurement{ID: id, Name: name, Parameters: parameters, Status: invocations.Failed}
	}
	rows := match(setOf(m("1", "a", ""), m("2", "b", ""), m("", "c", "M=1"), m("", "c", "M=2"), m("3", "old", "")),
		setOf(m("2", "renamed", ""), m("9", "a", ""), m("", "c", "M=2"), m("4", "c", "M=3")))
	var got []string
	for _, r := range rows {
		side := func(m *Measurement) string {
			if m == nil {
				return "-"
			}
			return m.ID + m.Name + m.Parameters
		}
		got = append(got, side(r.Old)+" "+side(r.New))
	}
	want := []string{"2b 2renamed", "1a 9a", "cM=2 cM=2", "- 4cM=3", "cM=1 -", "3old -"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestChangedDispatches(t *testing.T) {
	d := func(name string, ns float64) invocations.DispatchRecord {
		return invocations.DispatchRecord{Name: name, MedianNS: &ns}
	}
	got := changedDispatches(
		[]invocations.DispatchRecord{d("matmul", 100), d("softmax", 50), d("matmul", 100), d("gone", 40)},
		[]invocations.DispatchRecord{d("softmax", 50.1), d("matmul", 100), d("matmul", 200), d("fresh", 30)}, 0.01)
	want := []DispatchChange{{"matmul", 200, 300}, {"gone", 40, 0}, {"fresh", 0, 30}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestMachines(t *testing.T) {
	old := &Set{Environment: map[string]string{"cpu": "A", "cpus": "2", "load": "1"}}
	fresh := &Set{Environment: map[string]string{"cpu": "B", "cpus": "2", "load": "2"}}
	if got := strings.Join(Machines(old, fresh), "; "); got != "processor: A before, B now" {
		t.Error(got)
	}
	if got := Machines(old, &Set{}); got != nil {
		t.Error(got)
	}
}

// TestFloorOfTheMachine: what equal runs differ by on a machine is not in the interval of a row, and comparisons allow for
// it.
func TestFloorOfTheMachine(t *testing.T) {
	one, low, high, floor := 100.0, 99.9, 100.1, 0.02
	r := invocations.Record{Status: invocations.OK}
	r.MedianNS, r.SamplesNS = &one, []float64{one}
	r.LaunchReference, r.LaunchMediansNS = []float64{100, 100, 100}, []float64{100, 100, 100}
	r.ReferenceNS, r.ReferenceLo, r.ReferenceHi = &one, &low, &high
	if half := fromRecord(&r).Reference.Half; math.Abs(half-0.001) > 1e-9 {
		t.Errorf("without a floor, another run differs by %g", half)
	}
	r.ReferenceFloor = &floor
	if half := fromRecord(&r).Reference.Half; half != floor {
		t.Errorf("another run differs by %g, want %g", half, floor)
	}
}

// A row that cannot be compared says why, in one line.
func TestReasonOfStatus(t *testing.T) {
	ok := Measurement{Name: "f", Status: invocations.OK}
	crashed := Measurement{Name: "f", Status: invocations.Crashed, Error: "native code ended; it wrote:\n  much"}
	silent := Measurement{Name: "f", Status: invocations.Timeout}
	for _, c := range []struct {
		before, after Measurement
		want          string
	}{
		{ok, crashed, "ok before, crashed now: native code ended"},
		{crashed, ok, "crashed before, ok now: native code ended"},
		{ok, silent, "ok before, timeout now"},
	} {
		if r := Compare(setOf(c.before), setOf(c.after), Options{})[0]; len(r.Notes) != 1 || r.Notes[0] != c.want {
			t.Errorf("%q, want %q", r.Notes, c.want)
		}
	}
}

// What only a part of the work takes decides nothing, and what the sandbox refused is said: a function that hands its
// work to a thread would be far faster than one that waits for it.
func TestPartOfTheWork(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	waits, leaves, refused := timed("post", rng, 20_000), timed("post", rng, 200), timed("post", rng, 100)
	leaves.Verdicts = []invocations.Verdict{invocations.Unfinished}
	refused.Verdicts = []invocations.Verdict{invocations.Refused}
	checkCompared(t, []compared{
		{waits, leaves, Undecided, "the new run is unfinished: its times are without the work"},
		{leaves, waits, Undecided, "the old run is unfinished: its times are without the work"},
		{waits, refused, Faster, "new: refused: the sandbox refused what the calls asked"},
		{refused, waits, Slower, "old: refused: the sandbox refused what the calls asked"},
	})
}
