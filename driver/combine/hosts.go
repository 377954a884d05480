package combine

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

// hosts are the names of those that have measured an invocation.
type hosts []string

// Hosts makes one result of those of several hosts, by their names. If it did not end well on one of them, that is the
// result.
func Hosts(names []string, parts []*invocations.Result) invocations.Result {
	var list []invocations.Result
	for _, part := range parts {
		one := *part
		if one.MergedSamples == nil {
			one.MergedSamples, one.MergedIterations = []int{len(one.SamplesNS)}, []int64{one.Iterations}
		}
		list = append(list, one)
	}
	out := *parts[0]
	f := folding{out: &out, parts: list, all: list, hosts: names}
	f.run(ofHosts, whatever())
	ended := func(p *invocations.Result) bool { return p.Status != invocations.OK }
	if h := slices.IndexFunc(parts, ended); h >= 0 {
		bad := *parts[h]
		bad.Error = fmt.Sprintf("on host %s: %s", names[h], bad.Error)
		bad.Merged, bad.SpentNS, bad.Notes, bad.Verdicts = out.Merged, out.SpentNS, out.Notes, out.Verdicts
		return bad
	}
	untimed := func(p *invocations.Result) bool { return len(p.SamplesNS) == 0 }
	if slices.ContainsFunc(parts, untimed) {
		return out
	}
	f.run(ofHosts, timed())
	f.judgeHosts()
	return out
}

// judgeHosts adds what follows from the times of all hosts.
func (f *folding) judgeHosts() {
	out := f.out
	for i := range f.parts {
		if f.parts[i].Stop == invocations.StopMaxTime {
			out.Stop = invocations.StopMaxTime
		}
	}
	if times := timesOf(f.parts); stats.Apart(times) {
		out.AddVerdict(invocations.HostsDiffer)
		AddNote(&out.Notes, "its hosts differ: %s", f.hosts.listed(times))
	}
	if len(out.Verdicts) > 1 {
		drop(out, invocations.Clean)
	}
	if out.Profile.Source != invocations.NoSource {
		AddNote(&out.Notes, "its dispatches are those of host %s", f.hosts[0])
	}
}

// timesOf returns the times of hosts with their intervals.
func timesOf(parts []invocations.Result) (times []stats.Interval) {
	for i := range parts {
		times = append(times, timeOf(&parts[i]))
	}
	return times
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
func (s hosts) notes(parts []invocations.Result) (notes []string) {
	for h := range parts {
		for _, note := range parts[h].Notes {
			lacks := func(p invocations.Result) bool { return !slices.Contains(p.Notes, note) }
			if slices.ContainsFunc(parts, lacks) {
				note = s[h] + ": " + note
			}
			AddNew(&notes, []string{note})
		}
	}
	return notes
}

// spreadOfHosts joins the launches that all hosts have kept, and all launches if one has set some apart; nil if one has
// none.
func spreadOfHosts(parts []invocations.Result) *invocations.Spread {
	kept, all, apart := make([]*invocations.Spread, len(parts)), make([]*invocations.Spread, len(parts)), false
	for h := range parts {
		s := parts[h].Spread
		if s == nil {
			return nil
		}
		kept[h], all[h] = s, cmp.Or(s.All, s)
		apart = apart || s.All != nil
	}
	joined := joinSpreads(kept)
	if apart {
		joined.All = joinSpreads(all)
	}
	return joined
}

// sameUsual is the difference of the usual clocks of two hosts, as a fraction, up to which these are the same: each host has
// found its own.
const sameUsual = 0.02

// joinSpreads joins the launches of all hosts, those of the first host first. Launch n of host h
// gets the number n times the number of hosts, plus h, so that launches of variants that were made side by side have the
// same number. Reference times, at the first host's reference clock, are joined only if the hosts have the same one.
func joinSpreads(parts []*invocations.Spread) *invocations.Spread {
	joined := &invocations.Spread{Hosts: len(parts)}
	var times, references, cycles []stats.Interval
	var medians [][]float64
	var within []float64
	for h := range parts {
		s := parts[h]
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
		if f := s.ReferenceGHz / parts[0].ReferenceGHz; s.Reference.Known() && math.Abs(f-1) < sameUsual {
			i := s.Reference
			references = append(references, stats.Interval{Value: f * i.Value, Low: f * i.Low, High: f * i.High})
			for _, ns := range s.ReferenceMedians {
				joined.ReferenceMedians = append(joined.ReferenceMedians, f*ns)
			}
		}
		if s.Cycles.Known() {
			cycles = append(cycles, s.Cycles)
			joined.CyclesMedians = append(joined.CyclesMedians, s.CyclesMedians...)
		}
	}
	var own []float64
	for h := range parts {
		own = append(own, parts[h].OwnClock)
	}
	joined.OwnClock, _ = stats.OwnOfAll(own)
	for h := range parts {
		joined.ReferenceFloor = max(joined.ReferenceFloor, parts[h].ReferenceFloor)
		joined.CyclesFloor = max(joined.CyclesFloor, parts[h].CyclesFloor)
		joined.Unevenness = max(joined.Unevenness, parts[h].Unevenness)
	}
	joined.Time, joined.WithinNS = stats.OnAny(times), stats.Median(within)
	components := stats.ComponentsOf(medians, joined.WithinNS)
	joined.BetweenHostsNS, joined.BetweenNS = components.Hosts, components.Launches
	if len(references) == len(parts) {
		joined.Reference, joined.ReferenceGHz = stats.OnAny(references), parts[0].ReferenceGHz
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
