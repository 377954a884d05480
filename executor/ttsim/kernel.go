package ttsim

import (
	"fmt"

	"zonemark/executor/arguments"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// kernel is a program with its arguments.
type kernel struct {
	program *program
	tiles   []tileMemory
	runs    []coreRun
	ready   bool    // L1 is in the state before a call
	cycles  []int64 // cycles of the latest calls, at most cyclesKept
	next    int     // next index in cycles, once it is full
}

// tileMemory is a tile that the program uses.
type tileMemory struct {
	at     place
	memory []byte // contents of L1 before each call, from address 0 up to the end of the used part, in whole words
	held   uint32 // value of the reset register during a call
}

// coreRun is a core that runs one of the placements.
type coreRun struct {
	of      *placement
	tile    tile
	at      place
	mailbox uint32 // address
	words   [mailboxBytes]byte
	zones   [][]byte // contents of the zones of the layout after the last call
}

// newKernel returns a kernel whose memories are zero.
func newKernel(p *program) *kernel {
	k := &kernel{program: p}
	for i := range p.list {
		l := &p.list[i]
		size := int(wholeWords(l.image.end()))
		for j, at := range p.places[i] {
			t := k.tileAt(at)
			if t == nil {
				k.tiles = append(k.tiles, tileMemory{at: at, held: resetAll})
				t = &k.tiles[len(k.tiles)-1]
			}
			t.held &^= l.core.held
			if size > len(t.memory) {
				t.memory = make([]byte, size)
			}
			run := coreRun{of: l, tile: l.tiles[j], at: at, mailbox: l.image.layout.mailbox}
			for _, z := range l.image.layout.zones {
				run.zones = append(run.zones, make([]byte, z.bytes()))
			}
			k.runs = append(k.runs, run)
		}
	}
	return k
}

// tileAt returns the tile at a place, or nil if the program does not use it.
func (k *kernel) tileAt(at place) *tileMemory {
	for i := range k.tiles {
		if k.tiles[i].at == at {
			return &k.tiles[i]
		}
	}
	return nil
}

// These are the words of the mailbox, and the values of the first one.
const (
	mailboxStatus = 0
	mailboxBegin  = 4
	mailboxEnd    = 8
	mailboxCode   = 12

	statusDone   = 1
	statusFailed = 2
)

// restore holds all cores in reset and restores the whole L1 of all tiles to its state before a call.
func (k *kernel) restore() {
	k.hold()
	if !k.ready {
		k.keepZones()
	}
	c := k.program.card
	for i := range k.tiles {
		t := &k.tiles[i]
		c.writeMemory(t.at, 0, t.memory)
		for at := uint32(len(t.memory)); at < c.chip.l1; at += maxWrite {
			c.writeMemory(t.at, at, c.zeros[:min(maxWrite, c.chip.l1-at)])
		}
	}
	k.ready = true
}

// hold puts all cores into reset.
func (k *kernel) hold() {
	for i := range k.tiles {
		k.program.card.reset(k.tiles[i].at, resetAll)
	}
}

// run makes one call. This is what is timed: it takes the cores out of reset, clocks them until all mailboxes report
// the end, or one of them a failure, and puts the cores back into reset.
func (k *kernel) run() error {
	if !k.ready {
		k.restore()
	}
	k.ready = false
	for i := range k.tiles {
		k.program.card.reset(k.tiles[i].at, k.tiles[i].held)
	}
	for spent := int64(0); !k.ended() && spent < k.program.cycles; spent += clockStep {
		k.program.card.step()
	}
	k.hold()
	for i := range k.runs {
		r := &k.runs[i]
		k.program.card.readMemory(r.at, r.mailbox, r.words[:])
	}
	if err := k.failure(); err != nil {
		return fmt.Errorf("%s: %w", k.program.path, err)
	}
	k.count(k.span())
	return nil
}

// ended reports whether all cores have said that they are done, or one of them something else.
func (k *kernel) ended() bool {
	all := true
	for i := range k.runs {
		switch k.program.card.readWord(k.runs[i].at, k.runs[i].mailbox+mailboxStatus) {
		case 0:
			all = false
		case statusDone:
		default:
			return true
		}
	}
	return all
}

// failure returns why a call has failed: what a core says, or else that a core has not ended.
func (k *kernel) failure() (err error) {
	for i := range k.runs {
		r := &k.runs[i]
		who := "the program"
		if len(k.runs) > 1 {
			who = fmt.Sprintf("%s on %s of the tile %s", r.of.name, r.of.core.name, r.tile)
		}
		switch status := r.word(mailboxStatus); {
		case status == statusDone:
		case status == statusFailed:
			return fmt.Errorf("%s says that it failed, with its number %d", who, r.word(mailboxCode))
		case status != 0:
			return fmt.Errorf("%s: the status in the mailbox is %d; want 1 (done) or 2 (failed)", who, status)
		case err == nil:
			err = remedy.With(fmt.Errorf("%s: the mailbox at %#x did not say that it is done within %d simulated cycles",
				who, r.mailbox, k.program.cycles), remedy.Remedy{Kind: remedy.Raise, Name: optionCycles})
		}
	}
	return err
}

// verify runs the program once and compares its outputs with the expected ones, in order.
func (k *kernel) verify(v invocations.Verification, note func(string)) (mismatch string, err error) {
	var outputs []argument
	for _, a := range argumentsOf(k.program.list) {
		if a.output {
			outputs = append(outputs, a)
		}
	}
	if err := arguments.CheckExpected(v.Expected, len(outputs), "the program"); err != nil {
		return "", fmt.Errorf("%s: %w", k.program.path, err)
	}
	k.restore()
	if err := k.run(); err != nil {
		return "", err
	}
	var got []arguments.Output
	for _, a := range outputs {
		got = append(got, arguments.Output{
			Label: a.name, Element: a.buffer.element, Shape: a.shape(), Data: k.read(a), Declared: true,
		})
	}
	mismatch, err = arguments.Comparison{Tolerance: v.Tolerance, Note: note}.Expected(got, v.Expected)
	if err != nil {
		return "", fmt.Errorf("%s: %w", k.program.path, err)
	}
	return mismatch, nil
}

// read returns the contents of an argument on all of its tiles.
func (k *kernel) read(a argument) (all []byte) {
	size := a.buffer.bytes()
	data := make([]byte, wholeWords(uint64(size)))
	for i := range k.runs {
		if k.runs[i].of == a.of {
			k.program.card.readMemory(k.runs[i].at, a.buffer.address, data)
			all = append(all, data[:size]...)
		}
	}
	return all
}
