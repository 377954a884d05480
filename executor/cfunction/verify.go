package cfunction

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"zonemark/executor/arguments"
	"zonemark/invocations"
)

// maxCalleeBytes limits how much is read of an array that the callee allocated. A larger size is garbage.
const maxCalleeBytes = 1 << 46

// check prepares the comparison with the reference of the invocation, and with its expected outputs. Both functions
// run once, each on its own fresh copy of the contents of the first set. Everything that they write is compared element
// by element through its layout, so padding does not count. measured returns the arguments of the timed calls.
func (p *program) check(
	b *binding, entry uintptr, inv *invocations.Invocation, measured func() *argumentSets,
) (*arguments.Check, error) {
	if err := b.checkExpected(inv.Verify.Expected); err != nil {
		return nil, err
	}
	t := &tried{program: p, binding: b, expected: len(inv.Verify.Expected), seed: inv.Measure.Seed}
	c := &arguments.Check{Of: b.symbol, Verify: inv.Verify}
	c.Fresh = func() (arguments.Written, error) { return t.fresh(entry) }
	c.Measured = func() (arguments.Written, error) {
		if err := measured().Refill(); err != nil {
			return arguments.Written{}, err
		}
		return t.call(entry, measured(), func() {})
	}
	reference := inv.Verify.Reference
	if reference == "" {
		return c, nil
	}
	holder := p
	if of := inv.Verify.Of; of.Path != "" {
		var err error
		if holder, err = p.other(of); err != nil { // it stays open as long as the process: its functions are called
			return nil, fmt.Errorf("reference of %s: %w", b.symbol, err)
		}
		if err := holder.initialize(); err != nil {
			return nil, fmt.Errorf("reference of %s: %w", b.symbol, err)
		}
	}
	rb, referenceEntry, err := holder.bind(reference, inv)
	if err != nil {
		return nil, fmt.Errorf("reference of %s: %w", b.symbol, err)
	}
	if mine, its := b.signature(), rb.signature(); mine != its {
		return nil, fmt.Errorf("%s cannot be checked against %s: it takes %s and the reference %s; name a reference "+
			"of the same signature", b.symbol, reference, mine, its)
	}
	t.compared = b.outputs()
	if len(t.compared) == 0 && b.result == "" {
		return nil, fmt.Errorf("%s cannot be checked against %s: it takes no arrays and returns nothing; leave the "+
			"reference out", b.symbol, reference)
	}
	c.Reference = func() (arguments.Written, error) {
		ask := wanted{reference: referenceEntry, inv: inv, positions: t.compared}
		if p.wanted.answers(&ask) {
			return arguments.Written{Compared: p.wanted.outputs, Release: func() {}}, nil
		}
		w, err := t.fresh(referenceEntry)
		p.wanted = ask.with(w.Compared)
		return w, err
	}
	return c, nil
}

// wanted is what a reference has written: many variants are compared with one reference, on equal arguments.
type wanted struct {
	reference uintptr
	inv       *invocations.Invocation
	positions []int // of the outputs
	outputs   []arguments.Output
}

// mostWanted is how many bytes of outputs are remembered at most.
const mostWanted = 16 << 20

// answers reports whether the reference would write the same again.
func (w *wanted) answers(ask *wanted) bool {
	return w != nil && w.reference == ask.reference && slices.Equal(w.positions, ask.positions) &&
		w.inv.Measure.Seed == ask.inv.Measure.Seed && reflect.DeepEqual(w.inv.Parameters, ask.inv.Parameters) &&
		reflect.DeepEqual(w.inv.Arguments, ask.inv.Arguments)
}

// with returns what is remembered if the reference has written these outputs; nil: nothing, since they are too many, or
// follow from files, which may change.
func (w wanted) with(outputs []arguments.Output) *wanted {
	bytes := 0
	for _, o := range outputs {
		bytes += len(o.Data)
	}
	fromFile := func(a invocations.Argument) bool { return a.Fill == invocations.FillFile }
	if len(outputs) == 0 || bytes > mostWanted || slices.ContainsFunc(w.inv.Arguments, fromFile) {
		return nil
	}
	for _, o := range outputs {
		o.Data = slices.Clone(o.Data)
		w.outputs = append(w.outputs, o)
	}
	return &w
}

// other opens another artifact of the same kind.
func (p *program) other(of invocations.Artifact) (*program, error) {
	if p.described.Other == nil {
		return nil, fmt.Errorf("functions of %s are not compared with those of other files; name a function of this file",
			p.described.Of)
	}
	l, err := p.described.Other(of)
	if err != nil {
		return nil, err
	}
	return open(l)
}

// declaredOutputs returns the positions of the arguments that are declared as outputs.
func (b *binding) declaredOutputs() (list []int) {
	for i := range b.arguments {
		if b.arguments[i].Usage != invocations.Input {
			list = append(list, i)
		}
	}
	return list
}

