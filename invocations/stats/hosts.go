package stats

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// Components are parts of the variance of times that several hosts have measured in launches, as standard deviations.
type Components struct {
	Hosts    float64 // between hosts
	Launches float64 // between the launches of a host, beyond the error of each launch
}

// ComponentsOf returns the components of the medians of launches, a list for each host. within is the standard error of
// a median. The estimators are those of the analysis of variance with one random factor, whose levels may have different
// numbers of values (Searle, Casella and McCulloch, "Variance Components", 1992, section 3.6). A component that is
// explained by those below it is 0. If no host has two launches, the error of a launch stands for the variance of
// launches. Lists without values do not count.
func ComponentsOf(hosts [][]float64, within float64) Components {
	hosts = slices.DeleteFunc(slices.Clone(hosts), func(list []float64) bool { return len(list) == 0 })
	all := slices.Concat(hosts...)
	n, k := float64(len(all)), float64(len(hosts))
	inside, among, squares := 0.0, 0.0, 0.0
	center := stats.Mean(all)
	for _, list := range hosts {
		mean, size := stats.Mean(list), float64(len(list))
		for _, x := range list {
			inside += (x - mean) * (x - mean)
		}
		among += size * (mean - center) * (mean - center)
		squares += size * size
	}
	launches := within * within
	if n > k {
		launches = inside / (n - k)
	}
	c := Components{Launches: math.Sqrt(max(0, launches-within*within))}
	if k >= 2 {
		typical := (n - squares/n) / (k - 1) // number of launches of a host; n/k if all have the same
		c.Hosts = math.Sqrt(max(0, (among/(k-1)-launches)/typical))
	}
	return c
}

// OnAny returns the interval in which the figure of a second run lies with 95 % confidence, whichever of the hosts it is
// made on: the least that holds the interval of each host. Its value is the median of the hosts' values. It says nothing
// of other hosts.
func OnAny(hosts []Interval) Interval {
	var values []float64
	hull := hosts[0]
	for _, one := range hosts {
		values = append(values, one.Value)
		hull.Low, hull.High = min(hull.Low, one.Low), max(hull.High, one.High)
	}
	hull.Value = Median(values)
	return hull
}

// Apart reports whether the intervals of two hosts do not touch, so that the hosts differ.
func Apart(hosts []Interval) bool {
	low, high := math.Inf(-1), math.Inf(1)
	for _, one := range hosts {
		low, high = max(low, one.Low), min(high, one.High)
	}
	return low > high
}

// compareOnEach compares pairs by their log ratios. If the pairs are of several hosts, what it returns holds
// on each of them: the intervals hold those of each host, and the p-value is the greatest one.
func compareOnEach(ratios []float64, pairs []int, o RankOptions) comparison {
	c := comparePairs(ratios, o)
	for _, own := range o.byHost(pairs) {
		var d []float64
		for _, k := range own {
			d = append(d, ratios[k])
		}
		one := comparePairs(d, o)
		c.low, c.high = min(c.low, one.low), max(c.high, one.high)
		c.lowSame, c.highSame = min(c.lowSame, one.lowSame), max(c.highSame, one.highSame)
		c.p, c.detectable = max(c.p, one.p), max(c.detectable, one.detectable)
	}
	return c
}

// byHost returns the positions of each host's pairs; nil with one host.
func (o RankOptions) byHost(pairs []int) [][]int {
	if o.Hosts < 2 {
		return nil
	}
	own := make([][]int, o.Hosts)
	for k, r := range pairs {
		own[r%o.Hosts] = append(own[r%o.Hosts], k)
	}
	return own
}

// enoughPairs reports whether the pairs are enough to be compared pair by pair, on each host.
func (o RankOptions) enoughPairs(pairs []int) bool {
	few := func(own []int) bool { return len(own) < leastRanked }
	return len(pairs) >= leastRanked && !slices.ContainsFunc(o.byHost(pairs), few)
}
