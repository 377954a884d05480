package halide

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"zonemark/executor"
	"zonemark/executor/arguments"
	"zonemark/executor/halide/hexagon"
	"zonemark/executor/halide/metadata"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
	"zonemark/invocations/spelling"
)

// emulation is a program for Hexagon, and what runs it.
type emulation struct {
	file  *metadata.File
	start func() (*executor.Tool, error) // makes ready to run the program
}

// Emulate calls a pipeline for Hexagon once in qemu-hexagon, and its reference if there is one, and compares the
// outputs.
func (r Runtime) Emulate(
	ctx context.Context, inv *invocations.Invocation, folder string, tool executor.ToolStarter, phase func(string),
) (result invocations.Result, err error) {
	a := inv.Artifact
	if !Emulated(a) || a.Built == "" {
		return result, &executor.UnsupportedError{Reason: "only pipelines of generators with a target for Hexagon are " +
			"emulated"}
	}
	emulator, err := hexagon.FindEmulator(r.getenv)
	if err != nil {
		return result, remedy.With(&executor.UnsupportedError{Reason: err.Error()}, remedy.Of(err)...)
	}
	e := &emulation{start: func() (*executor.Tool, error) { return tool(ctx, folder, emulator, a.Built) }}
	if e.file, err = metadata.Read(a.Built); err != nil {
		return result, err
	}
	if result, err = e.check(inv, phase); err == nil {
		return result, nil
	}
	var crash *hexagon.CrashError
	if !errors.As(err, &crash) {
		return result, fmt.Errorf("%s: %w", a.Path, err)
	}
	result = invocations.Result{Status: invocations.Crashed, Error: err.Error()}
	result.Crash = &invocations.Crash{Signal: crash.Signal, Phase: "verify", Stderr: strings.Split(crash.Output, "\n")}
	return result, nil
}

// countNote is the note for readers about the counts.
const countNote = "emulated by qemu-hexagon: packets and instructions are counted, without the caller's own, and are " +
	"equal in every call; packets are not cycles, because an emulator knows no stalls and no caches, and no time is told"

// check calls the reference and the pipeline, on equal contents, and compares.
func (e *emulation) check(inv *invocations.Invocation, phase func(string)) (result invocations.Result, err error) {
	phase("prepare")
	own, err := e.bind(inv.Function, inv)
	if err != nil {
		return result, err
	}
	if err := own.binding.checkExpected(inv); err != nil {
		return result, err
	}
	name, note := e.referenceName(inv)
	var notes []string
	var counts hexagon.Counts
	other := own.binding
	c := &arguments.Check{Of: inv.Function, Verify: inv.Verify, Note: func(text string) { notes = append(notes, text) }}
	if name != "" {
		c.Reference = func() (w arguments.Written, err error) {
			var sets *argumentSets
			if sets, other, err = own.reference(name, inv); err != nil {
				return w, err
			}
			return sets.written(sets.Free), nil
		}
	}
	c.Fresh = func() (w arguments.Written, err error) {
		var sets *argumentSets
		if sets, counts, err = own.call(inv.Measure.Seed); err != nil {
			return w, err
		}
		if err := own.binding.comparable(other); err != nil {
			sets.Free()
			return w, err
		}
		return sets.written(sets.Free), nil
	}
	mismatch, err := c.First(phase)
	if err != nil {
		return result, err
	}
	if mismatch != "" {
		return invocations.Result{Status: invocations.Mismatch, Error: mismatch}, nil
	}
	return invocations.Result{
		Status: invocations.OK, Notes: slices.Concat(own.binding.notes, []string{countNote, note}, notes),
		Properties: map[string]string{"target": own.binding.pipeline.Target},
		Parameters: own.binding.measured,
		Hexagon: &invocations.HexagonCounts{
			Packets: counts.Packets, Instructions: counts.Instructions, VectorInstructions: counts.VectorInstructions,
		},
	}, nil
}

// referenceName returns the pipeline of the program that an invocation is compared with, empty if there is none, and
// tells a reader what its outputs are compared with.
func (e *emulation) referenceName(inv *invocations.Invocation) (name, note string) {
	name = inv.Function + unscheduledSuffix
	switch {
	case inv.Verify.Reference != "":
		return inv.Verify.Reference, "its outputs are those of " + inv.Verify.Reference
	case len(inv.Verify.Expected) > 0:
		return "", "its outputs are the expected ones"
	case slices.ContainsFunc(e.file.Pipelines, func(p metadata.Pipeline) bool { return p.Name == name }):
		return name, "its outputs are those of the same pipeline with Halide's default schedule, which was emulated too"
	}
	return "", "its outputs were compared with nothing; give what is expected of them (--expected-output), or compare " +
		"generators of one source (--group)"
}

