package arguments

import (
	"hash/maphash"

	"zonemark/invocations"
)

const (
	summedBytes = 1 << 20 // of an array; of a longer one, pieces that are evenly spread are as long together
	summedPiece = 64 << 10
)

// Untouched is what calls should leave as it is: arrays of the first set that they only read, which are not restored, and
// the room behind arrays.
type Untouched struct {
	sets *Sets
	seed maphash.Seed
	sums []touchedSums // by array
}

// touchedSums sum up what an array and the room behind it hold; 0 for what nobody looks at.
type touchedSums struct{ array, room uint64 }

// Touched are the labels of arrays that calls have changed although they should only read them, and of those behind whose
// end they have written.
type Touched struct{ Inputs, Behind []string }

// Untouched remembers what calls should leave as it is. It is to be called before the first call.
func (s *Sets) Untouched() *Untouched {
	u := &Untouched{sets: s, seed: maphash.MakeSeed()}
	for i := range s.description.Arrays {
		u.sums = append(u.sums, u.sum(i))
	}
	return u
}

// sum sums up an array and the room behind it.
func (u *Untouched) sum(i int) (sums touchedSums) {
	a := &u.sets.description.Arrays[i]
	if a.Bytes == 0 {
		return sums
	}
	if a.Usage == invocations.Input {
		sums.array = u.sumOf(u.sets.Array(0, i))
	}
	if !u.sets.shared { // what another executor has left in shared memory lies there, too
		sums.room = u.sumOf(u.sets.behind(i))
	}
	return sums
}

// sumOf sums up memory.
func (u *Untouched) sumOf(memory []byte) uint64 {
	if len(memory) <= summedBytes {
		return maphash.Bytes(u.seed, memory)
	}
	sum, pieces := uint64(0), summedBytes/summedPiece
	for p := range pieces {
		at := (len(memory) - summedPiece) * p / (pieces - 1)
		sum = sum*31 + maphash.Bytes(u.seed, memory[at:at+summedPiece])
	}
	return sum
}

// Look returns what calls have touched up to now.
func (u *Untouched) Look() (t Touched) {
	for i, before := range u.sums {
		now, label := u.sum(i), u.sets.description.Arrays[i].Label
		changed, reordered := u.sets.reordered[i]
		if changed || !reordered && now.array != before.array {
			t.Inputs = append(t.Inputs, label)
		}
		if now.room != before.room {
			t.Behind = append(t.Behind, label)
		}
	}
	return t
}

// foundChanged remembers of an array that calls only read whether they have changed it before it is put into other orders.
func (s *Sets) foundChanged(i int, changed bool) {
	if s.reordered == nil {
		s.reordered = map[int]bool{}
	}
	s.reordered[i] = s.reordered[i] || changed
}

// guardBytes is the room behind the last array.
const guardBytes = 64

// guard returns how many bytes there are behind all sets. Memory that executors exchange, and huge pages, have as many as
// the sets take.
func (s *Sets) guard() int {
	if s.shared || s.huge {
		return 0
	}
	return guardBytes
}

// behind returns the room of the first set from the end of an array to the next one, or to the end of the set.
func (s *Sets) behind(i int) []byte {
	end, next := s.offsets[i]+s.description.Arrays[i].Bytes, s.stride
	if s.count == 1 {
		next = int64(len(s.memory))
	}
	for k, offset := range s.offsets {
		if offset >= end && offset < next && s.description.Arrays[k].Bytes > 0 {
			next = offset
		}
	}
	return s.memory[end:next]
}
