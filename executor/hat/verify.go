package hat

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unsafe"

	"zonemark/executor/platform"
	"zonemark/executor/values"
	"zonemark/invocations"
)

// maxCalleeBytes limits how much is read of an array that the callee allocated. A larger size is garbage.
const maxCalleeBytes = 1 << 46

// verifier prepares the comparison with the reference of the invocation, and with its expected outputs. Both functions
// run once, each on its own fresh copy of the contents of the first set. Everything that they write is compared element
// by element through its layout, so padding does not count.
func (p *program) verifier(
	b *binding, entry uintptr, inv *invocations.Invocation,
) (func(func(string)) (string, error), error) {
	c := comparison{program: p, binding: b, verify: inv.Verify, seed: inv.Measure.Seed}
	if err := b.checkExpected(inv.Verify.Expected); err != nil {
		return nil, err
	}
	reference := inv.Verify.Reference
	if reference == "" {
		return func(phase func(string)) (string, error) { return c.run(phase, entry, 0) }, nil
	}
	holder := p
	if of := inv.Verify.Of; of.Path != "" {
		var err error
		if holder, err = loadBuilt(of); err != nil { // it stays open as long as the process: its functions are called
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
	c.compared = b.outputs()
	if len(c.compared) == 0 && b.result == "" {
		return nil, fmt.Errorf("%s cannot be checked against %s: it takes no arrays and returns nothing; leave the "+
			"reference out", b.symbol, reference)
	}
	return func(phase func(string)) (string, error) { return c.run(phase, entry, referenceEntry) }, nil
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
	program  *program
	binding  *binding
	verify   invocations.Verification
	compared []int // arguments that are compared with those of the reference; nil without one
	seed     uint64
}

// run compares what the function writes and returns with the expected outputs and, if reference is not 0, with what the
// reference writes and returns.
func (c *comparison) run(phase func(string), entry, reference uintptr) (mismatch string, err error) {
	var want *argumentSets
	var wantReturned returned
	if reference != 0 {
		phase("reference")
		var release func()
		if want, wantReturned, release, err = c.call(reference); err != nil {
			return "", err
		}
		defer release()
	}
	phase("verify")
	got, gotReturned, release, err := c.call(entry)
	if err != nil {
		return "", err
	}
	defer release()
	var differences []string
	for _, i := range c.compared {
		text, err := c.compare(got, want, i)
		if err != nil {
			return "", fmt.Errorf("%s: %s: %w", c.binding.symbol, c.binding.arguments[i].label(), err)
		}
		if text != "" {
			differences = append(differences, c.binding.arguments[i].label()+": "+text)
		}
	}
	if t := c.binding.result; t != "" && want != nil {
		if text := values.Compare(gotReturned.bytes(t), wantReturned.bytes(t), t, c.verify.Tolerance); text != "" {
			differences = append(differences, "return value: "+text)
		}
	}
	unexpected, err := c.compareExpected(got, gotReturned)
	if err != nil {
		return "", fmt.Errorf("%s: %w", c.binding.symbol, err)
	}
	differences = append(differences, unexpected...)
	return strings.Join(differences, "; "), nil
}

// call runs a function once on fresh arguments. release frees them and what the callee allocated.
func (c *comparison) call(entry uintptr) (*argumentSets, returned, func(), error) {
	sets, err := newSets(c.binding, 0, 0, c.seed, platform.Layout{})
	if err != nil {
		return nil, returned{}, nil, err
	}
	release := sets.free
	for i := range sets.arguments {
		if !sets.arguments[i].Callee {
			continue
		}
		free, err := c.program.free()
		if err != nil {
			sets.free()
			return nil, returned{}, nil, err
		}
		release = func() {
			sets.freeCallee(free)
			sets.free()
		}
		break
	}
	r, err := sets.callOnce(entry)
	if err != nil {
		sets.free()
		return nil, returned{}, nil, err
	}
	return sets, r, release, nil
}

// compare describes how one argument differs. Returns "" if it does not.
func (c *comparison) compare(got, want *argumentSets, i int) (string, error) {
	g, err := got.elementsOf(i)
	if err != nil {
		return "", fmt.Errorf("output: %w", err)
	}
	w, err := want.elementsOf(i)
	if err != nil {
		return "", fmt.Errorf("output of the reference: %w", err)
	}
	a := &c.binding.arguments[i]
	text := values.Compare(g, w, a.Element, c.verify.Tolerance)
	if text != "" && len(a.Shape) > 1 {
		text += fmt.Sprintf(" (counted row by row over shape %v)", a.Shape)
	}
	return text, nil
}

// elementsOf returns the logical elements of an argument after a call, dense and in row-major order.
func (s *argumentSets) elementsOf(i int) ([]byte, error) {
	a := &s.arguments[i]
	buffer := s.buffer(0, i)
	if a.Callee {
		var err error
		if buffer, err = s.calleeArray(i); err != nil {
			return nil, err
		}
	}
	logical, _ := shapeElements(a.Shape)
	// If elements overlap, the buffer is the smaller of the two.
	if a.Strides == nil && a.Offset == 0 || logical > a.elements {
		return buffer, nil
	}
	size := a.Element.Size()
	dense := make([]byte, 0, logical*size)
	walkElements(a.Shape, a.strides(), a.Offset, func(at int64) {
		dense = append(dense, buffer[at*size:][:size]...)
	})
	return dense, nil
}

// calleeArray returns the array that the callee allocated. Its sizes may be outputs of the same call.
func (s *argumentSets) calleeArray(i int) ([]byte, error) {
	a := &s.arguments[i]
	address := *(*unsafe.Pointer)(unsafe.Pointer(&s.buffer(0, i)[0]))
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
	return integerOf(s.buffer(0, a.position), a.Element), nil
}

// bytes returns the return value as an element of type t.
func (r returned) bytes(t invocations.ElementType) []byte {
	word := r.integer
	if t == invocations.Float32 || t == invocations.Float64 {
		word = r.float
	}
	return binary.LittleEndian.AppendUint64(nil, word)[:t.Size()]
}
