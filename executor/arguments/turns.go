package arguments

import (
	"fmt"
	"math/rand/v2"
)

// maxTurns limits how many sets a runtime makes itself: each takes objects of the runtime beside its memory.
const maxTurns = 1 << 12

// Turns are one or more sets of arguments that a runtime makes itself, such as those on a device. Calls use them one
// after the other.
type Turns[S any] struct {
	sets  []S
	bytes int64
	next  int
	close func(S)
}

// NewTurns makes sets, numbered from 0, until they take least bytes together; one if least is 0 or if they take none.
// Calls use them in an order that the seed chooses, which the prefetchers cannot follow. The first set stays first,
// since it is the one that is flushed, verified and restored. An error closes the sets that were made.
func NewTurns[S any](
	least int64, seed uint64, newSet func(set int) (s S, bytes int64, err error), close func(S),
) (*Turns[S], error) {
	t := &Turns[S]{close: close}
	for {
		s, bytes, err := newSet(len(t.sets))
		if err != nil {
			t.Close()
			return nil, err
		}
		t.sets = append(t.sets, s)
		t.bytes += bytes
		if bytes == 0 || t.bytes >= least || len(t.sets) == maxTurns {
			shuffle(t.sets, seed)
			return t, nil
		}
	}
}

// shuffle brings sets, or their frames, into the order in which calls use them.
func shuffle[T any](list []T, seed uint64) {
	shuffleAll(rand.New(rand.NewPCG(seed, 0)), list[1:])
}

// shuffleAll puts a list into a random order.
func shuffleAll[T any](random *rand.Rand, list []T) {
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}

// Next returns the set of the next call.
func (t *Turns[S]) Next() S {
	s := t.sets[t.next]
	if t.next++; t.next == len(t.sets) {
		t.next = 0
	}
	return s
}

// All returns the sets in the order in which calls use them.
func (t *Turns[S]) All() []S { return t.sets }

// Count returns the number of sets.
func (t *Turns[S]) Count() int { return len(t.sets) }

// Bytes returns the size of all sets.
func (t *Turns[S]) Bytes() int64 { return t.bytes }

// Close closes all sets.
func (t *Turns[S]) Close() {
	for _, s := range t.sets {
		t.close(s)
	}
	t.sets = nil
}

// NoteFewer returns a note for readers if sets take fewer bytes together than a mode of measuring asks for.
func NoteFewer(sets interface {
	Count() int
	Bytes() int64
}, least int64) (notes []string) {
	if bytes := sets.Bytes(); bytes < least {
		notes = append(notes, fmt.Sprintf("%d argument sets take %d bytes together, fewer than the %d asked for",
			sets.Count(), bytes, least))
	}
	return notes
}