// reference calls another pipeline of the program. The default schedule takes the arguments of the pipeline itself,
// which may read more of its inputs.
func (e *emulated) reference(name string, inv *invocations.Invocation) (*argumentSets, *binding, error) {
	if name == inv.Function+unscheduledSuffix {
		i := slices.IndexFunc(e.file.Pipelines, func(p metadata.Pipeline) bool { return p.Name == name })
		sets, _, err := (&emulated{e.emulation, i, e.binding}).call(inv.Measure.Seed)
		return sets, e.binding, err
	}
	if strings.Contains(name, ":") {
		return nil, nil, remedy.With(
			fmt.Errorf("%s: the reference of an emulated pipeline must be another generator of the same source", name),
			remedy.Remedy{Kind: remedy.Expected})
	}
	other, err := e.bind(name, inv)
	if err != nil {
		return nil, nil, err
	}
	sets, _, err := other.call(inv.Measure.Seed)
	return sets, other.binding, err
}

// emulated is a pipeline of a program for Hexagon, with its arguments.
type emulated struct {
	*emulation
	number  int // of the pipeline in the program
	binding *binding
}

// bind finds a pipeline, gives its arguments the values of an invocation, and asks it for the sizes that are left open.
func (e *emulation) bind(name string, inv *invocations.Invocation) (*emulated, error) {
	var names []string
	for i := range e.file.Pipelines {
		p := &e.file.Pipelines[i]
		if names = append(names, p.Name); p.Name != name {
			continue
		}
		b, err := bind(p, inv)
		if err != nil {
			return nil, fmt.Errorf("pipeline %s: %w", name, err)
		}
		own := &emulated{emulation: e, number: i, binding: b}
		if err := b.sizes(own.query); err != nil {
			return nil, fmt.Errorf("pipeline %s: %w", name, err)
		}
		return own, nil
	}
	return nil, fmt.Errorf("it has no pipeline %q%s", name, spelling.SuggestOrList(name, names))
}

// query calls the pipeline with buffers without memory, and takes the dimensions that it asks for.
func (e *emulated) query(b *binding) error {
	m, _, err := e.enter(nil)
	if err != nil {
		return fmt.Errorf("it does not say what sizes it needs: %w", err)
	}
	for i := range b.arguments {
		a := &b.arguments[i]
		if !a.buffer() {
			continue
		}
		for d, dim := range m.Dimensions(i) {
			a.dims[d] = dimension{dim.Min, dim.Extent, dim.Stride, dim.Flags}
		}
	}
	return nil
}

// call calls the pipeline once on fresh arguments, and returns these after the call. The caller frees them.
func (e *emulated) call(seed uint64) (*argumentSets, hexagon.Counts, error) {
	s, err := newSets(e.binding, arguments.Request{Copies: 1, Seed: seed})
	if err != nil {
		return nil, hexagon.Counts{}, err
	}
	m, counts, err := e.enter(s)
	if err != nil {
		s.Free()
		return nil, counts, err
	}
	for i := range e.binding.arguments {
		if e.binding.arguments[i].buffer() {
			copy(s.Array(0, i), m.Elements(i))
		}
	}
	return s, counts, nil
}

// enter calls the pipeline with the elements of a set, or with buffers without memory if there is none.
func (e *emulated) enter(s *argumentSets) (*hexagon.Memory, hexagon.Counts, error) {
	list := make([]hexagon.Argument, len(e.binding.arguments))
	for i := range list {
		a := &e.binding.arguments[i]
		list[i].Scalar = a.scalar
		if !a.buffer() {
			continue
		}
		buffer := &hexagon.Buffer{Type: a.Type}
		for _, d := range a.dims {
			buffer.Dimensions = append(buffer.Dimensions, hexagon.Dimension{
				Min: d.min, Extent: d.extent, Stride: d.stride, Flags: d.flags,
			})
		}
		if s != nil {
			buffer.Bytes = len(s.Array(0, i))
		}
		list[i].Buffer = buffer
	}
	m, err := hexagon.NewMemory(list)
	if err != nil {
		return nil, hexagon.Counts{}, &executor.MemoryError{Err: err}
	}
	for i := range list {
		if list[i].Buffer != nil && s != nil {
			copy(m.Elements(i), s.Array(0, i))
		}
	}
	run, err := e.start()
	if err != nil {
		return nil, hexagon.Counts{}, err
	}
	reply, err := hexagon.Call(run.Cmd, run.Run, e.number, m)
	if err == nil && reply.Status != 0 {
		err = &CallError{Pipeline: e.binding.pipeline.Name, Code: reply.Status, Text: reply.Text}
	}
	return m, reply.Counts, err
}
