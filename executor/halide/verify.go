package halide

import (
	"fmt"
	"strings"

	"zonemark/executor/arguments"
	"zonemark/invocations"
)

// check prepares the comparison that an invocation asks for. A reference "FILE.so:NAME" is a pipeline of another file,
// whose library is foreign; else that is nil. measured returns the arguments of the timed calls.
func (p *program) check(
	own *pipeline, b *binding, inv *invocations.Invocation, measured func() *argumentSets,
) (c *arguments.Check, foreign *library, err error) {
	seed := inv.Measure.Seed
	c = &arguments.Check{Of: inv.Function, Verify: inv.Verify}
	c.Fresh = func() (arguments.Written, error) { return own.fresh(b, seed) }
	c.Measured = func() (arguments.Written, error) {
		if err := measured().Refill(); err != nil {
			return arguments.Written{}, err
		}
		return own.written(measured(), func() {})
	}
	if err := b.checkExpected(inv); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", p.path, err)
	}
	name := inv.Verify.Reference
	if name == "" {
		return c, nil, nil
	}
	from := p.library
	if file, function, ok := inv.ReferenceFile(); ok {
		if foreign, err = (Runtime{errors: p.errors}).open(file); err != nil {
			return nil, nil, fmt.Errorf("reference of %s: %w", inv.Function, err)
		}
		from, name = foreign, function
	}
	reference, err := from.pipeline(name)
	var other *binding
	if err == nil {
		other, err = reference.bind(inv)
	}
	if err == nil {
		err = b.comparable(other)
	}
	if err != nil {
		_ = foreign.close() // the first error says more
		return nil, nil, fmt.Errorf("reference of %s: %w", inv.Function, err)
	}
	c.Reference = func() (arguments.Written, error) { return reference.fresh(other, seed) }
	return c, foreign, nil
}

// comparable refuses a reference that takes or makes something else. Equal contents need equal sizes: contents are
// drawn in the order of memory.
func (b *binding) comparable(reference *binding) error {
	text := func(b *binding) string {
		var list []string
		for i := range b.arguments {
			if a := &b.arguments[i]; !internal(a.Argument) {
				list = append(list, a.region())
			}
		}
		return strings.Join(list, ", ")
	}
	if mine, its := text(b), text(reference); mine != its {
		return fmt.Errorf("%s takes %s, and %s takes %s; name one with the same arguments, or choose extents that "+
			"both can have", b.pipeline.Name, mine, reference.pipeline.Name, its)
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

// fresh calls the pipeline on arguments of its own.
func (p *pipeline) fresh(b *binding, seed uint64) (arguments.Written, error) {
	s, err := newSets(b, arguments.Request{Seed: seed})
	if err != nil {
		return arguments.Written{}, err
	}
	return p.written(s, s.Free)
}

// written calls the pipeline on arguments, which release frees.
func (p *pipeline) written(s *argumentSets, release func()) (arguments.Written, error) {
	if err := p.call(s, 0); err != nil {
		release()
		return arguments.Written{}, fmt.Errorf("%s: %w", p.path, err)
	}
	return s.written(release), nil
}

// written returns what a call has written into the arguments.
func (s *argumentSets) written(release func()) arguments.Written {
	outputs := s.outputs()
	return arguments.Written{Compared: outputs, Outputs: outputs, Release: release}
}