// checkExpected refuses more expected outputs than there are. The return value comes after the arguments.
func (b *binding) checkExpected(expected []string) error {
	n := len(b.declaredOutputs())
	if b.result != "" {
		n++
	}
	return arguments.CheckExpected(expected, n, b.symbol)
}

// outputs returns the positions of the arguments that a call writes: those declared as outputs or, if there are none,
// all that are passed by address.
func (b *binding) outputs() []int {
	var addressed []int
	for i := range b.arguments {
		if !b.arguments[i].ByValue {
			addressed = append(addressed, i)
		}
	}
	if declared := b.declaredOutputs(); len(declared) > 0 {
		return declared
	}
	return addressed
}

// tried is a function whose calls are compared, or its reference: both take equal arguments.
type tried struct {
	program  *program
	binding  *binding
	compared []int // arguments that are compared with those of the reference; nil without one
	expected int   // how many declared outputs are compared with expected ones
	seed     uint64
}

// fresh calls a function on arguments of its own.
func (t *tried) fresh(entry uintptr) (arguments.Written, error) {
	sets, err := newSets(t.binding, arguments.Request{Seed: t.seed})
	if err != nil {
		return arguments.Written{}, err
	}
	return t.call(entry, sets, sets.Free)
}

// call calls a function once on arguments, which done frees. What the callee has allocated is freed as well.
func (t *tried) call(entry uintptr, sets *argumentSets, done func()) (w arguments.Written, err error) {
	w.Release = done
	if sets.calleeAllocates() {
		free, err := t.program.free()
		if err != nil {
			done()
			return w, err
		}
		w.Release = func() {
			sets.freeCallee(free)
			done()
		}
	}
	r, err := sets.callOnce(entry)
	if err != nil {
		done()
		return w, err
	}
	declared := t.binding.declaredOutputs()
	if w.Compared, err = sets.outputsAt(t.compared, r); err == nil {
		w.Outputs, err = sets.outputsAt(declared[:min(len(declared), t.expected)], r)
	}
	if err != nil {
		w.Release()
		return w, fmt.Errorf("%s: %w", t.binding.symbol, err)
	}
	return w, nil
}

// outputsAt returns what a call wrote into the arguments at these positions and, after them, what it returned.
func (s *argumentSets) outputsAt(positions []int, r returned) (list []arguments.Output, err error) {
	for _, i := range positions {
		a := &s.arguments[i]
		o := arguments.Output{Label: a.label(), Element: a.Element, Shape: a.Shape, AnyShape: true, Declared: true}
		if o.Data, err = s.elementsOf(i); err != nil {
			return nil, fmt.Errorf("%s: %w", a.label(), err)
		}
		list = append(list, o)
	}
	if t := s.result; t != "" {
		list = append(list, arguments.Output{Label: "return value", Element: t, Data: r.bytes(t), AnyShape: true,
			Declared: true})
	}
	return list, nil
}

// elementsOf returns the logical elements of an argument after a call, dense and in row-major order.
func (s *argumentSets) elementsOf(i int) ([]byte, error) {
	a := &s.arguments[i]
	if !a.Callee {
		return s.Elements(0, i), nil
	}
	array, err := s.calleeArray(i)
	if err != nil {
		return nil, err
	}
	return a.order().Dense(array, a.Element), nil
}

// calleeArray returns the array that the callee allocated. Its sizes may be outputs of the same call.
func (s *argumentSets) calleeArray(i int) ([]byte, error) {
	a := &s.arguments[i]
	address := *s.slot(0, i)
	if address == nil {
		return nil, fmt.Errorf("the function left NULL instead of an array")
	}
	n := a.elements
	if len(a.size) > 0 {
		var err error
		if n, err = evaluateSize(a.size, s.afterCall); err != nil {
			return nil, fmt.Errorf("size %q: %w", a.Extent, err)
		}
	}
	bytes, ok := multiply(n, a.Element.Size())
	if !ok || bytes > maxCalleeBytes {
		return nil, fmt.Errorf("size %q is %d elements, which no memory holds", a.Extent, n)
	}
	return unsafe.Slice((*byte)(address), bytes), nil
}

// afterCall returns the value of a size after the function has run.
func (s *argumentSets) afterCall(name string) (int64, error) {
	a := s.named(name)
	if a.ByValue {
		return s.passed(name)
	}
	return integerOf(s.Array(0, a.position), a.Element), nil
}

// bytes returns the return value as an element of type t.
func (r returned) bytes(t invocations.ElementType) []byte {
	word := r.integer
	if t == invocations.Float32 || t == invocations.Float64 {
		word = r.float
	}
	return binary.LittleEndian.AppendUint64(nil, word)[:t.Size()]
}
