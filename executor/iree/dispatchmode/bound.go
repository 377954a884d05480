package dispatchmode

import (
	"errors"
	"fmt"
	"unsafe"

	"zonemark/executor/arguments"
	"zonemark/executor/iree/dispatchplan"
	"zonemark/executor/iree/executable"
	"zonemark/executor/native"
	"zonemark/executor/values"
	"zonemark/invocations"
)

// bound is one dispatch with its buffers.
type bound struct {
	program   *Program
	variant   *variant
	buffers   []([]byte) // off the Go heap
	unmap     []func() error
	call      *executable.PreparedDispatch
	ranges    []native.Range // memory that the dispatch works on
	size      int64          // bytes of the buffers
	recorded  bool           // called as the plan says, so the results can be compared with those of the function
	preceding string         // why the dispatches before this one were not computed; empty if they were
}

// bind prepares a dispatch. Its buffers hold what they hold when the function that it belongs to reaches it, as far as
// that is known.
func (p *Program) bind(inv *invocations.Invocation, set int) (*bound, error) {
	v, err := p.variant(inv.Function)
	if err != nil {
		return nil, err
	}
	how, err := dispatchCallFrom(inv.Parameters, v)
	if err != nil {
		return nil, fmt.Errorf("dispatch %s: %w", v.name, err)
	}
	b := &bound{program: p, variant: v, recorded: how.recorded}
	if err := b.prepare(how, inv, set); err != nil {
		b.close()
		return nil, fmt.Errorf("dispatch %s: %w", v.name, err)
	}
	return b, nil
}

func (b *bound) prepare(how *dispatchCall, inv *invocations.Invocation, set int) error {
	if err := b.allocate(how.buffers, how.inputs, how.setup, inv, set); err != nil {
		return err
	}
	b.preceding = how.incomplete
	for i := range how.before {
		if err := b.step(&how.before[i]); err != nil {
			return fmt.Errorf("what precedes it: %w", err)
		}
	}
	if err := b.operate(how.call.Before); err != nil {
		return fmt.Errorf("what precedes it: %w", err)
	}
	var err error
	if b.call, err = b.prepareCall(&how.call); err != nil {
		return err
	}
	for _, r := range how.call.Bindings {
		b.ranges = append(b.ranges, native.Range{Addr: b.address(r), Len: uintptr(r.Bytes)})
	}
	return b.call.Call() // the call also shows that every workgroup succeeds
}

// allocate makes the buffers, and does what is done when the module is loaded. Inputs are filled like those of the
// whole function; the others get random numbers, which the preceding dispatches overwrite.
func (b *bound) allocate(
	buffers []dispatchplan.Buffer, inputs []string, setup []dispatchplan.Operation, inv *invocations.Invocation, set int,
) error {
	loaded := wholeBuffers(buffers, setup)
	for i, p := range buffers {
		memory, unmap, err := arguments.Alloc(inv.Measure, i, p.Bytes)
		if err != nil {
			return err
		}
		b.buffers, b.unmap = append(b.buffers, memory), append(b.unmap, unmap)
		b.size += p.Bytes
		if loaded[i] {
			continue
		}
		element, argument, contents := invocations.Float32, len(inputs)+i, invocations.Contents{}
		if p.Input != nil {
			if argument = *p.Input; argument < len(inv.Arguments) {
				contents = inv.Arguments[argument].Contents
			}
			a, err := invocations.ParseTensor(inputs[*p.Input])
			if err != nil {
				return fmt.Errorf("input %d of its plan: %w", *p.Input, err)
			}
			element = a.Element
		}
		whole := memory[:p.Bytes/element.Size()*element.Size()]
		if err := values.Fill(whole, element, contents, arguments.Seed(inv.Measure.Seed, argument, set, 0)); err != nil {
			return err
		}
	}
	return b.operate(setup)
}

func (b *bound) address(r dispatchplan.Range) uintptr {
	return uintptr(unsafe.Pointer(unsafe.SliceData(b.buffers[r.Buffer]))) + uintptr(r.Offset)
}

// prepareCall lays out a call of the plan on the buffers.
func (b *bound) prepareCall(c *dispatchplan.Step) (*executable.PreparedDispatch, error) {
	library, export, err := b.program.export(c.Library, c.Ordinal)
	if err != nil {
		return nil, err
	}
	var buffers []executable.Buffer
	for _, r := range c.Bindings {
		buffers = append(buffers, executable.Buffer{Address: b.address(r), Bytes: uintptr(r.Bytes)})
	}
	return library.Prepare(export, c.Workgroups, c.Constants, buffers)
}

// step does what is done before a dispatch, and calls it.
func (b *bound) step(c *dispatchplan.Step) error {
	if err := b.operate(c.Before); err != nil {
		return err
	}
	return b.callOnce(c)
}

func (b *bound) callOnce(c *dispatchplan.Step) error {
	call, err := b.prepareCall(c)
	if err != nil {
		return err
	}
	return errors.Join(call.Call(), call.Close())
}

func (b *bound) close() {
	if b.call != nil {
		b.call.Close() // fails only for memory that Alloc did not return
	}
	for _, unmap := range b.unmap {
		_ = unmap() // the mappings are ours
	}
	b.buffers, b.unmap, b.call = nil, nil, nil
}
