package cfunction

import (
	"fmt"
	"maps"
	"slices"

	"zonemark/executor"
	"zonemark/executor/arguments"
	"zonemark/executor/platform"
	"zonemark/invocations"
	"zonemark/invocations/spelling"
)

// Prepare allocates and fills the arguments as the prototype says. If the invocation has arguments, they choose
// contents. Each is matched by name, or by position if its name is empty or not unique. Parameters choose runtime sizes
// and other single numbers by name, and take precedence over contents. The set-up functions of the library are called
// before the first invocation is prepared.
//
// Reset restores the input_output arguments of a single set. It is nil if there are several sets: each of them is
// visited rarely, and a copy of all would double the memory.
func (p *program) Prepare(inv *invocations.Invocation, setBytes int64) (*executor.Call, error) {
	return p.PrepareIn(inv, setBytes, platform.Shared{})
}

// PrepareIn implements executor.Placer.
func (p *program) PrepareIn(
	inv *invocations.Invocation, setBytes int64, shared platform.Shared,
) (*executor.Call, error) {
	inert := p.initialized // else the set-up functions run
	b, entry, err := p.bind(inv.Function, inv)
	if err != nil {
		return nil, err
	}
	if err := p.initialize(); err != nil {
		return nil, err
	}
	work := &executor.Native{Entry: entry, Returns: b.result, ReturnsPointer: b.pointer}
	call := &executor.Call{Work: work, Notes: slices.Concat(p.notes, b.notes)}
	request := arguments.Request{
		Least: setBytes, Seed: inv.Measure.Seed, Layout: arguments.Layout(inv.Measure, 0),
	}
	var sets *argumentSets
	if inv.Verify.Reference != "" || len(inv.Verify.Expected) > 0 {
		request.Copies = 2
		check, err := p.check(b, entry, inv, func() *argumentSets { return sets })
		if err != nil {
			return nil, err
		}
		check.Note = func(text string) { call.Notes = append(call.Notes, text) }
		call.Verify, call.VerifyAgain = check.First, check.Again
	}
	if !b.calleeAllocates() {
		request.Layout.Shared = shared
	}
	if sets, err = newSets(b, request); err != nil {
		return nil, err
	}
	if work.Frames, err = sets.Frames(sets.frame); err != nil {
		sets.Free()
		return nil, err
	}
	work.Changed = sets.Changed(sets.frameAt)
	call.Touched = sets.Untouched().Look
	call.Close, call.Reset, call.Move = sets.Free, work.Changed.Reset(), sets.Mover(request.Layout.Shared)
	call.SetBytes, call.Places, work.Lines = sets.Bytes(), sets.Places(), sets.Lines()
	call.Notes = append(call.Notes, arguments.NoteFewer(sets, setBytes)...)
	if inv.Measure.Mode == invocations.Flush && len(work.Lines) == 0 {
		call.Notes = append(call.Notes, "it has no arrays as arguments, so nothing is evicted from the caches before its calls")
	}
	if err := p.settle(call, work, sets); err != nil {
		sets.Free()
		return nil, err
	}
	call.Inert = inert && call.Verify == nil // else the reference may have been loaded
	return call, nil
}

// bind finds the function and resolves its arguments for the invocation.
func (p *program) bind(symbol string, inv *invocations.Invocation) (*binding, uintptr, error) {
	t, err := p.described.prototype(symbol)
	if err != nil {
		return nil, 0, err
	}
	given, err := t.contentsOf(inv.Arguments)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: function %s: %w", p.described.Of, symbol, err)
	}
	b, err := t.bind(inv.Parameters, given, inv.Measure.Seed)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: function %s: %w", p.described.Of, symbol, err)
	}
	for i := range inv.Arguments {
		if err := b.accepts(&inv.Arguments[i], i); err != nil {
			return nil, 0, fmt.Errorf("%s: function %s: %w", p.described.Of, symbol, err)
		}
	}
	entry, err := p.entry(symbol)
	return b, entry, err
}

// contentsOf returns the contents that the invocation gives to the arguments of the function. Returns nil if the
// invocation has none.
func (t *Prototype) contentsOf(given []invocations.Argument) ([]invocations.Contents, error) {
	if len(given) == 0 {
		return nil, nil
	}
	contents := make([]invocations.Contents, len(t.arguments))
	for i := range given {
		at, err := t.place(given[i].Name, i)
		if err != nil {
			return nil, err
		}
		contents[at] = given[i].Contents
	}
	return contents, nil
}

// place returns the position of the function's argument that the invocation's argument at position i stands for.
func (t *Prototype) place(name string, i int) (int, error) {
	found, times := 0, 0
	names := map[string]bool{}
	for k := range t.arguments {
		names[t.arguments[k].Name] = true
		if name != "" && t.arguments[k].Name == name {
			found = k
			times++
		}
	}
	switch {
	case times == 1:
		return found, nil
	case times == 0 && name != "" && !names[""]:
		return 0, fmt.Errorf("it has no argument %q%s",
			name, spelling.SuggestOrList(name, slices.Sorted(maps.Keys(names))))
	case i >= len(t.arguments):
		return 0, fmt.Errorf("argument %d was given but it takes %d; leave it out", i+1, len(t.arguments))
	}
	return i, nil
}

// accepts refuses an argument of the invocation that contradicts the package.
func (b *binding) accepts(given *invocations.Argument, i int) error {
	at, err := b.place(given.Name, i)
	if err != nil {
		return err
	}
	a := &b.arguments[at]
	if given.Element != "" && given.Element != a.Element {
		return fmt.Errorf("%s is %s, not %s; leave the type out or correct it", a.label(), a.Element, given.Element)
	}
	if given.Shape == nil {
		return nil
	}
	n, ok := shapeElements(given.Shape)
	if a.Shape != nil && !slices.Equal(a.Shape, given.Shape) || a.Shape == nil && (!ok || n != b.elements[at]) {
		return fmt.Errorf("%s has shape %v, not %v; the package fixes it, or its parameters do",
			a.label(), b.shape(at), given.Shape)
	}
	return nil
}

// shape returns the shape of an argument with its runtime size filled in. Such an array has one dimension.
func (b *binding) shape(i int) []int64 {
	if a := &b.arguments[i]; a.Shape != nil || a.scalar {
		return a.Shape
	}
	return []int64{b.elements[i]}
}

// settle makes the call free what the callee allocates. Every call of a set overwrites the pointer of the call before,
// so a batch may hold one call for each set.
func (p *program) settle(call *executor.Call, work *executor.Native, sets *argumentSets) error {
	if !sets.calleeAllocates() {
		return nil
	}
	free, err := p.free()
	if err != nil {
		return err
	}
	work.MaxCallsPerBatch = int64(sets.Count())
	work.SettleOutputs = func() { sets.freeCallee(free) }
	call.Notes = append(call.Notes,
		"the function allocates its outputs: allocation is part of the time, and they are released with free() after "+
			"each batch")
	return nil
}
