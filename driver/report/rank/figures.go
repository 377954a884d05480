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
	all      invocations.LaunchFigure // of all launches, if some member has set disturbed ones apart
}

// variantsOf returns what is compared of the members of a group, and tells o how.
func variantsOf(members []member, o *stats.RankOptions) ([]stats.Variant, figures) {
	o.Hosts, o.Unpaired = len(members[0].Hosts), whyUnpaired(members)
	by := chooseFigures(members, o)
	apart := slices.ContainsFunc(members, hasApart)
	variants := make([]stats.Variant, len(members))
	for i, r := range members {
		v := stats.Variant{Name: r.Name, SamplesNS: r.SamplesNS}
		v.Low, v.High = intervalOf(r)
		switch onlyDisturbed := isDisturbed(r); {
		case o.Unpaired != "" && onlyDisturbed:
			v.Low, v.High = math.NaN(), math.NaN()
		case o.Unpaired != "" && !o.AtOneClock:
		case !by.launches:
			v.PairedNS = roundMedians(r.Record)
		default:
			if !apart || !onlyDisturbed {
				v.PairedNS, v.Half = by.quiet.Of(&r.RecordedLaunches), halfOf(r, by.quiet, o.Unpaired != "")
			}
			if apart {
				v.AllNS = by.all.Of(r.WithAll())
			}
		}
		variants[i] = v
	}
	return variants, by
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

// chooseFigures returns the figures by which members can be compared. Where these are launches that were not side by
// side, it tells o so.
func chooseFigures(members []member, o *stats.RankOptions) figures {
	var quiet, all []*invocations.RecordedLaunches
	for _, r := range members {
		if !isDisturbed(r) {
			quiet = append(quiet, &r.RecordedLaunches)
		}
		all = append(all, r.WithAll())
	}
	oneMachine := !slices.ContainsFunc(members, func(r member) bool { return len(r.Hosts) > 0 })
	figure, known := invocations.ComparedLaunches(all)
	switch apart := slices.ContainsFunc(members, hasApart); {
	case o.Unpaired != "":
		figure, known = invocations.ComparedApart(quiet)
		o.AtOneClock = known && oneMachine
		return figures{launches: true, quiet: figure}
	case !known:
		return figures{}
	case !apart:
		return figures{launches: true, quiet: figure}
	}
	by := figures{launches: true, all: figure}
	if by.quiet, known = invocations.ComparedApart(quiet); known && oneMachine && !enoughSideBySide(members) {
		o.AtOneClock = true
		return by
	}
	by.quiet, _ = invocations.ComparedLaunches(quiet)
	return by
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
