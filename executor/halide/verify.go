package halide

import (
	"fmt"
	"slices"
	"strings"

	"zonemark/executor/halide/metadata"
	"zonemark/executor/platform"
	"zonemark/executor/values"
	"zonemark/invocations"
)

// check compares the outputs of a pipeline with those of another one, or with expected ones.
type check struct {
	pipeline  *pipeline
	binding   *binding
	reference *pipeline // nil: there is none
	other     *binding  // of the reference
	foreign   *library  // that was loaded for the reference alone; nil if it is in the same file
	inv       *invocations.Invocation
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

// outputs returns the positions of the output buffers.
func (b *binding) outputs() (list []int) {
	for i := range b.arguments {
		if b.arguments[i].Kind == metadata.OutputBuffer {
			list = append(list, i)
		}
	}
	return list
}

// run calls the reference and the pipeline once each, on equal contents, and compares.
func (c *check) run(phase func(string)) (mismatch string, err error) {
	var want *argumentSets
	if c.reference != nil {
		phase("reference")
		if want, err = c.call(c.reference, c.other); err != nil {
			return "", fmt.Errorf("reference: %w", err)
		}
		defer want.free()
	}
	phase("verify")
	got, err := c.call(c.pipeline, c.binding)
	if err != nil {
		return "", err
	}
	defer got.free()
	return c.differences(got, want)
}

// differences compares all outputs and describes those that differ; empty if none does. want are those of the
// reference, nil if there is none.
func (c *check) differences(got, want *argumentSets) (string, error) {
	var differences []string
	for n, i := range c.binding.outputs() {
		text, err := c.compare(got, want, n, i)
		if err != nil {
			return "", err
		}
		if text != "" {
			differences = append(differences, c.binding.arguments[i].Name+": "+text)
		}
	}
	return strings.Join(differences, "; "), nil
}

// checkExpected refuses more expected outputs than there are.
func (b *binding) checkExpected(inv *invocations.Invocation) error {
	if outputs := b.outputs(); len(inv.Verify.Expected) > len(outputs) {
		return fmt.Errorf("%d outputs are expected, and pipeline %s has %d; name fewer", len(inv.Verify.Expected),
			inv.Function, len(outputs))
	}
	return nil
}

// call calls a pipeline once on fresh arguments.
func (c *check) call(p *pipeline, b *binding) (*argumentSets, error) {
	s, err := newSets(b, 0, 0, c.inv.Measure.Seed, platform.Layout{})
	if err != nil {
		return nil, err
	}
	if err := p.call(s, 0); err != nil {
		s.free()
		return nil, fmt.Errorf("%s: %w", p.path, err)
	}
	return s, nil
}

// compare compares output number n, argument i, with that of the reference and with the expected one.
func (c *check) compare(got, want *argumentSets, n, i int) (string, error) {
	a := &c.binding.arguments[i]
	elements, tolerance := got.dense(i), c.inv.Verify.Tolerance
	if want != nil {
		at := c.other.outputs()[n]
		if text := values.Compare(elements, want.dense(at), a.element, tolerance); text != "" {
			return fmt.Sprintf("%s (counted row by row over shape %v)", text, a.shape()), nil
		}
	}
	if n >= len(c.inv.Verify.Expected) {
		return "", nil
	}
	expected, err := expectedElements(c.inv.Verify.Expected[n], a)
	if err != nil {
		return "", fmt.Errorf("expected output %d: %w", n, err)
	}
	return values.Compare(elements, expected, a.element, tolerance), nil
}

// expectedElements reads an expected output.
func expectedElements(text string, a *boundArgument) ([]byte, error) {
	t, err := invocations.ParseTensor(text)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	if t.Fill == invocations.FillFile {
		if _, t.Shape, err = values.FileType(t.Path); err != nil {
			return nil, err
		}
	} else if t.Element != a.element {
		return nil, fmt.Errorf("%q: the output %s is of type %s", text, a.Name, a.element)
	}
	if !slices.Equal(t.Shape, a.shape()) {
		return nil, fmt.Errorf("%q has shape %v, and the output %s has %v", text, t.Shape, a.Name, a.shape())
	}
	data := make([]byte, a.logicalBytes())
	return data, values.Fill(data, a.element, t.Contents, 0)
}
