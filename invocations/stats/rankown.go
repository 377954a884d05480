package stats

import "math"

// leastQuietPairs is how many pairs of quiet launches suffice, however many others there are.
const leastQuietPairs = 5

// EnoughQuiet reports whether so many of all pairs are quiet that the others need not count.
func EnoughQuiet(quiet, all []int) bool {
	return len(quiet) >= leastQuietPairs || 2*len(quiet) > len(all)
}

// all returns the medians of all launches.
func (v *Variant) all() []float64 {
	if v.AllNS != nil {
		return v.AllNS
	}
	return v.PairedNS
}

// alone reports whether it has enough launches to be compared by these alone.
func (v *Variant) alone() bool {
	n := 0
	for _, ns := range v.PairedNS {
		if usable(ns) {
			n++
		}
	}
	return n >= leastRanked
}

// basis is what two variants are compared by.
type basis int

const (
	quietPairs basis = iota
	ownLaunches
	allPairs
)

// against are two variants that are compared.
type against struct {
	best, other *Variant
	by          basis
	pairs       []int
}

// compared chooses what two variants are compared by.
func (o RankOptions) compared(best, other *Variant) against {
	quiet := CommonPairs([][]float64{best.PairedNS, other.PairedNS})
	all := CommonPairs([][]float64{best.all(), other.all()})
	switch {
	case o.Unpaired == "" && o.enoughPairs(quiet) && EnoughQuiet(quiet, all):
		return against{best, other, quietPairs, quiet}
	case o.AtOneClock && best.alone() && other.alone():
		return against{best, other, ownLaunches, nil}
	}
	return against{best, other, allPairs, all}
}

// ratios returns the logarithms of the ratios of the pairs.
func (a *against) ratios() []float64 {
	one, two := a.best.PairedNS, a.other.PairedNS
	if a.by == allPairs {
		one, two = a.best.all(), a.other.all()
	}
	return LogRatios(one, two)
}

// judge compares the two.
func (a *against) judge(o RankOptions) comparison {
	if a.by != ownLaunches {
		return compareOnEach(a.ratios(), a.pairs, o)
	}
	d := Independent(a.best.PairedNS, a.other.PairedNS, a.best.Half, a.other.Half)
	return comparison{
		center: math.Log(d.Ratio), low: math.Log(d.Low), high: math.Log(d.High),
		lowSame: math.Log(d.SameLow), highSame: math.Log(d.SameHigh), p: d.P, detectable: d.Detectable,
	}
}

// center returns the logarithm of the ratio of the two, without an interval.
func (a *against) center() float64 {
	if a.by != ownLaunches {
		return Median(a.ratios())
	}
	return typicalLog(a.other.PairedNS) - typicalLog(a.best.PairedNS)
}

// typicalLog returns the center of Independent.
func typicalLog(ns []float64) float64 {
	center, _, _ := trimmedMean(sortedLogs(ns))
	return center
}

// ownRows ranks variants by what each has in common with the best. Standings are left open. disturbed is how many rows
// are compared by all launches although some variant has set disturbed ones apart.
func ownRows(variants []Variant, chosen []int, o RankOptions) (rows []Row, disturbed int) {
	best := o.bestOf(variants, chosen)
	return rowsAgainst(variants, chosen, best, o, func(i int) comparison {
		a := o.compared(&variants[best], &variants[chosen[i]])
		if a.by == allPairs {
			disturbed++
		}
		return a.judge(o)
	}), disturbed
}

// bestOf returns the variant that no other one is faster than. If each is slower than some other one, since pairs are
// compared by different launches, it is one that another is the least faster than.
func (o RankOptions) bestOf(variants []Variant, chosen []int) int {
	best, least := chosen[0], math.Inf(-1)
	seen := map[int]bool{}
	for v := chosen[0]; !seen[v]; {
		seen[v] = true
		faster, by := o.fastestAgainst(variants, chosen, v)
		if by > least {
			best, least = v, by
		}
		v = faster
	}
	return best
}

// fastestAgainst returns who is the fastest compared with a variant, with the logarithm of the ratio: the variant itself
// and 0 if nobody is faster.
func (o RankOptions) fastestAgainst(variants []Variant, chosen []int, variant int) (fastest int, least float64) {
	fastest = variant
	for _, v := range chosen {
		if v == variant {
			continue
		}
		a := o.compared(&variants[variant], &variants[v])
		if c := a.center(); c < least {
			fastest, least = v, c
		}
	}
	return fastest, least
}
