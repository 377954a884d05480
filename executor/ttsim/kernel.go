package ttsim

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"zonemark/executor/values"
	"zonemark/invocations"
)

// kernel is a program with its arguments.
type kernel struct {
	program *program
	memory  []byte  // of L1 before each call, from address 0 as far as anything is used, in whole words
	ready   bool    // memory is as it has to be before a call
	cycles  []int64 // of the calls so far, as many as cyclesKept
	next    int     // of cycles, once they are full
}

// The words of the mailbox, and what the first of them says.
const (
	mailboxStatus = 0
	mailboxBegin  = 4
	mailboxEnd    = 8
	mailboxCode   = 12

	statusDone   = 1
	statusFailed = 2
)

// cyclesKept bounds the counts of which a median is taken.
const cyclesKept = 1 << 12

// restore holds the core in reset and brings memory into the state before a call.
func (k *kernel) restore() {
	c := k.program.card
	c.reset(resetAll)
	c.writeMemory(0, k.memory)
	k.ready = true
}

// run is what is timed: BRISC out of reset, cycles until the mailbox says that it is done, BRISC back into reset.
func (k *kernel) run() error {
	if !k.ready {
		k.restore()
	}
	k.ready = false
	c, mailbox := k.program.card, k.program.image.layout.mailbox
	c.reset(resetBRISC)
	status := c.runUntil(mailbox+mailboxStatus, k.program.cycles)
	c.reset(resetAll)
	var words [mailboxBytes]byte
	c.readMemory(mailbox, words[:])
	begin, end := binary.LittleEndian.Uint32(words[mailboxBegin:]), binary.LittleEndian.Uint32(words[mailboxEnd:])
	switch status {
	case statusDone:
		k.count(int64(end - begin)) // the counter may wrap
		return nil
	case 0:
		return fmt.Errorf("%s: the mailbox at %#x did not say that it is done within %d simulated cycles; raise --cycle-limit if it takes longer", k.program.path, mailbox, k.program.cycles)
	case statusFailed:
		return fmt.Errorf("%s: the program says that it failed, with its number %d", k.program.path, binary.LittleEndian.Uint32(words[mailboxCode:]))
	}
	return fmt.Errorf("%s: the status in the mailbox is %d; want 1 (done) or 2 (failed)", k.program.path, status)
}

// count keeps the cycles of a call; programs that do not read the counter leave none.
func (k *kernel) count(cycles int64) {
	if cycles == 0 {
		return
	}
	if len(k.cycles) < cyclesKept {
		if k.cycles == nil {
			k.cycles = make([]int64, 0, cyclesKept) // once: nothing is allocated while a program is measured
		}
		k.cycles = append(k.cycles, cycles)
		return
	}
	k.cycles[k.next] = cycles
	k.next = (k.next + 1) % cyclesKept
}

// median is the median of the cycles of the calls so far, 0 without any.
func (k *kernel) median() int64 {
	if len(k.cycles) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(k.cycles))
	return sorted[len(sorted)/2]
}

// hold leaves the core in reset.
func (k *kernel) hold() { k.program.card.reset(resetAll) }

// verify runs the program once and compares its outputs with what is expected, in order.
func (k *kernel) verify(v invocations.Verification) (mismatch string, err error) {
	outputs := k.program.image.layout.outputs
	if len(v.Expected) > len(outputs) {
		return "", fmt.Errorf("%s: %d outputs are expected and the program has %d", k.program.path, len(v.Expected), len(outputs))
	}
	k.restore()
	if err := k.run(); err != nil {
		return "", err
	}
	var differences []string
	for i, text := range v.Expected {
		b := outputs[i]
		got := make([]byte, wholeWords(uint64(b.bytes())))
		k.program.card.readMemory(b.address, got)
		want, err := expected(text, b)
		if err != nil {
			return "", fmt.Errorf("%s: expected output %d, %q: %w", k.program.path, i, text, err)
		}
		if difference := values.Compare(got[:b.bytes()], want, b.element, v.Tolerance); difference != "" {
			differences = append(differences, b.name+": "+difference)
		}
	}
	return strings.Join(differences, "; "), nil
}

// expected reads the expected contents of a buffer: a tensor of its type and shape, or a file.
func expected(text string, b buffer) ([]byte, error) {
	a, err := invocations.ParseTensor(text)
	switch {
	case err != nil:
		return nil, err
	case a.Fill == invocations.FillDefault:
		return nil, errors.New("the values are missing; want one such as 4x4xf32=0.5")
	case a.Fill != invocations.FillFile && (a.Element != b.element || !slices.Equal(a.Shape, b.shape)):
		return nil, fmt.Errorf("%s is %s", b.name, invocations.TensorShape(b.element, b.shape))
	}
	data := make([]byte, b.bytes())
	return data, values.Fill(data, b.element, a.Contents, 0)
}
