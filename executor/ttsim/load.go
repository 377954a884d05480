package ttsim

import (
	"encoding/binary"
	"fmt"

	"zonemark/executor"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// program is a list of placements on the cards of this process.
type program struct {
	path   string
	list   []placement
	places [][]place // of the tiles of each placement
	card   *card
	cycles int64 // maximum of a call
}

// Load reads the program and starts the simulator. It finds errors of the program first, because the simulator can be
// started only once.
func (r Runtime) Load(artifact invocations.Artifact) (executor.Program, error) {
	p, err := r.load(artifact)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", artifact.Path, err)
	}
	return p, nil
}

func (r Runtime) load(artifact invocations.Artifact) (*program, error) {
	o, err := parseOptions(artifact.Options)
	if err != nil {
		return nil, err
	}
	list, _, err := readProgram(artifact.Path, o.l1)
	if err != nil {
		return nil, err
	}
	path, err := r.simulator(o)
	if err != nil {
		return nil, err
	}
	c, err := r.machine.open(path)
	if err != nil {
		return nil, err
	}
	p := &program{path: artifact.Path, list: list, card: c, cycles: o.cycles}
	for i := range list {
		if err := list[i].image.check(c.chip.l1); err != nil {
			return nil, fmt.Errorf("%s: %w", c.chip.name, err)
		}
		var places []place
		for _, t := range list[i].tiles {
			at, err := c.place(t)
			if err != nil {
				return nil, err
			}
			places = append(places, at)
		}
		p.places = append(p.places, places)
	}
	return p, nil
}

// writeGrid writes the grid of a placement, if its program asks for it, into the memory of one of its tiles: the index
// of the tile, the number of tiles, the PCI device id of the chip, and the coordinates of each tile on the NoC.
func (p *program) writeGrid(memory []byte, placement, index int) error {
	grid, places := p.list[placement].image.layout.grid, p.places[placement]
	if grid == nil {
		return nil
	}
	words := []uint32{uint32(index), uint32(len(places)), p.card.chip.device}
	for _, at := range places {
		words = append(words, at.noc)
	}
	if int64(len(words)) > grid.shape[0] {
		return fmt.Errorf("%s: %s has %d words, and %d tiles need %d; enlarge it", p.list[placement].name, gridName,
			grid.shape[0], len(places), len(words))
	}
	for i, word := range words {
		binary.LittleEndian.PutUint32(memory[grid.address+uint32(i)*wordBytes:], word)
	}
	return nil
}

// Close leaves the simulator as it is. It cannot be started again, and ends with the process.
func (p *program) Close() error { return nil }

// Prepare fills the inputs. It refuses modes of measuring that need native code or several sets of arguments, because
// all buffers are in simulated memory.
func (p *program) Prepare(inv *invocations.Invocation, setBytes int64) (*executor.Call, error) {
	if setBytes > 0 {
		return nil, &executor.UnsupportedError{Reason: fmt.Sprintf("mode %q: what a simulator computes does not "+
			"depend on the caches of this machine", inv.Measure.Mode)}
	}
	if inv.Function != functionName {
		return nil, fmt.Errorf("%s: a program is run by the name %s, not %q", p.path, functionName, inv.Function)
	}
	if inv.Verify.Reference != "" {
		return nil, remedy.With(fmt.Errorf("%s: it has no reference %q", p.path, inv.Verify.Reference),
			remedy.Remedy{Kind: remedy.Expected})
	}
	k := newKernel(p)
	if err := k.fill(inv); err != nil {
		return nil, fmt.Errorf("%s: %w", p.path, err)
	}
	call := &executor.Call{
		Work: &executor.Function{
			Invoke:   k.run,
			Restores: true,
			OnThread: executor.OnThread{MaxCallsPerBatch: 1, SettleOutputs: k.restore},
		},
		Reset: k.restore,
		Close: k.hold,
		Simulated: func(r *invocations.Result) {
			r.SimulatedCycles, r.SimulatedCores = k.median(), k.timeline()
		},
		Notes: []string{fmt.Sprintf("simulated %s: the time is what simulating a call takes on this machine; "+
			"simulated cycles are counted by the simulator, about one for each instruction, and are not those of "+
			"silicon", p.card.chip.name)},
	}
	call.Verify = func(phase func(string)) (string, error) {
		phase("verify")
		return k.verify(inv.Verify, func(text string) { call.Notes = append(call.Notes, text) })
	}
	return call, nil
}
