// Package compare says whether what was measured twice became faster or slower. It reads results of zonemark and of other
// tools, matches their rows, and decides for each: faster, slower, same, or undecided with the smallest difference that
// would have been found. It measures nothing and knows nothing of how its answer is shown.
package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"zonemark/invocations"
	"zonemark/invocations/figures"
	"zonemark/invocations/stats"
)

// Verdict is what a comparison says of a row.
type Verdict string

const (
	Faster    Verdict = "faster"
	Slower    Verdict = "slower"
	Same      Verdict = "same"      // the difference lies within the margin
	Undecided Verdict = "undecided" // the runs cannot tell
	Broken    Verdict = "broken"    // it ended ok before, and does not now
	Mended    Verdict = "mended"    // the other way round
	Failed    Verdict = "failed"    // it did not end ok in either
	Missing   Verdict = "missing"   // it ended ok before, and was skipped or not timed now, or is not there
	Skipped   Verdict = "skipped"   // one side could not run here
	OnlyOld   Verdict = "only old"  // and it did not end ok there
	OnlyNew   Verdict = "only new"
)

// Figure is what two rows are compared by.
type Figure string

const (
	ByCycles    Figure = "cycles"          // counted
	ByReference Figure = "reference clock" // time at the machine's usual clock
	ByTime      Figure = "time"
	// ByFasterBatches is the lower quartile of a launch's times. Only what is measured in pairs is compared by it.
	ByFasterBatches Figure = "faster batches"
	// ByNeighbours is the time of a batch against that of the other side's next to it, where batches change by turns.
	ByNeighbours Figure = "neighbouring batches"
)

// Options are the options of a comparison. Zero values stand for those of DefaultOptions.
type Options struct {
	Margin float64 // relative difference that does not matter
	Floor  float64 // relative difference below which nothing is called faster or slower; at most Margin
	Alpha  float64 // chance of calling any row faster or slower if none is (with FDR: share of such rows)
	FDR    bool    // control the share of wrong rows (Benjamini and Hochberg) instead of any wrong row (Holm)
}

// DefaultOptions returns the options of a comparison for which nothing is given.
func DefaultOptions() Options {
	return Options{Margin: stats.UsualMargin, Floor: stats.UsualFloor, Alpha: stats.UsualAlpha}
}

func (o Options) withDefaults() Options {
	d := DefaultOptions()
	o.Margin, o.Floor, o.Alpha = cmp.Or(o.Margin, d.Margin), cmp.Or(o.Floor, d.Floor), cmp.Or(o.Alpha, d.Alpha)
	o.Floor = min(o.Floor, o.Margin)
	return o
}

// Row is the comparison of one measurement.
type Row struct {
	Name     string
	Old, New *Measurement // nil: it is only on the other side
	Verdict  Verdict
	By       Figure  // empty if nothing was compared
	OldValue float64 // median by that figure: nanoseconds, or cycles; NaN if there is none
	NewValue float64
	Difference
	Code       Code             // whether the same instructions were executed
	Dispatches []DispatchChange // those that changed, most time first; only if the row is faster or slower
	Notes      []string
	Pairs      int // of launches that were compared; 0: the sides were not measured in pairs
}

// Difference is the ratio of new to old with its interval.
type Difference = stats.Difference

// Code is what exact instruction counts tell.
type Code string

const (
	CodeUnknown Code = ""
	CodeSame    Code = "same instructions"
	CodeChanged Code = "other instructions"
)

// Compare compares two sets of measurements. Rows are in the order of the new side; those that only the old side has come
// last.
func Compare(before, after *Set, o Options) []Row {
	o = o.withDefaults()
	rows := match(before, after)
	oneMachine := len(Machines(before, after)) == 0
	for i := range rows {
		rows[i].compare(oneMachine)
	}
	p := make([]float64, len(rows))
	for i := range rows {
		p[i] = math.NaN()
		if rows[i].By != "" && rows[i].Verdict == Undecided {
			p[i] = rows[i].P
		}
	}
	differs := stats.Holm(p, o.Alpha)
	if o.FDR {
		differs = stats.BenjaminiHochberg(p, o.Alpha)
	}
	for i := range rows {
		if !math.IsNaN(p[i]) {
			rows[i].decide(differs[i], o)
		}
	}
	return rows
}

// begin fills in what does not depend on how the row was measured. It reports whether there are times to compare.
func (r *Row) begin() bool {
	r.Verdict, r.OldValue, r.NewValue = Undecided, math.NaN(), math.NaN()
	r.Difference = stats.Difference{Ratio: math.NaN(), P: math.NaN(), Detectable: math.NaN()}
	switch {
	case r.Old == nil:
		r.Verdict = OnlyNew
		return false
	case r.New == nil && r.Old.Status == invocations.OK:
		r.Verdict = Missing
		return false
	case r.New == nil:
		r.Verdict = OnlyOld
		return false
	case !r.compareStatus():
		return false
	case r.Old.timed() && !r.New.timed():
		r.Verdict, r.Notes = Missing, append(r.Notes, "it has times before, and none now")
		return false
	}
	r.Code = compareCode(r.Old, r.New)
	r.Notes = append(r.Notes, firstNotes(r.Old, r.New)...)
	return true
}

