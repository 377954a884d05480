package ttsim

import (
	"fmt"
	"slices"
	"strconv"

	"zonemark/executor"
	"zonemark/executor/values"
	"zonemark/invocations"
)

// program is an image for the card of this process.
type program struct {
	path   string
	image  image
	card   *card
	cycles int64 // limit of a call
}

// Load reads the program and starts the simulator. What is wrong with the program is found first: it can be started once.
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
	m, _, err := readImage(artifact.Path, o.l1)
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
	if err := m.check(c.chip.l1); err != nil {
		return nil, fmt.Errorf("%s: %w", c.chip.name, err)
	}
	return &program{path: artifact.Path, image: m, card: c, cycles: o.cycles}, nil
}

// Close leaves the simulator as it is: it cannot be started again, and ends with the process.
func (p *program) Close() error { return nil }

// Prepare fills the inputs. Modes of measuring that need native code, or several sets of arguments, are refused: all buffers are in simulated memory.
func (p *program) Prepare(inv *invocations.Invocation, setBytes int64) (*executor.Call, error) {
	if setBytes > 0 {
		return nil, &executor.UnsupportedError{Reason: fmt.Sprintf("mode %q: what a simulator computes does not depend on the caches of this machine", inv.Measure.Mode)}
	}
	if inv.Function != functionName {
		return nil, fmt.Errorf("%s: a program is run by the name %s, not %q", p.path, functionName, inv.Function)
	}
	if inv.Verify.Reference != "" {
		return nil, fmt.Errorf("%s: it has no reference %q; give what is expected of its outputs instead (--expected-output)", p.path, inv.Verify.Reference)
	}
	k := &kernel{program: p}
	if err := k.fill(inv); err != nil {
		return nil, fmt.Errorf("%s: %w", p.path, err)
	}
	call := &executor.Call{
		Invoke: k.run, MaxCallsPerBatch: 1, Reset: k.restore, SettleOutputs: k.restore, Close: k.hold, SimulatedCycles: k.median,
		Notes: []string{fmt.Sprintf("simulated %s: the time is what simulating a call takes on this machine; simulated cycles are counted by the simulator, about one for each instruction, and are not those of silicon", p.card.chip.name)},
	}
	call.Verify = func(phase func(string)) (string, error) {
		phase("verify")
		return k.verify(inv.Verify)
	}
	return call, nil
}

// fill makes what is in L1 before a call: segments, and over them inputs and parameters; outputs and mailbox are zero.
func (k *kernel) fill(inv *invocations.Invocation) error {
	m := &k.program.image
	l := &m.layout
	k.memory = make([]byte, wholeWords(m.end()))
	for _, s := range m.segments {
		copy(k.memory[s.address:], s.data)
	}
	clear(k.memory[l.mailbox : l.mailbox+mailboxBytes])
	want := len(l.inputs) + len(l.outputs)
	if len(inv.Arguments) != want {
		return fmt.Errorf("%d arguments are given and it has %d; list the artifact again", len(inv.Arguments), want)
	}
	for i, b := range slices.Concat(l.inputs, l.outputs) {
		a := &inv.Arguments[i]
		output := i >= len(l.inputs)
		switch {
		case a.Element != b.element || !slices.Equal(a.Shape, b.shape):
			return fmt.Errorf("%s is %s, not %s", b.name, invocations.TensorShape(b.element, b.shape), invocations.TensorShape(a.Element, a.Shape))
		case output && a.Fill != invocations.FillDefault:
			return fmt.Errorf("%s is an output; leave it out", b.name)
		}
		contents := a.Contents
		if output {
			contents.Fill = invocations.FillZeros
		}
		data := k.memory[b.address : int64(b.address)+b.bytes()]
		if err := values.Fill(data, b.element, contents, inv.Measure.Seed+uint64(i)<<32); err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
	}
	for _, p := range l.parameters {
		text, given := inv.Parameters[p.name]
		if !given {
			continue
		}
		value, err := parameterWord(text)
		if err != nil {
			return fmt.Errorf("--param %s=%s: %w", p.name, text, err)
		}
		copy(k.memory[p.address:], value)
	}
	return nil
}

// parameterWord is a number as the 32 bits of a program, signed or not.
func parameterWord(text string) ([]byte, error) {
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil || n < -1<<31 || n > 1<<32-1 {
		return nil, fmt.Errorf("want a number of 32 bits")
	}
	return []byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}, nil
}
