package report

import (
	"slices"
	"strings"
	"testing"

	"zonemark/driver/report/rank"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// droppedFrom returns the record of a variant of gemm that a race has dropped.
func droppedFrom(name string, ns float64, id, launches int, d invocations.Dropped) invocations.Record {
	r := launched{name, "gemm", ns, 3.61, 0.002, true}.record(id, launches, false)
	d.Launches, d.Best = launches, "gemm_tiled"
	r.Dropped, r.Stop, r.Verdicts = &d, invocations.StopDropped, []invocations.Verdict{invocations.Slower}
	return r
}

// raceRun has a race of four variants, of which two were dropped.
func raceRun() Run {
	run := launchRun(false)
	contended := droppedFrom("gemm_slowest", 9.5e6, 3, 1, invocations.Dropped{Ratio: 6.2501, Low: 3.125, High: 12.5})
	contended.Verdicts = []invocations.Verdict{invocations.Contended, invocations.Slower}
	run.Records = invocations.RecordsOf(
		launched{"gemm_naive", "gemm", 1.54e6, 3.61, 0.001, true}.record(1, 10, false),
		launched{"gemm_tiled", "gemm", 1.52e6, 3.61, 0.001, true}.record(2, 10, false), contended,
		droppedFrom("gemm_slow", 1.8e6, 4, 2, invocations.Dropped{Ratio: 1.1842, Low: 1.1, High: 1.27}))
	run.Rankings = groupsOf(run.Records)
	return run
}

// Variants that a race has dropped come last, with the interval that dropped them. They do not change how the others are
// compared.
func TestRankRace(t *testing.T) {
	run := raceRun()
	var names []string
	for _, row := range run.Rankings[0].Rows {
		names = append(names, row.Name)
	}
	if want := []string{"gemm_tiled", "gemm_naive", "gemm_slow", "gemm_slowest"}; !slices.Equal(names, want) {
		t.Errorf("the order is %v, want %v", names, want)
	}
	alone := groupsOf(invocations.RecordsOf(*at(run, 0), *at(run, 1)))[0]
	for i, row := range alone.Rows {
		got := run.Rankings[0].Rows[i]
		if row.Ratio != got.Ratio || row.Low != got.Low || row.High != got.High || row.Standing != got.Standing {
			t.Errorf("%s is %+v in the race and %+v alone", row.Name, got, row)
		}
	}
	dropped := run.Rankings[0].Rows[3]
	if dropped.Standing != stats.Slower || dropped.Ratio != 6.2501 || dropped.Low != 3.125 || dropped.High != 12.5 {
		t.Errorf("%+v", dropped)
	}
}

// A variant that a race has only left out is among those at the end, and is not called slower.
func TestRankLeftOut(t *testing.T) {
	run := raceRun()
	also := droppedFrom("gemm_also", 1.51e6, 5, 6, invocations.Dropped{Ratio: 1.01, Low: 0.98, High: 1.04})
	also.Stop, also.Verdicts = invocations.StopAlsoRan, nil
	ranking := groupsOf(invocations.RecordsOf(*at(run, 0), *at(run, 1), *at(run, 3), also))[0]
	row := ranking.Rows[2]
	if row.Name != "gemm_also" || row.Standing != stats.Unknown || row.Ratio != 1.01 || ranking.Rows[0].Name != "gemm_tiled" {
		t.Errorf("%+v", ranking.Rows)
	}
	if how := ranking.How(); !strings.HasSuffix(how, "; a race dropped 1 and left out 1") {
		t.Errorf("compared by %q", how)
	}
	if text := standingText(row, also); text != "left out after 6 launches" {
		t.Errorf("it stands %q", text)
	}
}

// An interrupted race may have kept only those that it has dropped.
func TestRankOnlyDropped(t *testing.T) {
	run := raceRun()
	rankings := groupsOf(invocations.RecordsOf(*at(run, 2), *at(run, 3)))
	if len(rankings) != 1 || len(rankings[0].Rows) != 2 || rankings[0].Rows[0].Name != "gemm_slow" ||
		rankings[0].How() != "median intervals; a race dropped 2" {
		t.Errorf("%+v", rankings)
	}
}

// A row of a ranking has the ± by which it was judged, that of the time at the reference clock, whatever is compared. It
// is that of the table of results.
func TestRankJudged(t *testing.T) {
	for _, counters := range []bool{false, true} {
		var records []invocations.Record
		for i, name := range []string{"a", "b"} {
			r := launched{name, "g", 1e6 * float64(i+1), 3, 0.001, true}.record(i+1, 10, counters)
			low, high := *r.ReferenceNS*0.9, *r.ReferenceNS*1.1
			r.ReferenceLo, r.ReferenceHi = &low, &high
			records = append(records, r)
		}
		ranking := groupsOf(invocations.RecordsOf(records...))[0]
		for _, clock := range []rank.Clock{rank.WallClock, rank.ReferenceClock, rank.CyclesClock} {
			if ranking.Clock = clock; clock == rank.CyclesClock && !counters {
				continue
			}
			_, cells := RankedCellsOf(&ranking, []*invocations.Record{&records[0], &records[1]})
			for i := range cells {
				if got, want := cells[i].ComparedWithin, CellsOf(&records[i]).Judged; got != want || got != "10 %" {
					t.Errorf("%s, by %q: ± %s in the ranking, ± %s in the results", records[i].Name, clock, got, want)
				}
			}
		}
	}
}

// disturbedLaunches returns the record of a variant of gemm of 30 launches, which took turns with those of others on a busy
// machine: all but every sixth, from the first quiet one on, took half as long again. If few were quiet, all count; else
// only those do.
func disturbedLaunches(name string, ns float64, id, quiet int) invocations.Record {
	r := launched{name, "gemm", ns, 3, 0.001, true}.record(id, 10, false)
	all := invocations.LaunchTimes{}
	kept := invocations.LaunchTimes{}
	for n := range 30 {
		took := ns * (1 + 0.001*float64((7*id+3*n)%5))
		if n%6 == id && len(kept.LaunchNumbers) < quiet {
			kept.LaunchNumbers, kept.LaunchMediansNS = append(kept.LaunchNumbers, n), append(kept.LaunchMediansNS, took)
		} else {
			took *= 1.5
		}
		all.LaunchNumbers, all.LaunchMediansNS = append(all.LaunchNumbers, n), append(all.LaunchMediansNS, took)
	}
	all.LaunchReference, kept.LaunchReference = all.LaunchMediansNS, kept.LaunchMediansNS
	if r.LaunchTimes = kept; quiet < 3 {
		r.LaunchTimes = all
	} else {
		r.AllLaunches = &all
	}
	r.SamplesNS, r.MergedSamples = r.LaunchMediansNS, slices.Repeat([]int{1}, len(r.LaunchMediansNS))
	median := stats.Median(r.SamplesNS)
	low, high := median*0.99, median*1.01
	r.MedianNS, r.CILowNS, r.CIHighNS = &median, &low, &high
	if r.AllLaunches == nil {
		r.Verdicts = []invocations.Verdict{invocations.Contended}
	}
	return r
}

// Variants that took turns on a busy machine are compared by all their launches, if few were quiet for each of them: the
// quiet ones of a slower variant are no shorter than all of a faster one.
func TestRankDisturbed(t *testing.T) {
	fast, slow := disturbedLaunches("fast", 1000, 1, 1), disturbedLaunches("slow", 1100, 2, 5)
	if *fast.MedianNS < *slow.MedianNS {
		t.Fatalf("the medians are %v and %v", *fast.MedianNS, *slow.MedianNS)
	}
	ranking := groupsOf(invocations.RecordsOf(slow, fast))[0]
	rows := ranking.Rows
	if rows[0].Name != "fast" || rows[0].Standing != stats.Best || rows[1].Standing != stats.Slower ||
		rows[1].Low > 1.1 || rows[1].High < 1.1 {
		t.Errorf("%+v", rows)
	}
	if how := ranking.How(); how != "30 paired launches at the reference clock, also disturbed ones, since few were "+
		"quiet for all" {
		t.Error(how)
	}
	// Each has quiet launches of its own, whose times at the reference clock tell more than all launches do.
	quiet := disturbedLaunches("quiet", 1000, 1, 5)
	own := groupsOf(invocations.RecordsOf(slow, quiet))[0]
	if how := own.How(); how != "quiet launches at the reference clock, few of them side by side" ||
		own.Rows[1].Standing != stats.Slower || own.Rows[1].Low > 1.1 || own.Rows[1].High < 1.1 || own.Disturbed > 0 {
		t.Errorf("by %s: %+v", how, own.Rows)
	}
	of3 := groupsOf(invocations.RecordsOf(slow, quiet, disturbedLaunches("busy", 1300, 3, 1)))[0]
	if how := of3.How(); how != "quiet launches at the reference clock, few of them side by side; 1 of 2 by 30 "+
		"paired launches, also disturbed ones" || of3.Rows[2].Standing != stats.Slower || of3.Rows[1] != own.Rows[1] {
		t.Errorf("by %s: %+v", how, of3.Rows)
	}
	both := groupsOf(invocations.RecordsOf(slow, disturbedLaunches("as slow", 1100, 2, 5)))[0]
	if both.Disturbed > 0 || both.Pairs != 5 {
		t.Errorf("equal quiet launches: %+v", both)
	}
}

// inRuns are records of several runs.
type inRuns struct {
	failing
	runs []int
}

func (r *inRuns) Run(place int) int { return r.runs[place] }

// Launches of different runs were not made side by side, whatever their numbers: a machine that was slower in one of the
// runs, or busy, makes no variant slower.
func TestRankRuns(t *testing.T) {
	const several = "several runs have measured them"
	all := []invocations.Record{
		launched{"before", "gemm", 1.50e6, 3.61, 0.001, true}.record(1, 10, false),
		launched{"after", "gemm", 1.54e6, 3.61, 0.001, true}.record(2, 10, false),
	}
	for i := range all {
		low, high := 0.97**all[i].ReferenceNS, 1.03**all[i].ReferenceNS // for a second run
		all[i].ReferenceLo, all[i].ReferenceHi = &low, &high
	}
	for _, c := range []struct {
		runs     []int
		verdict  invocations.Verdict
		standing stats.Standing
		how      string
		note     string
	}{
		{[]int{1, 1}, invocations.Clean, stats.Slower, "10 paired launches at the reference clock", ""},
		{[]int{1, 2}, invocations.Clean, stats.Unknown, "launches of their own at the reference clock", several},
		{[]int{1, 2}, invocations.Contended, stats.Unknown, "median intervals", several +
			": medians are compared by their confidence intervals, which drift can mislead"},
	} {
		all[1].Verdicts = []invocations.Verdict{c.verdict}
		records := invocations.StoredRecords(len(all), &inRuns{failing{all, 1000}, c.runs})
		for _, list := range []*invocations.Records{records, records.Select(1, 0)} {
			ranking := groupsOf(list)[0]
			if got := ranking.Rows[1]; got.Standing != c.standing || got.Name != "after" || ranking.How() != c.how ||
				ranking.Note != c.note {
				t.Errorf("of runs %v: %+v, by %s (%s)", c.runs, got, ranking.How(), ranking.Note)
			}
		}
	}
}

// A variant that leaves work to threads has a time without that: it is not the best, however short that is, and the
// others are ranked as without it.
func TestRankUnfinished(t *testing.T) {
	run := raceRun()
	leaves := launched{"gemm_handed_over", "gemm", 2e3, 3.61, 0.001, true}.record(5, 10, false)
	leaves.Verdicts = []invocations.Verdict{invocations.Unfinished}
	rows := groupsOf(invocations.RecordsOf(*at(run, 0), *at(run, 1), leaves))[0].Rows
	alone := groupsOf(invocations.RecordsOf(*at(run, 0), *at(run, 1)))[0].Rows
	if len(rows) != 3 || rows[0].Name != "gemm_tiled" || rows[0].Standing != alone[0].Standing || rows[1].Ratio != alone[1].Ratio ||
		rows[2].Name != leaves.Name || rows[2].Standing != stats.Unknown || rows[2].Ratio == rows[2].Ratio {
		t.Errorf("%+v", rows)
	}
	rankings := groupsOf(invocations.RecordsOf(leaves, leaves, *at(run, 3)))
	if len(rankings) != 1 || len(rankings[0].Rows) != 3 || rankings[0].Rows[0].Standing != stats.Unknown {
		t.Errorf("all leave work: %+v", rankings)
	}
}
