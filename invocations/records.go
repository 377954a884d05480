package invocations

import (
	"iter"

	"zonemark/driver/packed"
)

// Records are results in an order, for example the plan's. There may be hundreds of thousands, so they are kept packed,
// unless RecordsOf made the list. The zero value is an empty list.
type Records struct {
	packed packed.List[Record]
	plain  []Record // of RecordsOf
}

// RecordsOf makes a list of few records. At returns the records themselves, which may be changed.
func RecordsOf(list ...Record) *Records { return &Records{plain: list} }

// Len returns the number of places, 0 for nil.
func (l *Records) Len() int {
	if l == nil {
		return 0
	}
	return max(len(l.plain), l.packed.Len())
}

// At returns the record in a place, or a copy of it. Nobody may change what its lists and maps hold.
func (l *Records) At(i int) *Record {
	if l.plain != nil {
		return &l.plain[i]
	}
	return l.packed.At(i)
}

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
	return &Records{packed: l.packed.Reordered(n, from)}
}

// Has reports whether a place is not empty.
func (l *Records) Has(i int) bool { return l.plain != nil || l.packed.Has(i) }

// Set puts a record in a place.
func (l *Records) Set(i int, r *Record) {
	if l.plain != nil {
		l.plain[i] = *r
		return
	}
	l.packed.Set(i, r)
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
	l.packed.Compact(func(r *Record) bool { return keep != nil && !keep(r) })
}

// List returns copies of all records.
func (l *Records) List() []Record {
	var list []Record
	for _, r := range l.All() {
		list = append(list, *r)
	}
	return list
}
