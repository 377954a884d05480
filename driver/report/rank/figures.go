package rank

import (
	"math"
	"slices"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// figures are those by which members of a group are compared: medians of launches, or of rounds.
type figures struct {
	launches bool
	quiet    invocations.LaunchFigure // of the launches that a member has kept
	all      invocations.LaunchFigure // of all launches, if apart
	apart    bool                     // some member has set disturbed launches apart
	unpaired string                   // why launches of equal numbers were not made side by side; empty if they were
	// atOneClock says that launches can be compared that were not side by side.
	atOneClock bool
}

// of returns what is compared of a member.
func (f *figures) of(r member) stats.Variant {
	v := stats.Variant{Name: r.Name, SamplesNS: r.SamplesNS}
	v.Low, v.High = intervalOf(r)
	switch onlyDisturbed := isDisturbed(r); {
	case f.unpaired != "" && onlyDisturbed:
		v.Low, v.High = math.NaN(), math.NaN()
	case f.unpaired != "" && !f.atOneClock:
	case !f.launches:
		v.PairedNS = roundMedians(r.Record)
	default:
		if !f.apart || !onlyDisturbed {
			v.PairedNS, v.Half = f.quiet.Of(&r.RecordedLaunches), halfOf(r, f.quiet, f.unpaired != "")
		}
		if f.apart {
			v.AllNS = f.all.Of(r.WithAll())
		}
	}
	return v
}

// whyUnpaired says why launches of equal numbers were not made side by side; empty if they were.
func whyUnpaired(members []member) string {
	first := members[0]
	if slices.ContainsFunc(members, func(r member) bool { return r.run != first.run }) {
		return "several runs have measured them"
	}
	if slices.ContainsFunc(members, func(r member) bool {
		return len(r.Hosts)+len(first.Hosts) > 0 && r.HostNames() != first.HostNames()
	}) {
		return "different hosts have measured them"
	}
	return ""
}

// hasApart reports whether a member has set disturbed launches apart.
func hasApart(r member) bool { return r.AllLaunches != nil }

// isDisturbed reports whether a member had too few quiet launches for setting the others apart.
func isDisturbed(r member) bool {
	return !hasApart(r) && slices.Contains(r.Verdicts, invocations.Contended)
}

// chooseFigures returns the figures by which members can be compared.
func chooseFigures(members []member) figures {
	var quiet, all []*invocations.RecordedLaunches
	oneMachine := true
	for _, r := range members {
		if !isDisturbed(r) {
			quiet = append(quiet, &r.RecordedLaunches)
		}
		all, oneMachine = append(all, r.WithAll()), oneMachine && len(r.Hosts) == 0
	}
	if why := whyUnpaired(members); why != "" {
		figure, known := invocations.ComparedApart(quiet)
		return figures{launches: true, quiet: figure, unpaired: why, atOneClock: known && oneMachine}
	}
	figure, known := invocations.ComparedLaunches(all)
	switch apart := slices.ContainsFunc(members, hasApart); {
	case !known:
		return figures{}
	case !apart:
		return figures{launches: true, quiet: figure}
	}
	f := figures{launches: true, apart: true, all: figure}
	if oneMachine && !enoughSideBySide(members) {
		f.quiet, f.atOneClock = invocations.ComparedApart(quiet)
	}
	if !f.atOneClock {
		f.quiet, _ = invocations.ComparedLaunches(quiet)
	}
	return f
}

// enoughSideBySide reports whether so many launches were quiet for all members that the others need not count.
func enoughSideBySide(members []member) bool {
	quiet, all := make([][]float64, len(members)), make([][]float64, len(members))
	for i, r := range members {
		if !isDisturbed(r) {
			quiet[i] = invocations.WallTimes.Of(&r.RecordedLaunches)
		}
		all[i] = invocations.WallTimes.Of(r.WithAll())
	}
	return stats.EnoughQuiet(stats.CommonPairs(quiet), stats.CommonPairs(all))
}

// intervalOf returns the interval between launches, which samples do not show; 0 and 0 if samples tell all.
func intervalOf(r member) (low, high float64) {
	switch {
	case r.Launches == nil:
		return 0, 0
	case r.CILowNS != nil && r.CIHighNS != nil:
		return *r.CILowNS, *r.CIHighNS
	case *r.Launches < 2:
		return math.NaN(), math.NaN() // its samples do not tell it
	}
	return 0, 0
}

// halfOf returns how far the figure of a second run of a member may be off, as a fraction, or that of the same run at
// another time; 0 if it is not known.
func halfOf(r member, by invocations.LaunchFigure, run bool) float64 {
	i, floor := r.Reference(), r.ReferenceFloor
	if by == invocations.CountedCycles {
		i, floor = r.Cycles(), r.CyclesFloor
	}
	half := 0.0
	if i.Value > 0 && !math.IsInf(i.Half(), 0) {
		half = i.Half() / i.Value
	}
	if run && floor != nil {
		half = max(half, *floor)
	}
	return half
}

// roundMedians returns the medians of rounds. Those of several hosts are numbered as launches are: round n of host h is
// at n times the number of hosts, plus h. It returns nil if the hosts cannot have made equally many.
func roundMedians(r *invocations.Record) []float64 {
	list, hosts := r.MergedMediansNS(), max(1, len(r.Hosts))
	if len(list)%hosts != 0 {
		return nil
	}
	numbered, each := make([]float64, len(list)), len(list)/hosts
	for i, ns := range list {
		numbered[i%each*hosts+i/each] = ns
	}
	return numbered
}
