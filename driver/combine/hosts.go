package combine

import (
	"fmt"
	"slices"
	"strings"

	"zonemark/invocations"
	"zonemark/invocations/figures"
	"zonemark/invocations/stats"
)

// hosts are the names of those that have measured an invocation.
type hosts []string

// Hosts makes one result of those of several hosts, by their names. If it did not end well on one of them, that is the
// result.
func Hosts(names []string, parts []*invocations.Result) invocations.Result {
	s := hosts(names)
	out := *parts[0]
	out.Verdicts, out.Notes = nil, s.notes(parts)
	out.Merged, out.SpentNS, out.Discarded, out.WarmupCalls = 0, 0, invocations.Discarded{}, 0
	var list []invocations.Result
	for _, part := range parts {
		out.Merged += part.Merged
		out.SpentNS += part.SpentNS
		AddNew(&out.Verdicts, part.Verdicts)
		list = append(list, *part)
	}
	ended := func(p *invocations.Result) bool { return p.Status != invocations.OK }
	if h := slices.IndexFunc(parts, ended); h >= 0 {
		bad := parts[h]
		out.Status, out.Crash, out.Stop = bad.Status, bad.Crash, bad.Stop
		out.Error = fmt.Sprintf("on host %s: %s", s[h], bad.Error)
		out.SamplesNS, out.Spread = nil, nil
		return out
	}
	untimed := func(p *invocations.Result) bool { return len(p.SamplesNS) == 0 }
	if slices.ContainsFunc(parts, untimed) {
		return out
	}
	s.joinTimes(&out, list)
	return out
}

// joinTimes puts the times of all hosts into a result.
func (s hosts) joinTimes(out *invocations.Result, parts []invocations.Result) {
	join(out, parts)
	out.MergedSamples, out.MergedIterations, out.RoundsNS, out.CyclesSamples = nil, nil, nil, nil
	var times []stats.Interval
	for _, part := range parts {
		out.Discarded.Disturbed += part.Discarded.Disturbed
		out.Discarded.Warmup += part.Discarded.Warmup
		out.WarmupCalls += part.WarmupCalls
		out.RoundsNS = append(out.RoundsNS, part.RoundsNS...)
		if part.MergedSamples == nil {
			part.MergedSamples, part.MergedIterations = []int{len(part.SamplesNS)}, []int64{part.Iterations}
		}
		out.MergedSamples = append(out.MergedSamples, part.MergedSamples...)
		out.MergedIterations = append(out.MergedIterations, part.MergedIterations...)
		times = append(times, timeOf(&part))
		if part.Stop == invocations.StopMaxTime {
			out.Stop = part.Stop
		}
	}
	out.Canary = mergeCanaries(parts, parts)
	out.Counters = mergeCounters(parts, &invocations.Result{}) // its notes would be about launches
	summarize(out, parts)
	held := stats.OnAny(times)
	out.Summary.MedianNS, out.Summary.CILowNS, out.Summary.CIHighNS = held.Value, held.Low, held.High
	out.Spread = joinSpreads(parts)
	if stats.Apart(times) {
		out.AddVerdict(invocations.HostsDiffer)
		AddNote(&out.Notes, "its hosts differ: %s", s.listed(times))
	}
	if len(out.Verdicts) > 1 {
		drop(out, invocations.Clean)
	}
	if out.Profile.Source != invocations.NoSource {
		AddNote(&out.Notes, "its dispatches are those of host %s", s[0])
	}
}

// timeOf returns the time of a host with its interval.
func timeOf(r *invocations.Result) stats.Interval {
	return stats.Interval{Value: r.Summary.MedianNS, Low: r.Summary.CILowNS, High: r.Summary.CIHighNS}
}

// listed writes the times of the hosts for people, at most eight.
func (s hosts) listed(times []stats.Interval) string {
	const most = 8
	var texts []string
	for h, one := range times {
		if h == most {
			texts = append(texts, fmt.Sprintf("and %d more", len(times)-most))
			break
		}
		texts = append(texts, fmt.Sprintf("%s %s (%s to %s)", s[h], figures.Time(one.Value),
			figures.Time(one.Low), figures.Time(one.High)))
	}
	return strings.Join(texts, ", ")
}

// notes returns the notes of all hosts. One that not every host has gets the host's name.
func (s hosts) notes(parts []*invocations.Result) (notes []string) {
	for h, part := range parts {
		for _, note := range part.Notes {
			lacks := func(p *invocations.Result) bool { return !slices.Contains(p.Notes, note) }
			if slices.ContainsFunc(parts, lacks) {
				note = s[h] + ": " + note
			}
			AddNew(&notes, []string{note})
		}
	}
	return notes
}

// joinSpreads joins the launches of all hosts, those of the first host first; nil if one has none. Launch n of host h
// gets the number n times the number of hosts, plus h, so that launches of variants that were made side by side have the
// same number. Reference times are joined only if the hosts have the same reference clock.
func joinSpreads(parts []invocations.Result) *invocations.Spread {
	joined := &invocations.Spread{Hosts: len(parts)}
	var times, references, cycles []stats.Interval
	var medians [][]float64
	var within []float64
	for h := range parts {
		s := parts[h].Spread
		if s == nil {
			return nil
		}
		joined.Launches += s.Launches
		for _, n := range s.Numbers {
			joined.Numbers = append(joined.Numbers, n*len(parts)+h)
		}
		joined.MediansNS = append(joined.MediansNS, s.MediansNS...)
		if h == 0 {
			joined.Arrays = s.Arrays
		} else {
			joined.Arrays = joinArrays(joined.Arrays, s.Arrays)
		}
		medians, within, times = append(medians, s.MediansNS), append(within, s.WithinNS), append(times, s.Time)
		if s.Reference.Known() && s.ReferenceGHz == parts[0].Spread.ReferenceGHz {
			references = append(references, s.Reference)
			joined.ReferenceMedians = append(joined.ReferenceMedians, s.ReferenceMedians...)
		}
		if s.Cycles.Known() {
			cycles = append(cycles, s.Cycles)
			joined.CyclesMedians = append(joined.CyclesMedians, s.CyclesMedians...)
		}
	}
	var own []float64
	for h := range parts {
		own = append(own, parts[h].Spread.OwnClock)
	}
	joined.OwnClock, _ = stats.OwnOfAll(own)
	for h := range parts {
		joined.ReferenceFloor = max(joined.ReferenceFloor, parts[h].Spread.ReferenceFloor)
		joined.CyclesFloor = max(joined.CyclesFloor, parts[h].Spread.CyclesFloor)
	}
	joined.Time, joined.WithinNS = stats.OnAny(times), stats.Median(within)
	components := stats.ComponentsOf(medians, joined.WithinNS)
	joined.BetweenHostsNS, joined.BetweenNS = components.Hosts, components.Launches
	if len(references) == len(parts) {
		joined.Reference, joined.ReferenceGHz = stats.OnAny(references), parts[0].Spread.ReferenceGHz
	} else {
		joined.ReferenceMedians = nil
	}
	if len(cycles) == len(parts) {
		joined.Cycles = stats.OnAny(cycles)
	} else {
		joined.CyclesMedians = nil
	}
	return joined
}
