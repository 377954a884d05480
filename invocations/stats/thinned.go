package stats

import "math/rand/v2"

// Thinned keeps values in their order: all of them up to a number, and of more, one of each block of 2, 4, 8, … values
// that follow each other, at a random place in its block. What is kept is thus spread evenly over all values, however
// many there are, and follows no period that the values have. Memory is bounded, and the time for each value is constant
// on average. The zero value is not usable; see NewThinned.
type Thinned[T any] struct {
	Kept   []T
	Seen   int64 // values so far
	Block  int64 // size of a block, a power of two
	place  int64 // of the value that is kept, in the present block
	most   int   // values that are kept; even
	random *rand.PCG
}

// NewThinned returns an empty sequence that keeps at most this many values, at least two.
func NewThinned[T any](most int) *Thinned[T] {
	return &Thinned[T]{Block: 1, most: most &^ 1, random: rand.NewPCG(1, 2)}
}

// Add adds a value, which is kept or not.
func (t *Thinned[T]) Add(v T) {
	if t.Wants() {
		t.Keep(v)
	}
	t.Next()
}

// Wants reports whether the next value is one to keep.
func (t *Thinned[T]) Wants() bool { return t.Seen%t.Block == t.place }

// Keep keeps the next value; next must follow.
func (t *Thinned[T]) Keep(v T) {
	if len(t.Kept) == cap(t.Kept) { // append would leave five times as much behind while the collector is off
		larger := make([]T, len(t.Kept), min(t.most, max(64, 2*len(t.Kept))))
		copy(larger, t.Kept)
		t.Kept = larger
	}
	t.Kept = append(t.Kept, v)
}

// Next goes on to the next value. At the end of a block, if there is no room for another one, it makes one block of two.
func (t *Thinned[T]) Next() {
	t.Seen++
	if t.Seen%t.Block != 0 {
		return
	}
	if len(t.Kept) == t.most {
		for i := range t.most / 2 {
			t.Kept[i] = t.Kept[2*i+int(t.random.Uint64()&1)]
		}
		clear(t.Kept[t.most/2:])
		t.Kept = t.Kept[:t.most/2]
		t.Block *= 2
	}
	if t.Block > 1 {
		t.place = int64(t.random.Uint64() % uint64(t.Block)) // without remainder: a power of two
	}
}