// side is one of the two that are compared.
type side struct {
	name string // old or new
	m    *Measurement
}

func sidesOf(before, after *Measurement) [2]side { return [2]side{{"old", before}, {"new", after}} }

// firstNotes say what the first launch of a side has found of its calls: the first one takes far longer than later ones,
// which are compared, or the sandbox refuses what they ask for.
func firstNotes(before, after *Measurement) (notes []string) {
	for _, side := range sidesOf(before, after) {
		if slices.Contains(side.m.Verdicts, invocations.Refused) {
			notes = append(notes, side.name+": refused: the sandbox refused what the calls asked of the system, and their times "+
				"are those of calls that went on without it")
		}
		if side.m.FirstNS > 0 {
			notes = append(notes, fmt.Sprintf("%s: the first call of a launch takes %s of CPU time; later ones, whose times are "+
				"compared, find what it has left, such as static data", side.name, figures.Time(side.m.FirstNS)))
		}
	}
	return notes
}

// timed reports whether a measurement has any time, believable or not.
func (m *Measurement) timed() bool {
	return len(m.Time.Launches)+len(m.Reference.Launches)+len(m.Cycles.Launches) > 0
}

// compare fills in everything but the decision, which depends on all rows. On one machine, times at its usual clock are
// compared at the one that the old side knew.
func (r *Row) compare(oneMachine bool) {
	if !r.begin() {
		return
	}
	by, a, b := chooseFigure(r.Old, r.New)
	if by == "" {
		r.Notes = append(r.Notes, whyNone(r.Old, r.New))
		return
	}
	if note := whyTime(r.Old, r.New, by); note != "" {
		r.Notes = append(r.Notes, note)
	}
	if by == ByReference && oneMachine {
		b = r.New.referenceAt(r.Old.ReferenceGHz)
	}
	r.By, r.OldValue, r.NewValue = by, stats.Median(a.Launches), stats.Median(b.Launches)
	r.Difference = stats.Independent(a.Launches, b.Launches, a.Half, b.Half)
	if len(a.Launches) < 2 || len(b.Launches) < 2 {
		r.Notes = append(r.Notes, "a single time has no interval")
	}
	if why := disturbed(r.Old, r.New, by); why != "" {
		r.Notes, r.P, r.Detectable = append(r.Notes, why), math.NaN(), math.NaN()
	}
}

// compareStatus decides by how the invocations ended. It reports whether both ended ok.
func (r *Row) compareStatus() bool {
	was, is := r.Old.Status, r.New.Status
	switch {
	case was == invocations.OK && is == invocations.OK:
		return true
	case was == invocations.OK && is == invocations.Skipped:
		r.Verdict = Missing
	case was == invocations.Skipped || is == invocations.Skipped:
		r.Verdict = Skipped
	case was == invocations.OK:
		r.Verdict = Broken
	case is == invocations.OK:
		r.Verdict = Mended
	default:
		r.Verdict = Failed
	}
	note := string(was) + " before, " + string(is) + " now"
	if why, _, _ := strings.Cut(cmp.Or(r.New.Error, r.Old.Error), "\n"); why != "" { // what it wrote may follow
		note += ": " + strings.TrimSuffix(why, "; it wrote:")
	}
	r.Notes = append(r.Notes, note)
	return false
}

// decide returns the verdict on a difference. Differs says that it stands up to the correction for all rows.
func decide(d Difference, differs bool, o Options) Verdict {
	switch d.Decide(differs, o.Margin, o.Floor) {
	case stats.Alike:
		return Same
	case stats.Longer:
		return Slower
	case stats.Shorter:
		return Faster
	}
	return Undecided
}

// decide sets the verdict and names the dispatches that changed.
func (r *Row) decide(differs bool, o Options) {
	r.Verdict = decide(r.Difference, differs, o)
	if r.Verdict == Slower || r.Verdict == Faster {
		r.Dispatches = changedDispatches(r.Old.Dispatches, r.New.Dispatches, o.Margin)
	}
}

// chooseFigure returns the best figure that both sides have and by which they can be compared, and their values.
func chooseFigure(before, after *Measurement) (Figure, Values, Values) {
	cycles, reference := stats.Comparable(before.clocks(), after.clocks())
	return bestFigure(before, after, cycles, reference)
}

// bestFigure returns the best figure that both sides have, and their values. Cycles and times at the reference clock
// count only if they can be compared.
func bestFigure(before, after *Measurement, cycles, reference bool) (Figure, Values, Values) {
	for _, c := range []struct {
		by     Figure
		a, b   Values
		counts bool
	}{
		{ByCycles, before.Cycles, after.Cycles, cycles}, {ByReference, before.Reference, after.Reference, reference},
		{ByTime, before.Time, after.Time, true},
	} {
		if !c.counts {
			continue
		}
		_, badBefore := c.a.bad()
		_, badAfter := c.b.bad()
		if len(c.a.Launches) > 0 && len(c.b.Launches) > 0 && !badBefore && !badAfter {
			return c.by, c.a, c.b
		}
	}
	return "", Values{}, Values{}
}

