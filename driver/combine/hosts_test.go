package combine

import (
	"math"
	"slices"
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// spreadsOf returns the results of hosts with these spreads.
func spreadsOf(spreads ...*invocations.Spread) (hosts []invocations.Result) {
	for _, s := range spreads {
		hosts = append(hosts, invocations.Result{OfDriver: invocations.OfDriver{Spread: s}})
	}
	return hosts
}

// If one host has set launches apart, the launches of all hosts are joined with and without them.
func TestJoinSpreadsApart(t *testing.T) {
	quiet := &invocations.Spread{Launches: 1, Numbers: []int{1}, MediansNS: []float64{10}}
	busy := &invocations.Spread{Launches: 1, Numbers: []int{0}, MediansNS: []float64{11},
		All: &invocations.Spread{Launches: 2, Numbers: []int{0, 1}, MediansNS: []float64{11, 20}}}
	joined := spreadOfHosts(spreadsOf(quiet, busy))
	if !slices.Equal(joined.Numbers, []int{2, 1}) || joined.All == nil || !slices.Equal(joined.All.Numbers, []int{2, 1, 3}) ||
		!slices.Equal(joined.All.MediansNS, []float64{10, 11, 20}) {
		t.Errorf("%+v, all: %+v", joined, joined.All)
	}
	if joined := spreadOfHosts(spreadsOf(quiet, quiet)); joined.All != nil {
		t.Errorf("none is set apart: %+v", joined.All)
	}
}

// Times at reference clocks that differ are not joined. Equal hosts know theirs a little differently.
func TestJoinSpreadsClocks(t *testing.T) {
	host := func(ghz float64) *invocations.Spread {
		i := stats.Interval{Value: 10, Low: 9, High: 11}
		return &invocations.Spread{Launches: 1, Numbers: []int{0}, MediansNS: []float64{10},
			ReferenceMedians: []float64{9}, Time: i, Reference: i, ReferenceGHz: ghz}
	}
	same, other := spreadOfHosts(spreadsOf(host(3), host(3))), spreadOfHosts(spreadsOf(host(3), host(4)))
	if !same.Reference.Known() || same.ReferenceGHz != 3 || len(same.ReferenceMedians) != 2 || same.Cycles.Known() {
		t.Errorf("equal clocks: %+v", same)
	}
	near := spreadOfHosts(spreadsOf(host(3), host(3.03)))
	if near.ReferenceGHz != 3 || math.Abs(near.Reference.High-11.11) > 1e-9 || near.Reference.Low != 9 ||
		len(near.ReferenceMedians) != 2 || math.Abs(near.ReferenceMedians[1]-9.09) > 1e-9 {
		t.Errorf("clocks of equal hosts: %+v", near)
	}
	if other.Reference.Known() || other.ReferenceMedians != nil || other.ReferenceGHz != 0 || other.Launches != 2 {
		t.Errorf("other clocks: %+v", other)
	}
}
