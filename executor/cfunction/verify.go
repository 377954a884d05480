package cfunction

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"zonemark/executor/arguments"
	"zonemark/invocations"
)

// maxCalleeBytes limits how much is read of an array that the callee allocated. A larger size is garbage.
const maxCalleeBytes = 1 << 46

// verifier prepares the comparison with the reference of the invocation, and with its expected outputs. Both functions
// run once, each on its own fresh copy of the contents of the first set. Everything that they write is compared element
// by element through its layout, so padding does not count.
func (p *program) verifier(
	b *binding, entry uintptr, inv *invocations.Invocation,
) (*comparison, error) {
	c := &comparison{program: p, binding: b, entry: entry, verify: inv.Verify, seed: inv.Measure.Seed}
	if err := b.checkExpected(inv.Verify.Expected); err != nil {
		return nil, err
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
	if c.reference = referenceEntry; err != nil {
		return nil, fmt.Errorf("reference of %s: %w", b.symbol, err)
	}
	if mine, its := b.signature(), rb.signature(); mine != its {
		return nil, fmt.Errorf("%s cannot be checked against %s: it takes %s and the reference %s; name a reference "+
			"of the same signature", b.symbol, reference, mine, its)
	}
	c.compared = b.outputs()
	if len(c.compared) == 0 && b.result == "" {
		return nil, fmt.Errorf("%s cannot be checked against %s: it takes no arrays and returns nothing; leave the "+
			"reference out", b.symbol, reference)
	}
	return c, nil
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

// comparison runs a function and its reference on equal arguments.
type comparison struct {
	program *program
	binding *binding
	entry   uintptr
	// reference is the address of the reference; 0 without one.
	reference uintptr
	// measured are the arguments of the timed calls.
	measured *argumentSets
	verify   invocations.Verification
	compared []int // arguments that are compared with those of the reference; nil without one
	seed     uint64
	note     func(string) // is told what to know of a comparison
}

// first compares a call on arguments of its own.
func (c *comparison) first(phase func(string)) (mismatch string, err error) {
	return c.run(phase, c.fresh, c.note)
}

// again compares a call on the arguments of the timed calls, whose first contents it restores.
func (c *comparison) again(phase func(string)) (mismatch string, err error) {
	return c.run(phase, func() (*argumentSets, func(), error) {
		return c.measured, func() {}, c.measured.Refill()
	}, nil)
}

// fresh returns arguments of their own, and what frees them.
func (c *comparison) fresh() (*argumentSets, func(), error) {
	sets, err := newSets(c.binding, arguments.Request{Seed: c.seed})
	if err != nil {
		return nil, nil, err
	}
	return sets, sets.Free, nil
}

// run compares what the function writes into arguments and returns with the expected outputs and, if there is a
// reference, with what that writes and returns.
func (c *comparison) run(
	phase func(string), on func() (*argumentSets, func(), error), note func(string),
) (mismatch string, err error) {
	how := arguments.Comparison{Tolerance: c.verify.Tolerance, Note: note}
	var want []arguments.Output
	if c.reference != 0 {
		phase("reference")
		sets, r, release, err := c.call(c.reference, c.fresh)
		if err != nil {
			return "", err
		}
		defer release()
		if want, err = sets.outputsAt(c.compared, r); err != nil {
			return "", fmt.Errorf("%s: reference: %w", c.binding.symbol, err)
		}
	}
	phase("verify")
	sets, r, release, err := c.call(c.entry, on)
	if err != nil {
		return "", err
	}
	defer release()
	var differences []string
	if c.reference != 0 {
		got, err := sets.outputsAt(c.compared, r)
		if err != nil {
			return "", fmt.Errorf("%s: %w", c.binding.symbol, err)
		}
		differences = append(differences, how.Compare(got, want))
	}
	declared := c.binding.declaredOutputs()
	got, err := sets.outputsAt(declared[:min(len(declared), len(c.verify.Expected))], r)
	if err == nil {
		mismatch, err = how.Expected(got, c.verify.Expected)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", c.binding.symbol, err)
	}
	differences = append(differences, mismatch)
	differences = slices.DeleteFunc(differences, func(text string) bool { return text == "" })
	return strings.Join(differences, "; "), nil
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

// call runs a function once on arguments. release frees what they hold, and what the callee allocated.
func (c *comparison) call(
	entry uintptr, on func() (*argumentSets, func(), error),
) (*argumentSets, returned, func(), error) {
	sets, done, err := on()
	if err != nil {
		return nil, returned{}, nil, err
	}
	release := done
	for i := range sets.arguments {
		if !sets.arguments[i].Callee {
			continue
		}
		free, err := c.program.free()
		if err != nil {
			done()
			return nil, returned{}, nil, err
		}
		release = func() {
			sets.freeCallee(free)
			done()
		}
		break
	}
	r, err := sets.callOnce(entry)
	if err != nil {
		done()
		return nil, returned{}, nil, err
	}
	return sets, r, release, nil
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
