package combine

import (
	"fmt"
	"math"
	"slices"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

const (
	// leastUneven is by which factor the mean of the batches of a row differs from their median if its calls are not alike.
	// Of 2,200 rows of others, quiet and beside other work, it differed by 1.035 at most.
	leastUneven = 1.05
	// unevenErrors is by how many standard errors of that factor it must exceed leastUneven, and muchUneven if fewer than
	// unevenLaunches tell, unless so many do, and each exceeds leastUneven. Of 24,000 launches of calls that are alike, 3 %
	// did, two in a row in 0.3 %, and three in 0.04 %.
	unevenErrors   = 2.0
	unevenLaunches = 3
	muchUneven     = 1.2
	// enoughToDoubt is the number of launches that can tell anything: one may have been disturbed.
	enoughToDoubt = 1.9
	// mostHidden is the share of the batches that look quiet which a neighbour may have slowed nevertheless: probes show the
	// core before a batch and after it. On an Emerald Rapids, a matrix product took 23 us in 85 % of these, and 36 in others.
	mostHidden = 0.5
	// ownWork is how many times as long as the calling thread works a call may take: other threads do little then.
	ownWork = 1.2
)

// unevenness tells whether calls are alike.
type unevenness struct {
	factors []float64 // of each launch: the mean time of its calls as a multiple of that of the usual ones; nil: they are alike
	doubt   odds      // by which the mean may be another one, as the launches do not tell yet
}

// unevennessOf tells whether calls are alike. They are not if one in ten flushes a buffer, say, or one in a hundred: who
// makes many calls waits for their mean then, and not for the usual ones. CPU times of batches show it, in which other work
// does not show; they show nothing if other threads do the work.
func unevennessOf(results []invocations.Result) (u unevenness) {
	var factors, shares []float64 // a share is how much a launch tells, of what the one with most batches tells
	for i := range results {
		f, batches := unevenIn(&results[i]), float64(len(results[i].CPUSamplesNS))
		if f == 0 {
			f, batches = 1, 0
		}
		factors, shares = append(factors, f), append(shares, batches)
	}
	shares = sharesOfQuiet(results, shares)
	if most := slices.Max(shares); most > 0 {
		for i := range shares {
			shares[i] /= most
		}
	}
	mean, err, launches := stats.WeightedMean(factors, shares)
	least := leastUneven
	if launches < unevenLaunches {
		least = muchUneven
	}
	switch off := math.Abs(mean - 1); {
	case off <= leastUneven-1 || launches < enoughToDoubt:
		return u
	case off-unevenErrors*err <= least-1 && !eachUneven(factors, shares), off <= mostHidden*slowerBy(results, shares):
		u.doubt = odds{less: max(0, 1-mean), more: max(0, mean-1)}
		return u
	}
	for i, f := range factors { // a launch of few batches is taken to be like the others
		u.factors = append(u.factors, 1)
		if r := &results[i]; r.Summary.MedianNS > r.OverheadNS { // CPU times are with the loop
			f = mean + shares[i]*(f-mean)
			u.factors[i] += (f - 1) * (1 + r.OverheadNS/r.Summary.MedianNS)
		}
	}
	return u
}

// slowerBy returns by how much neighbours slow the calls of launches whose shares tell.
func slowerBy(results []invocations.Result, shares []float64) float64 {
	var slower []float64
	for i := range results {
		slower = append(slower, results[i].Apart.Slower)
	}
	mean, _, _ := stats.WeightedMean(slower, shares)
	return mean
}

// eachUneven reports whether each of several launches says that calls are not alike.
func eachUneven(factors, shares []float64) bool {
	var tell []float64
	for i, f := range factors {
		if shares[i] > 0 {
			tell = append(tell, f)
		}
	}
	return len(tell) >= unevenLaunches && math.Abs(stats.Common(tell)-1) > leastUneven-1
}

// sharesOfQuiet returns what launches tell if those count for nothing most of whose batches were disturbed, unless too few
// are left. Such launches go on for long, and what they keep is not quiet either.
func sharesOfQuiet(results []invocations.Result, shares []float64) []float64 {
	quiet, left := slices.Clone(shares), 0
	for i := range results {
		if results[i].Discarded.Disturbed > int64(len(results[i].CPUSamplesNS)) {
			quiet[i] = 0
		}
		if quiet[i] > 0 {
			left++
		}
	}
	if left < unevenLaunches {
		return shares
	}
	return quiet
}

// open reports whether further launches may tell whether calls are alike.
func (u unevenness) open(launches int) bool { return u.doubt.most() > 0 && launches < manyLaunches }

// unevenIn returns the factor of a launch; 0 if it does not tell.
func unevenIn(r *invocations.Result) float64 {
	gross := r.Summary.MedianNS + r.OverheadNS
	if r.Canary.Why != "" || r.Summary.CPUMedianNS < gross/ownWork || r.Stop == invocations.StopIterations {
		return 0 // of a given number of calls, the first is another one
	}
	f := stats.Unevenness(r.CPUSamplesNS)
	if f > 0 {
		f += r.Apart.Long
	}
	return f
}

// longCalls is how many times the usual CPU time a batch takes at least if its calls are longer themselves: neighbours make
// it less than twice as long.
const longCalls = 2.5

// reduceApart keeps of the CPU times of a launch's batches that were set apart what is needed after it. Long calls are set
// apart more often than others.
func reduceApart(r *invocations.Result) {
	if usual := stats.Median(r.CPUSamplesNS); usual > 0 && len(r.Apart.CPUNS) > 0 {
		kept, apart := float64(len(r.CPUSamplesNS)), float64(max(r.Discarded.Disturbed, 1))
		r.Apart.Long = apart / (kept + apart) * (longOnes(r.Apart.CPUNS, usual) - longOnes(r.CPUSamplesNS, usual))
		others := slices.DeleteFunc(slices.Clone(r.Apart.CPUNS), func(ns float64) bool { return ns >= longCalls*usual })
		if len(others) > 0 {
			r.Apart.Slower = max(0, stats.Median(others)/usual-1)
		}
	}
	r.Apart.CPUNS = nil
}

// longOnes returns what long calls add to the mean of batches, as a multiple of the usual time.
func longOnes(batches []float64, usual float64) (more float64) {
	for _, ns := range batches {
		if ns >= longCalls*usual {
			more += (ns/usual - 1) / float64(len(batches))
		}
	}
	return more
}

// Doubt returns by which fraction the time may be too short as yet: by how much all batches so far seem not to be alike,
// whether or not that is known. Those of calls that are alike hardly ever seem so.
func (l *Launches) Doubt() float64 {
	if len(l.Results) == 0 || unevennessOf(l.Results).factors != nil {
		return 0
	}
	all := l.Results[0]
	all.CPUSamplesNS, all.Apart.Long = nil, 0
	for i := range l.Results {
		one := &l.Results[i]
		all.CPUSamplesNS = append(all.CPUSamplesNS, one.CPUSamplesNS...)
		all.Apart.Long += one.Apart.Long / float64(len(l.Results))
	}
	if f := unevenIn(&all); f > muchUneven {
		return f - 1
	}
	return 0
}

// means returns launches whose medians are the means of their calls, if these are not alike.
func (u unevenness) means(launches []invocations.Result) []invocations.Result {
	if u.factors == nil {
		return launches
	}
	launches = slices.Clone(launches)
	for i, f := range u.factors {
		s, c := &launches[i].Summary, &launches[i].Cycles
		for _, figure := range []*float64{&s.MedianNS, &s.CILowNS, &s.CIHighNS, &s.CPUMedianNS, &c.Median, &c.Typical} {
			*figure *= f
		}
	}
	return launches
}

// factor returns the middle factor; 0 if calls are alike.
func (u unevenness) factor() float64 {
	if u.factors == nil {
		return 0
	}
	return stats.Median(u.factors)
}

// note says that calls are not alike; "" if they are.
func (u unevenness) note() string {
	if u.doubt.most() > 0 {
		return "its calls may not be alike: " + u.doubt.parts("their mean takes")
	}
	if u.factors == nil {
		return ""
	}
	return fmt.Sprintf("its calls are not alike: the time is their mean, which is %.3g times that of the usual ones",
		u.factor())
}