// clocks returns what is known of the clock of the core during the launches.
func (m *Measurement) clocks() stats.Clocks {
	var ghz *float64
	if m.ReferenceGHz > 0 {
		ghz = &m.ReferenceGHz
	}
	return stats.Clocks{
		Own: m.OwnClock,
		GHz: invocations.ClocksOf(m.Time.Launches, m.Reference.Launches, m.Cycles.Launches, ghz),
	}
}

// whyTime returns why rows are compared by time although both have a time at the reference clock, or cycles; empty if
// they are not.
func whyTime(before, after *Measurement, by Figure) string {
	hasBetter := len(before.Reference.Launches) > 0 && len(after.Reference.Launches) > 0 ||
		len(before.Cycles.Launches) > 0 && len(after.Cycles.Launches) > 0
	if by != ByTime || !hasBetter || before.OwnClock > 0 && after.OwnClock > 0 {
		return ""
	}
	was, is := stats.Median(before.clocks().GHz), stats.Median(after.clocks().GHz)
	return fmt.Sprintf("the core ran at %.3g GHz before and %.3g GHz now, and one side does not say whether the function "+
		"itself caused that: the times decide", was, is)
}

// whyNone returns why there is no figure to compare by.
func whyNone(before, after *Measurement) string {
	for _, side := range sidesOf(before, after) {
		if v, bad := side.m.Time.bad(); bad {
			return fmt.Sprintf("the %s run has a time of %s, which has no ratio: a call must take longer than the loop "+
				"around it", side.name, figures.Time(v))
		}
	}
	return "no times to compare"
}

// otherArguments returns how the arguments differ that the calls of two runs found; "" if they do not.
func otherArguments(before, after invocations.Fresh) string {
	for _, d := range []struct {
		before, after bool
		how           string
	}{
		{before.Restored, after.Restored, "restored the arguments: calls of the other run found what earlier calls had left"},
		{before.Reordered, after.Reordered, "put random contents into another order before each call: for calls of the " +
			"other run they repeated, and the processor may have learned their branches"},
	} {
		if d.before != d.after {
			side := "old"
			if d.after {
				side = "new"
			}
			return "only the " + side + " run " + d.how
		}
	}
	return ""
}

// disturbed returns why the times of a row cannot be believed, or are those of other data; empty if they can be. What
// disturbs a core hardly changes the cycles that a program takes, but what shares its caches does. So a disturbed row is
// never decided.
func disturbed(before, after *Measurement, by Figure) string {
	if why := otherArguments(before.Fresh, after.Fresh); why != "" {
		return why
	}
	if why := leftWork(before, after); why != "" {
		return why
	}
	for _, side := range sidesOf(before, after) {
		if why := side.m.disturbed(by); why != "" {
			return "the " + side.name + " run " + why
		}
	}
	return ""
}

// leftWork says which run, if any, has times without a part of the work, whatever these are.
func leftWork(before, after *Measurement) string {
	for _, side := range sidesOf(before, after) {
		if slices.Contains(side.m.Verdicts, invocations.Unfinished) {
			return "the " + side.name + " run is unfinished: its times are without the work that calls leave to threads"
		}
	}
	return ""
}

// disturbed returns why the times of a measurement cannot be believed, as the end of a sentence about its run; empty if
// they can be.
func (m *Measurement) disturbed(by Figure) string {
	if slices.Contains(m.Verdicts, invocations.Slower) { // on a quiet machine, too
		return "dropped it from a race after few launches"
	}
	for _, v := range m.Verdicts {
		switch v {
		case invocations.Contended, invocations.TooShort:
			return "was " + string(v)
		case invocations.Frequency, invocations.Throttled:
			if by == ByTime {
				return "had the verdict " + string(v)
			}
		}
	}
	return ""
}

func compareCode(before, after *Measurement) Code {
	switch {
	case before.Instructions == 0 || after.Instructions == 0:
		return CodeUnknown
	case before.Instructions == after.Instructions:
		return CodeSame
	}
	return CodeChanged
}

// Regressions reports whether any row is slower or broken, and whether any could not be decided.
func Regressions(rows []Row) (worse, undecided bool) {
	return hasVerdict(rows, Slower) || hasVerdict(rows, Broken), hasVerdict(rows, Undecided)
}

// AnyMissing reports whether any row was measured before and is not measured now.
func AnyMissing(rows []Row) bool { return hasVerdict(rows, Missing) }

func hasVerdict(rows []Row, v Verdict) bool {
	return slices.ContainsFunc(rows, func(r Row) bool { return r.Verdict == v })
}
