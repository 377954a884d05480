package executor

import "math/rand/v2"

// thinned keeps values in their order: all of them up to a number, and of more, one of each block of 2, 4, 8, … values
// that follow each other, at a random place in its block. What is kept is thus spread evenly over all values, however
// many there are, and follows no period that the values have. Memory is bounded, and the time for each value is constant
// on average. The zero value is not usable; see newThinned.
type thinned[T any] struct {
	kept   []T
	seen   int64 // values so far
	block  int64 // size of a block, a power of two
	place  int64 // of the value that is kept, in the present block
	most   int   // values that are kept; even
	random *rand.PCG
}

// newThinned returns an empty sequence that keeps at most this many values, at least two.
func newThinned[T any](most int) *thinned[T] {
	return &thinned[T]{block: 1, most: most &^ 1, random: rand.NewPCG(1, 2)}
}

// add adds a value, which is kept or not.
func (t *thinned[T]) add(v T) {
	if t.wants() {
		t.keep(v)
	}
	t.next()
}

// wants reports whether the next value is one to keep.
func (t *thinned[T]) wants() bool { return t.seen%t.block == t.place }

// keep keeps the next value; next must follow.
func (t *thinned[T]) keep(v T) {
	if len(t.kept) == cap(t.kept) { // append would leave five times as much behind while the collector is off
		larger := make([]T, len(t.kept), min(t.most, max(64, 2*len(t.kept))))
		copy(larger, t.kept)
		t.kept = larger
	}
	t.kept = append(t.kept, v)
}

// next goes on to the next value. At the end of a block, if there is no room for another one, it makes one block of two.
func (t *thinned[T]) next() {
	t.seen++
	if t.seen%t.block != 0 {
		return
	}
	if len(t.kept) == t.most {
		for i := range t.most / 2 {
			t.kept[i] = t.kept[2*i+int(t.random.Uint64()&1)]
		}
		clear(t.kept[t.most/2:])
		t.kept = t.kept[:t.most/2]
		t.block *= 2
	}
	if t.block > 1 {
		t.place = int64(t.random.Uint64() % uint64(t.block)) // without remainder: a power of two
	}
}
