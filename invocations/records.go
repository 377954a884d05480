package invocations

import (
	"iter"

	"zonemark/invocations/packed"
)

// Records are results in an order, for example the plan's. There may be hundreds of thousands, so they are kept packed,
// unless RecordsOf or StoredRecords made the list. The zero value is an empty list.
type Records struct {
	packed packed.List[Record]
	plain  []Record // of RecordsOf

	stored func(n int, brief bool) (*Record, error) // of StoredRecords
	at     []int32                                  // the numbers of stored results by place, from 1; 0: the place is in packed
	own    bool                                     // no other list shares packed, so that short records can be put there
}

// RecordsOf makes a list of few records. At returns the records themselves, which may be changed.
func RecordsOf(list ...Record) *Records { return &Records{plain: list} }

// StoredRecords makes a list of n records that are kept elsewhere. read returns a new copy of the record with a number,
// from 0, which is its place in the list. Of a brief one, it may leave out all but the first FewBatches values of lists
// that have one for each batch. If it returns an error, the method of the list that needs the record panics with an
// *UnreadableError.
func StoredRecords(n int, read func(number int, brief bool) (*Record, error)) Records {
	l := Records{stored: read, at: make([]int32, n)}
	for i := range l.at {
		l.at[i] = int32(i + 1)
	}
	l.packed.Resize(n)
	return l
}

// UnreadableError is what a list of stored records panics with if a record cannot be read.
type UnreadableError struct{ Err error }

func (e *UnreadableError) Error() string { return e.Err.Error() }
func (e *UnreadableError) Unwrap() error { return e.Err }

// Len returns the number of places, 0 for nil.
func (l *Records) Len() int {
	if l == nil {
		return 0
	}
	return max(len(l.plain), l.packed.Len())
}

// At returns the record in a place, or a copy of it. Nobody may change what its lists and maps hold.
func (l *Records) At(i int) *Record { return l.get(i, false) }

func (l *Records) get(i int, brief bool) *Record {
	switch {
	case l.plain != nil:
		return &l.plain[i]
	case !l.isStored(i):
		return l.packed.At(i)
	}
	r, err := l.stored(int(l.at[i])-1, brief)
	if err != nil {
		panic(&UnreadableError{err})
	}
	if l.own && len(r.SamplesNS) < FewBatches { // it is whole, and reports read each record several times
		l.Set(i, r)
	}
	return r
}

func (l *Records) isStored(i int) bool { return i < len(l.at) && l.at[i] > 0 }

// All iterates over the records with their places.
func (l *Records) All() iter.Seq2[int, *Record] {
	return func(yield func(int, *Record) bool) {
		for i := range l.Len() {
			if !yield(i, l.At(i)) {
				return
			}
		}
	}
}

// Brief iterates like All. Lists with a value for each batch may lack all but their first FewBatches values, so that
// reading what is stored takes a fraction of the time.
func (l *Records) Brief() iter.Seq2[int, *Record] {
	return func(yield func(int, *Record) bool) {
		for i := range l.Len() {
			if !yield(i, l.get(i, true)) {
				return
			}
		}
	}
}

// Reordered returns a list of n places. Place i has the record of place from(i), none if that is negative. The lists
// share memory: nobody may add to this one afterwards.
func (l *Records) Reordered(n int, from func(i int) int) *Records {
	if l.plain != nil {
		packed := &Records{}
		for i := range l.plain {
			packed.Add(&l.plain[i])
		}
		l = packed
	}
	out := &Records{packed: l.packed.Reordered(n, from), stored: l.stored}
	if l.stored == nil {
		return out
	}
	out.at, out.own, l.own = make([]int32, n), true, false
	for i := range out.at {
		if j := from(i); j >= 0 && l.isStored(j) {
			out.at[i] = l.at[j]
		}
	}
	return out
}

// Has reports whether a place is not empty.
func (l *Records) Has(i int) bool { return l.plain != nil || l.isStored(i) || l.packed.Has(i) }

// Set puts a record in a place.
func (l *Records) Set(i int, r *Record) {
	if l.plain != nil {
		l.plain[i] = *r
		return
	}
	l.packed.Set(i, r)
	if l.isStored(i) {
		l.at[i] = 0
	}
}

// Add appends a record.
func (l *Records) Add(r *Record) {
	if l.plain != nil {
		l.plain = append(l.plain, *r)
		return
	}
	l.packed.Add(r)
}

// Keep removes empty places and the records for which keep returns false. A nil keep keeps all. RecordsOf has not made
// the list.
func (l *Records) Keep(keep func(*Record) bool) {
	if l.stored == nil {
		l.packed.Compact(func(r *Record) bool { return keep != nil && !keep(r) })
		return
	}
	var kept []int32
	for i := range l.Len() {
		if l.Has(i) && (keep == nil || keep(l.At(i))) {
			kept = append(kept, int32(i))
		}
	}
	*l = *l.Reordered(len(kept), func(i int) int { return int(kept[i]) })
}

// List returns copies of all records.
func (l *Records) List() []Record {
	var list []Record
	for _, r := range l.All() {
		list = append(list, *r)
	}
	return list
}

// FewBatches is a number of samples from which on no other fields follow from them in a line of the journal: their
// figures are short beside so many samples, and computing them when a journal is read would take long. Readers that need
// no values of batches may leave out those behind it.
const FewBatches = 17

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
