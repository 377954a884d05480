package ttsim

import (
	"fmt"
	"slices"
	"strconv"

	"zonemark/executor/values"
	"zonemark/invocations"
)

// argument is a buffer of a placement, over all of its tiles.
type argument struct {
	name   string
	of     *placement
	buffer buffer // of each tile
	output bool
}

// argumentsOf returns all inputs, and behind them all outputs, in the order of the placements. If there are several
// placements, their names come before those of the buffers.
func argumentsOf(list []placement) (all []argument) {
	for _, output := range []bool{false, true} {
		for i := range list {
			p := &list[i]
			buffers, prefix := p.image.layout.inputs, ""
			if output {
				buffers = p.image.layout.outputs
			}
			if len(list) > 1 {
				prefix = p.name + "_"
			}
			for _, b := range buffers {
				all = append(all, argument{prefix + b.name, p, b, output})
			}
		}
	}
	return all
}

// shape returns the shape of the argument. Its first dimension are the tiles, if there are several.
func (a argument) shape() []int64 {
	if n := len(a.of.tiles); n > 1 {
		return append([]int64{int64(n)}, a.buffer.shape...)
	}
	return a.buffer.shape
}

// bytes returns the size of the argument.
func (a argument) bytes() int64 { return a.buffer.bytes() * int64(len(a.of.tiles)) }

func (a argument) String() string { return invocations.TensorShape(a.buffer.element, a.shape()) }

// parameters returns the numbers that --param sets. Programs that have one of the same name share it; its default is
// that of the first.
func parameters(list []placement) (all []invocations.Parameter) {
	for i := range list {
		m := &list[i].image
		for _, p := range m.layout.parameters {
			if slices.ContainsFunc(all, func(other invocations.Parameter) bool { return other.Name == p.name }) {
				continue
			}
			all = append(all, invocations.Parameter{
				Name: p.name, Default: strconv.FormatUint(uint64(m.word(p.address)), 10),
			})
		}
	}
	return all
}

// fill computes the contents of L1 of each tile before a call: segments, and over them inputs, parameters and the grid.
// Outputs, mailboxes and zones are zero.
func (k *kernel) fill(inv *invocations.Invocation) error {
	list := argumentsOf(k.program.list)
	if len(inv.Arguments) != len(list) {
		return fmt.Errorf("%d arguments are given and it has %d; list the artifact again", len(inv.Arguments), len(list))
	}
	contents := make([][]byte, len(list))
	for i, a := range list {
		data, err := a.contents(&inv.Arguments[i], inv.Measure.Seed+uint64(i)<<32)
		if err != nil {
			return err
		}
		contents[i] = data
	}
	for i := range k.program.list {
		p := &k.program.list[i]
		for index := range p.tiles {
			memory := k.tileAt(k.program.places[i][index]).memory
			p.image.place(memory)
			for j, a := range list {
				if a.of == p {
					size := a.buffer.bytes()
					copy(memory[a.buffer.address:], contents[j][int64(index)*size:int64(index+1)*size])
				}
			}
			for _, w := range p.image.layout.parameters {
				text, given := inv.Parameters[w.name]
				if !given {
					continue
				}
				value, err := parameterWord(text)
				if err != nil {
					return fmt.Errorf("parameter %s=%s: %w", w.name, text, err)
				}
				copy(memory[w.address:], value)
			}
			if err := k.program.writeGrid(memory, i, index); err != nil {
				return err
			}
		}
	}
	return nil
}

// contents returns the argument of all tiles as an invocation gives it.
func (a argument) contents(given *invocations.Argument, seed uint64) ([]byte, error) {
	switch {
	case given.Element != a.buffer.element || !slices.Equal(given.Shape, a.shape()):
		return nil, fmt.Errorf("%s is %s, not %s", a.name, a, invocations.TensorShape(given.Element, given.Shape))
	case a.output && given.Fill != invocations.FillDefault:
		return nil, fmt.Errorf("%s is an output; leave it out", a.name)
	}
	data := make([]byte, a.bytes())
	if a.output {
		return data, nil
	}
	if err := values.Fill(data, a.buffer.element, given.Contents, seed); err != nil {
		return nil, fmt.Errorf("%s: %w", a.name, err)
	}
	return data, nil
}

// place copies the segments of an image into memory, and clears what the program writes for the host.
func (m *image) place(memory []byte) {
	for _, s := range m.segments {
		copy(memory[s.address:], s.data)
	}
	clear(memory[m.layout.mailbox : m.layout.mailbox+mailboxBytes])
	for _, z := range m.layout.zones {
		clear(memory[z.address : int64(z.address)+z.bytes()])
	}
}

// parameterWord returns the four bytes of a number, signed or not, as a program reads it.
func parameterWord(text string) ([]byte, error) {
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil || n < -1<<31 || n > 1<<32-1 {
		return nil, fmt.Errorf("want a number of 32 bits")
	}
	return []byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}, nil
}
