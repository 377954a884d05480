package arguments

import (
	"math/rand/v2"

	"zonemark/executor/native"
)

// Draws are sets of arguments beside those that are timed, whose random contents can be put into another order. They hold
// the same elements in any order: other ones, such as a divisor of 0, might be more than the function can do with.
type Draws struct {
	Frames []native.Frame // of the sets, in memory order
	sets   *Sets
	random *rand.Rand
}

// Draws returns the sets for being put into other orders, with the frames that frame makes of each. Free frees them.
func (s *Sets) Draws(frame func(k int) (native.Frame, error)) (*Draws, error) {
	d := &Draws{sets: s, random: rand.New(rand.NewPCG(s.seed, 1))}
	for k := range s.count {
		f, err := frame(k)
		if err != nil {
			return nil, err
		}
		d.Frames = append(d.Frames, f)
	}
	return d, nil
}

// Draw gives each set the contents of the first timed one, with their random arrays in an order that none had before if
// other is true.
func (d *Draws) Draw(other bool) error {
	for k := range d.sets.count {
		for i := range d.sets.description.Arrays {
			a, memory := &d.sets.description.Arrays[i], d.sets.Array(k, i)
			if err := a.fill(memory, Seed(d.sets.seed, a.Position, 0, 0)); err != nil {
				return err
			}
			if other && a.random() {
				d.shuffle(memory, int(a.Element.Size()))
			}
		}
	}
	return nil
}

// shuffle puts elements of so many bytes into a random order.
func (d *Draws) shuffle(memory []byte, size int) {
	var one [16]byte
	d.random.Shuffle(len(memory)/size, func(i, j int) {
		a, b := memory[i*size:][:size], memory[j*size:][:size]
		copy(one[:], a)
		copy(a, b)
		copy(b, one[:size])
	})
}

// Free frees the sets.
func (d *Draws) Free() { d.sets.Free() }

// SetBytes returns the size of a set.
func (d *Description) SetBytes() int64 {
	s := Sets{description: *d}
	s.place()
	return s.setBytes
}

// HasRandom reports whether an array of the sets has random contents.
func (d *Description) HasRandom() bool {
	for i := range d.Arrays {
		if d.Arrays[i].Bytes > 0 && d.Arrays[i].random() {
			return true
		}
	}
	return false
}
