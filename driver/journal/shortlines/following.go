package shortlines

import (
	"slices"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// What follows from other fields of a record is left out of its line in a long journal, and restored when the line is
// read.

// following is a field that follows from others. Its value is nil if it does not.
type following struct {
	at    func(*invocations.Record) **float64
	value *float64
}

// followingList is a list that follows from other fields. Its value is nil if it does not.
type followingList struct {
	at    func(*invocations.Record) *[]float64
	value []float64
}

// shortenFigures removes from s, a copy of r, what follows from the samples. It reports false if restoreFigures could not
// restore it.
func shortenFigures(r, s *invocations.Record) bool {
	if !fewSamples(r) {
		return true
	}
	for _, f := range figures(r) {
		if *f.at(r) == nil && f.value != nil { // it is absent, and would be restored
			return false
		}
		if v := *f.at(s); v != nil && f.value != nil && same(*v, *f.value) {
			*f.at(s) = nil
		}
	}
	for _, l := range lists(r) {
		if *l.at(r) == nil && l.value != nil {
			return false
		}
		if slices.EqualFunc(*l.at(s), l.value, same) {
			*l.at(s) = nil
		}
	}
	return shortenCounts(r, s)
}

// shortenCounts removes the numbers of calls and of samples of the only launch. It reports false if they could not be
// restored.
func shortenCounts(r, s *invocations.Record) bool {
	if n := calls(r); n != nil {
		if r.Iterations == nil {
			return false
		}
		if *r.Iterations == *n {
			s.Iterations = nil
		}
	}
	if r.Launches == nil {
		return true
	}
	if slices.Equal(r.MergedSamples, []int{len(r.SamplesNS)}) {
		s.MergedSamples = nil
	}
	return r.MergedSamples != nil
}

// restoreFigures sets the absent fields that follow from the samples.
func restoreFigures(r *invocations.Record) {
	if !fewSamples(r) {
		return
	}
	for _, f := range figures(r) {
		if *f.at(r) == nil {
			*f.at(r) = f.value
		}
	}
	for _, l := range lists(r) {
		fillList(l.at(r), l.value)
	}
	fill(&r.Iterations, calls(r))
	if r.Launches != nil {
		fillList(&r.MergedSamples, []int{len(r.SamplesNS)})
	}
}

// fewSamples reports whether a record has so few samples, of one launch, that their figures are left out.
func fewSamples(r *invocations.Record) bool {
	n := len(r.SamplesNS)
	return 0 < n && n < invocations.FewBatches && r.MedianNS != nil && (r.Launches == nil || *r.Launches == 1)
}

// calls returns the number of timed calls that follows from the samples.
func calls(r *invocations.Record) *int64 {
	if r.CallsPerBatch == nil {
		return nil
	}
	calls := int64(len(r.SamplesNS)) * *r.CallsPerBatch
	return &calls
}

// figures returns the numbers that follow from the samples. It does not look at these numbers.
func figures(r *invocations.Record) []following {
	s := stats.Summarize(r.SamplesNS, nil)
	list := []following{
		{func(r *invocations.Record) **float64 { return &r.MinNS }, invocations.Recorded(s.MinNS)},
		{func(r *invocations.Record) **float64 { return &r.P90NS }, invocations.Recorded(s.P90NS)},
		{func(r *invocations.Record) **float64 { return &r.P99NS }, invocations.Recorded(s.P99NS)},
		{func(r *invocations.Record) **float64 { return &r.MeanNS }, invocations.Recorded(s.MeanNS)},
		{func(r *invocations.Record) **float64 { return &r.MADNS }, invocations.Recorded(s.MADNS)},
	}
	if r.OverheadNS != nil {
		raw := invocations.Recorded(*r.MedianNS + *r.OverheadNS)
		list = append(list, following{func(r *invocations.Record) **float64 { return &r.RawMedianNS }, raw})
	}
	if len(r.CPUSamplesNS) > 0 {
		cpu := invocations.Recorded(stats.Median(r.CPUSamplesNS))
		list = append(list, following{func(r *invocations.Record) **float64 { return &r.CPUMedianNS }, cpu})
	}
	if r.Launches == nil {
		return list
	}
	list = append(list, following{func(r *invocations.Record) **float64 { return &r.BetweenNS }, new(float64)})
	if len(r.SamplesNS) == 1 {
		list = append(list, following{func(r *invocations.Record) **float64 { return &r.WithinNS }, new(float64)})
	}
	return list
}

// lists returns the lists that follow from the medians of the only launch.
func lists(r *invocations.Record) []followingList {
	if r.Launches == nil {
		return nil
	}
	medians := []float64{*r.MedianNS}
	if len(r.SamplesNS) == 1 { // lines of earlier versions leave them out by this rule
		medians = r.SamplesNS
	}
	list := []followingList{{func(r *invocations.Record) *[]float64 { return &r.LaunchMediansNS }, medians}}
	if r.ReferenceNS != nil {
		list = append(list, followingList{func(r *invocations.Record) *[]float64 { return &r.LaunchReference },
			[]float64{*r.ReferenceNS}})
	}
	return list
}

// canary returns the numbers of quiet and of disturbed batches. It reports false if the record has none.
func canary(r *invocations.Record) (c invocations.Canary, ok bool) {
	if r.ProbedBatches == nil || *r.ProbedBatches <= 0 {
		return c, false
	}
	c.Batches, c.Quiet = *r.ProbedBatches, *r.ProbedBatches
	if d := r.Disturbed; d != nil {
		c.Core, c.Caches, c.Slow, c.Interrupted = d.Core, d.Caches, d.Clock, d.Interrupted
		c.Quiet -= d.Core + d.Caches + d.Clock + d.Interrupted
	}
	return c, true
}

// disturbance returns the note that follows from other fields, that on what disturbed the batches; "" if none does.
func disturbance(r *invocations.Record) string {
	if c, ok := canary(r); ok && r.Disturbed != nil && slices.Contains(r.Verdicts, invocations.Contended) {
		return c.Disturbance()
	}
	return ""
}

// notesWithout returns the notes without one, if that is the last of them.
func notesWithout(r *invocations.Record, note string) []string {
	n := len(r.Notes) - 1
	switch {
	case n < 0 || note == "" || r.Notes[n] != note:
		return r.Notes
	case n == 0:
		return nil
	}
	return r.Notes[:n:n]
}

// shortenDisturbance removes from s, a copy of r, what follows from the numbers of disturbed batches, and notes that are
// in common. It reports false if restoreDisturbance could not restore it.
func shortenDisturbance(r, s *invocations.Record, common invocations.Common) bool {
	note := disturbance(r)
	s.Notes = notesWithout(r, note)
	removeAll(&s.Notes, common.Notes)
	if note != "" && !slices.Contains(r.Notes, note) {
		return false
	}
	c, ok := canary(r)
	if !ok {
		return true
	}
	if share := c.QuietShare(); r.QuietShare != nil && same(*r.QuietShare, *share) {
		s.QuietShare = nil
	}
	return r.QuietShare != nil
}

// restoreDisturbance adds what follows from the numbers of disturbed batches, unless it is there.
func restoreDisturbance(r *invocations.Record) {
	if note := disturbance(r); note != "" && !slices.Contains(r.Notes, note) {
		r.Notes = append(r.Notes[:len(r.Notes):len(r.Notes)], note)
	}
	if c, ok := canary(r); ok {
		fill(&r.QuietShare, c.QuietShare())
	}
}
