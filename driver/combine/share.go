package combine

import (
	"math/rand/v2"
	"slices"
	"sort"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

const (
	// mostSamples is the number of batches of a result whose times are kept: twice those that an executor keeps of a
	// launch. A result of a thousand launches would have 50 million.
	mostSamples = 100_000
	// mostCalls is the same for launches of a fixed number of calls, whose times users ask for.
	mostCalls = 1_000_000
	// mostApart is the number of batches of a result that were set apart and whose times are kept.
	mostApart = 20_000
)

// share bounds how many samples the parts of a result keep together: those of its launches, or of its hosts. When there
// are too many, each part keeps one of 2, 4, 8, … samples, so that the parts weigh as much as before. The zero value is
// usable.
type share struct {
	each, apart int // one of so many is kept; 0: all of them
	random      *rand.Rand
}

// mostOf returns how many samples a result of this measure keeps.
func mostOf(m *invocations.Measure) int {
	if m.Iterations > 0 {
		return mostCalls
	}
	return mostSamples
}

// ShareOf returns the result of one of several hosts with its share of the samples that a result of all of them keeps.
func ShareOf(result *invocations.Result, m invocations.Measure, hosts int) *invocations.Result {
	part := []invocations.Result{*result}
	new(share).bound(part, mostOf(&m)/hosts)
	return &part[0]
}

// bound thins the parts of a result so that they have this many samples at most, or one each. The last part is new; the
// others were bounded before.
func (s *share) bound(parts []invocations.Result, most int) {
	if s.random == nil {
		s.each, s.apart, s.random = 1, 1, rand.New(rand.NewPCG(1, 2))
	}
	if len(parts) == 0 {
		return
	}
	last := &parts[len(parts)-1]
	s.thin(last, s.each)
	s.thinApart(last, s.apart)
	for total := countSamples(parts); total > most; {
		s.each *= 2
		for i := range parts {
			s.thin(&parts[i], 2)
		}
		before := total
		if total = countSamples(parts); total == before {
			break
		}
	}
	for total := countApart(parts); total > mostApart; total = countApart(parts) {
		s.apart *= 2
		for i := range parts {
			s.thinApart(&parts[i], 2)
		}
	}
}

func countSamples(parts []invocations.Result) (n int) {
	for i := range parts {
		n += len(parts[i].SamplesNS)
	}
	return n
}

func countApart(parts []invocations.Result) (n int) {
	for i := range parts {
		n += len(parts[i].Apart.NS)
	}
	return n
}

// thin leaves one of so many samples of a result, and the CPU times that belong to them. If the result is merged, each of
// what it was merged of is thinned for itself. The summary stays that of all samples.
func (s *share) thin(r *invocations.Result, each int) {
	if each <= 1 || len(r.SamplesNS) == 0 {
		return
	}
	parts := r.MergedSamples
	if len(parts) == 0 {
		parts = []int{len(r.SamplesNS)}
	}
	var kept []int
	sizes, begin := make([]int, len(parts)), 0
	for i, n := range parts {
		few := s.some(r, begin, begin+n, each)
		kept, sizes[i], begin = append(kept, few...), len(few), begin+n
	}
	if r.MergedSamples != nil {
		r.MergedSamples = sizes
	}
	if len(r.CPUSamplesNS) == len(r.SamplesNS) {
		r.CPUSamplesNS = valuesAt(r.CPUSamplesNS, kept)
	}
	r.SamplesNS = valuesAt(r.SamplesNS, kept)
	r.Apart.After = slices.Clone(r.Apart.After)
	for i, after := range r.Apart.After {
		r.Apart.After[i] = int64(sort.SearchInts(kept, int(after)))
	}
}

// some returns the places of one of so many samples from begin to end, in order, at least one if there are any. They are
// evenly spread over the sorted samples, so that quantiles stay as they are. Those of a fixed number of calls are evenly
// spread over time: what calls of other functions are added to must be the same calls.
func (s *share) some(r *invocations.Result, begin, end, each int) []int {
	samples := make([]timedAt, end-begin)
	for i := range samples {
		samples[i] = timedAt{r.SamplesNS[begin+i], begin + i}
	}
	if r.Stop == invocations.StopIterations {
		return s.evenly(samples, each)
	}
	slices.SortFunc(samples, func(a, b timedAt) int {
		switch {
		case a.ns < b.ns:
			return -1
		case a.ns > b.ns:
			return 1
		}
		return a.place - b.place
	})
	few := s.evenly(samples, each)
	slices.Sort(few)
	return few
}

// timedAt is a sample and its place in a result.
type timedAt struct {
	ns    float64
	place int
}

// evenly returns the places of one of so many samples, evenly from a random one on; all have the same chance to be kept.
func (s *share) evenly(samples []timedAt, each int) []int {
	n := len(samples)
	if n == 0 {
		return nil
	}
	few := make([]int, max(1, (n+each/2)/each))
	step, first := float64(n)/float64(len(few)), s.random.Float64()
	for i := range few {
		few[i] = samples[min(n-1, int((float64(i)+first)*step))].place
	}
	return few
}

// thinApart leaves one of so many of the batches that were set apart.
func (s *share) thinApart(r *invocations.Result, each int) {
	if each <= 1 {
		return
	}
	var few invocations.ApartBatches
	for i := s.random.IntN(each); i < len(r.Apart.NS); i += each {
		few.NS, few.After = append(few.NS, r.Apart.NS[i]), append(few.After, r.Apart.After[i])
	}
	r.Apart = few
}

// valuesAt returns the values at some places, in memory of their own: what was there before can be freed.
func valuesAt(values []float64, places []int) []float64 {
	few := make([]float64, len(places))
	for i, place := range places {
		few[i] = values[place]
	}
	return few
}

// summarize sets the summary of a result by what it keeps of its parts. Their numbers of samples, least times and means
// are those of all samples, also of those that are not kept, and a note tells so.
func summarize(out *invocations.Result, parts []invocations.Result) {
	s := stats.Summarize(out.SamplesNS, out.CPUSamplesNS)
	all, least, sum := 0, s.MinNS, 0.0
	for i := range parts {
		one := &parts[i].Summary
		if one.N == 0 {
			continue
		}
		all, least, sum = all+one.N, min(least, one.MinNS), sum+one.MeanNS*float64(one.N)
	}
	if all > s.N && s.N > 0 {
		AddNote(&out.Notes, "of its %d batches, the times of %d are kept, spread evenly over all launches", all, s.N)
		s.N, s.MinNS, s.MeanNS = all, least, sum/float64(all)
	}
	out.Summary = s
}
