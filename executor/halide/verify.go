package halide

import (
	"fmt"
	"strings"

	"zonemark/executor/arguments"
	"zonemark/invocations"
)

// check compares the outputs of a pipeline with those of another one, or with expected ones.
type check struct {
	pipeline  *pipeline
	binding   *binding
	reference *pipeline     // nil: there is none
	other     *binding      // of the reference
	foreign   *library      // that was loaded for the reference alone; nil if it is in the same file
	measured  *argumentSets // of the timed calls
	inv       *invocations.Invocation
	note      func(string) // is told what to know of a comparison
}

// check prepares the comparison that an invocation asks for. A reference "FILE.so:NAME" is a pipeline of another file.
func (p *program) check(own *pipeline, b *binding, inv *invocations.Invocation) (*check, error) {
	c := &check{pipeline: own, binding: b, inv: inv}
	if err := b.checkExpected(inv); err != nil {
		return nil, fmt.Errorf("%s: %w", p.path, err)
	}
	name := inv.Verify.Reference
	if name == "" {
		return c, nil
	}
	from := p.library
	if file, function, ok := inv.ReferenceFile(); ok {
		var err error
		if from, err = (Runtime{errors: p.errors}).open(file); err != nil {
			return nil, fmt.Errorf("reference of %s: %w", inv.Function, err)
		}
		c.foreign, name = from, function
	}
	var err error
	if c.reference, err = from.pipeline(name); err == nil {
		c.other, err = c.reference.bind(inv)
	}
	if err == nil {
		err = c.comparable()
	}
	if err != nil {
		_ = c.close() // the first error says more
		return nil, fmt.Errorf("reference of %s: %w", inv.Function, err)
	}
	return c, nil
}

// comparable refuses a reference that takes or makes something else. Equal contents need equal sizes: contents are
// drawn in the order of memory.
func (c *check) comparable() error {
	text := func(b *binding) string {
		var list []string
		for i := range b.arguments {
			if a := &b.arguments[i]; !internal(a.Argument) {
				list = append(list, a.region())
			}
		}
		return strings.Join(list, ", ")
	}
	if mine, its := text(c.binding), text(c.other); mine != its {
		return fmt.Errorf("%s takes %s, and %s takes %s; name one with the same arguments, or choose extents that "+
			"both can have", c.pipeline.metadata.Name, mine, c.reference.metadata.Name, its)
	}
	return nil
}

// region returns the type of an argument, and what a buffer covers, such as "uint8[0+1024, -1+1026]".
func (a *boundArgument) region() string {
	if !a.buffer() {
		return string(a.element)
	}
	var dims []string
	for _, d := range a.dims {
		dims = append(dims, fmt.Sprintf("%d+%d", d.min, d.extent))
	}
	return fmt.Sprintf("%s[%s]", a.element, strings.Join(dims, ", "))
}

func (c *check) close() error {
	if c == nil {
		return nil
	}
	return c.foreign.close()
}

// first calls the reference and the pipeline once each, on equal contents, and compares.
func (c *check) first(phase func(string)) (mismatch string, err error) {
	want, err := c.wanted(phase)
	if err != nil {
		return "", err
	}
	defer want.free()
	phase("verify")
	got, err := c.call(c.pipeline, c.binding)
	if err != nil {
		return "", err
	}
	defer got.Free()
	return c.differences(got, want, c.note)
}

// again does so on the arguments of the timed calls, whose first contents it restores.
func (c *check) again(phase func(string)) (mismatch string, err error) {
	want, err := c.wanted(phase)
	if err != nil {
		return "", err
	}
	defer want.free()
	phase("verify")
	if err := c.measured.Refill(); err != nil {
		return "", err
	}
	if err := c.pipeline.call(c.measured, 0); err != nil {
		return "", fmt.Errorf("%s: %w", c.pipeline.path, err)
	}
	return c.differences(c.measured, want, nil)
}

// wanted calls the reference once and returns its arguments; nil without a reference.
func (c *check) wanted(phase func(string)) (*argumentSets, error) {
	if c.reference == nil {
		return nil, nil
	}
	phase("reference")
	want, err := c.call(c.reference, c.other)
	if err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	return want, nil
}

// free frees arguments, if there are any.
func (s *argumentSets) free() {
	if s != nil {
		s.Free()
	}
}

// differences compares all outputs and describes those that differ; empty if none does. want are those of the
// reference, nil if there is none.
func (c *check) differences(got, want *argumentSets, note func(string)) (mismatch string, err error) {
	how := arguments.Comparison{Tolerance: c.inv.Verify.Tolerance, Note: note}
	if want != nil {
		mismatch = how.Compare(got.outputs(), want.outputs())
	}
	if mismatch != "" {
		return mismatch, nil
	}
	return how.Expected(got.outputs(), c.inv.Verify.Expected)
}

// checkExpected refuses more expected outputs than there are.
func (b *binding) checkExpected(inv *invocations.Invocation) error {
	n := 0
	for i := range b.arguments {
		if b.arguments[i].isOutput() {
			n++
		}
	}
	return arguments.CheckExpected(inv.Verify.Expected, n, "pipeline "+inv.Function)
}

// call calls a pipeline once on fresh arguments.
func (c *check) call(p *pipeline, b *binding) (*argumentSets, error) {
	s, err := newSets(b, arguments.Request{Seed: c.inv.Measure.Seed})
	if err != nil {
		return nil, err
	}
	if err := p.call(s, 0); err != nil {
		s.Free()
		return nil, fmt.Errorf("%s: %w", p.path, err)
	}
	return s, nil
}
