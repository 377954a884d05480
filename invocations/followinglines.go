package invocations

import (
	"slices"

	"zonemark/invocations/stats"
)

// What follows from other fields of a record is left out of its line in a long journal, and restored when the line is
// read.

// mostFollowing is the greatest number of samples whose figures are left out. Those of more are short beside the samples,
// and computing them when a journal is read would take long.
const mostFollowing = 16

// FewBatches is a number of samples from which on no other fields follow from them. Readers that need no values of
// batches may leave out those behind it.
const FewBatches = mostFollowing + 1

// SamplesKey is the key of the samples. In lines that zonemark writes, it is before the other keys of OfBatches.
const SamplesKey = "samples_ns"

// OfBatches reports whether a key of a result's line is a list with a value for each batch, of which readers may leave
// out the end.
func OfBatches(key string) bool {
	switch key {
	case SamplesKey, "cpu_samples_ns", "apart_ns", "apart_after":
		return true
	}
	return false
}

// following is a field that follows from others. Its value is nil if it does not.
type following struct {
	at    func(*Record) **float64
	value *float64
}

// followingList is a list that follows from other fields. Its value is nil if it does not.
type followingList struct {
	at    func(*Record) *[]float64
	value []float64
}

// shortenFigures removes from s, a copy of r, what follows from the samples. It reports false if restoreFigures could not
// restore it.
func (r *Record) shortenFigures(s *Record) bool {
	if !r.fewSamples() {
		return true
	}
	for _, f := range r.following() {
		if *f.at(r) == nil && f.value != nil { // it is absent, and would be restored
			return false
		}
		if v := *f.at(s); v != nil && f.value != nil && same(*v, *f.value) {
			*f.at(s) = nil
		}
	}
	for _, l := range r.followingLists() {
		if *l.at(r) == nil && l.value != nil {
			return false
		}
		if slices.EqualFunc(*l.at(s), l.value, same) {
			*l.at(s) = nil
		}
	}
	return r.shortenCounts(s)
}

// shortenCounts removes the numbers of calls and of samples of the only launch. It reports false if they could not be
// restored.
func (r *Record) shortenCounts(s *Record) bool {
	if calls := r.calls(); calls != nil {
		if r.Iterations == nil {
			return false
		}
		if *r.Iterations == *calls {
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
func (r *Record) restoreFigures() {
	if !r.fewSamples() {
		return
	}
	for _, f := range r.following() {
		if *f.at(r) == nil {
			*f.at(r) = f.value
		}
	}
	for _, l := range r.followingLists() {
		fillList(l.at(r), l.value)
	}
	fill(&r.Iterations, r.calls())
	if r.Launches != nil {
		fillList(&r.MergedSamples, []int{len(r.SamplesNS)})
	}
}

// fewSamples reports whether a record has so few samples, of one launch, that their figures are left out.
func (r *Record) fewSamples() bool {
	n := len(r.SamplesNS)
	return 0 < n && n <= mostFollowing && r.MedianNS != nil && (r.Launches == nil || *r.Launches == 1)
}

// calls returns the number of timed calls that follows from the samples.
func (r *Record) calls() *int64 {
	if r.CallsPerBatch == nil {
		return nil
	}
	calls := int64(len(r.SamplesNS)) * *r.CallsPerBatch
	return &calls
}

// following returns the numbers that follow from the samples. It does not look at these numbers.
func (r *Record) following() []following {
	s := stats.Summarize(r.SamplesNS, nil)
	list := []following{
		{func(r *Record) **float64 { return &r.MinNS }, finite(s.MinNS)},
		{func(r *Record) **float64 { return &r.P90NS }, finite(s.P90NS)},
		{func(r *Record) **float64 { return &r.P99NS }, finite(s.P99NS)},
		{func(r *Record) **float64 { return &r.MeanNS }, finite(s.MeanNS)},
		{func(r *Record) **float64 { return &r.MADNS }, finite(s.MADNS)},
	}
	if r.OverheadNS != nil {
		raw := finite(*r.MedianNS + *r.OverheadNS)
		list = append(list, following{func(r *Record) **float64 { return &r.RawMedianNS }, raw})
	}
	if len(r.CPUSamplesNS) > 0 {
		cpu := finite(stats.Median(r.CPUSamplesNS))
		list = append(list, following{func(r *Record) **float64 { return &r.CPUMedianNS }, cpu})
	}
	if r.Launches == nil {
		return list
	}
	list = append(list, following{func(r *Record) **float64 { return &r.BetweenNS }, new(float64)})
	if len(r.SamplesNS) == 1 {
		list = append(list, following{func(r *Record) **float64 { return &r.WithinNS }, new(float64)})
	}
	return list
}

// followingLists returns the lists that follow from the medians of the only launch.
func (r *Record) followingLists() []followingList {
	if r.Launches == nil {
		return nil
	}
	medians := []float64{*r.MedianNS}
	if len(r.SamplesNS) == 1 { // lines of earlier versions leave them out by this rule
		medians = r.SamplesNS
	}
	list := []followingList{{func(r *Record) *[]float64 { return &r.LaunchMediansNS }, medians}}
	if r.ReferenceNS != nil {
		list = append(list, followingList{func(r *Record) *[]float64 { return &r.LaunchReference },
			[]float64{*r.ReferenceNS}})
	}
	return list
}

// canary returns the numbers of quiet and of disturbed batches. It reports false if the record has none.
func (r *Record) canary() (c Canary, ok bool) {
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

// quietShare returns the share of quiet batches, as a record has it; nil if there are no batches.
func (c Canary) quietShare() *float64 {
	if c.Batches <= 0 {
		return nil
	}
	return finite(float64(c.Quiet) / float64(c.Batches))
}

// disturbance returns the note that follows from other fields, that on what disturbed the batches; "" if none does.
func (r *Record) disturbance() string {
	if c, ok := r.canary(); ok && r.Disturbed != nil && slices.Contains(r.Verdicts, Contended) {
		return c.Disturbance()
	}
	return ""
}

// notesWithout returns the notes without one, if that is the last of them.
func (r *Record) notesWithout(note string) []string {
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
func (r *Record) shortenDisturbance(s *Record, common Common) bool {
	note := r.disturbance()
	s.Notes = r.notesWithout(note)
	removeAll(&s.Notes, common.Notes)
	if note != "" && !slices.Contains(r.Notes, note) {
		return false
	}
	c, ok := r.canary()
	if !ok {
		return true
	}
	if share := c.quietShare(); r.QuietShare != nil && same(*r.QuietShare, *share) {
		s.QuietShare = nil
	}
	return r.QuietShare != nil
}

// restoreDisturbance adds what follows from the numbers of disturbed batches, unless it is there.
func (r *Record) restoreDisturbance() {
	if note := r.disturbance(); note != "" && !slices.Contains(r.Notes, note) {
		r.Notes = append(r.Notes[:len(r.Notes):len(r.Notes)], note)
	}
	if c, ok := r.canary(); ok {
		fill(&r.QuietShare, c.quietShare())
	}
}
