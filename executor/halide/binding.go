package halide

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"zonemark/executor/arguments"
	"zonemark/executor/halide/metadata"
	"zonemark/executor/values"
	"zonemark/invocations"
	"zonemark/invocations/spelling"
)

// binding is a pipeline with a value for everything that a caller chooses: the values of scalars, and the shapes and
// contents of buffers.
type binding struct {
	pipeline  *metadata.Pipeline
	arguments []boundArgument
	notes     []string
	measured  map[string]string // parameters of buffers whose extents are not those that were estimated
}

// boundArgument is an argument of a binding.
type boundArgument struct {
	*metadata.Argument
	element  invocations.ElementType
	contents invocations.Contents
	position int // among the arguments that a caller sees; it chooses the seed

	// Of a buffer: its dimensions, and whether the user has chosen the extents. Extents that are not known are 0.
	dims   []dimension
	chosen bool
	scalar [8]byte // value of a scalar, in its first bytes
	open   bool    // a scalar whose value nobody says
}

func (a *boundArgument) buffer() bool { return a.Kind != metadata.Scalar }

// bind gives the arguments of a pipeline the values of an invocation, as far as these are known without asking the
// pipeline itself; see sizes.
func bind(p *metadata.Pipeline, inv *invocations.Invocation) (*binding, error) {
	b := &binding{pipeline: p}
	position := 0
	for i := range p.Arguments {
		a := boundArgument{Argument: &p.Arguments[i], position: position}
		if internal(a.Argument) {
			b.arguments = append(b.arguments, a)
			continue
		}
		position++
		var err error
		if a.element, err = element(a.Type); err != nil {
			return nil, fmt.Errorf("argument %s: %w", a.Name, err)
		}
		b.arguments = append(b.arguments, a)
	}
	for i := range inv.Arguments {
		if err := b.take(&inv.Arguments[i], i); err != nil {
			return nil, err
		}
	}
	if err := b.takeParameters(inv.Parameters, inv.Given); err != nil {
		return nil, err
	}
	for i := range b.arguments {
		a := &b.arguments[i]
		if internal(a.Argument) {
			continue
		}
		var err error
		if a.buffer() {
			err = a.estimate()
		} else {
			err = a.setScalar(inv.Measure.Seed)
		}
		if err != nil {
			return nil, fmt.Errorf("argument %s: %w", a.Name, err)
		}
	}
	return b, nil
}

// find returns the argument with a name, or the one at a position among those that a caller sees.
func (b *binding) find(name string, position int) (*boundArgument, error) {
	var names []string
	for i := range b.arguments {
		a := &b.arguments[i]
		if a.Name == name && name != "" {
			return a, nil
		}
		names = append(names, a.Name)
	}
	if n, err := strconv.Atoi(name); err == nil {
		position, name = n, ""
	}
	for i := range b.arguments {
		if a := &b.arguments[i]; name == "" && a.position == position && !internal(a.Argument) {
			return a, nil
		}
	}
	return nil, fmt.Errorf("it has no argument %q%s", name, spelling.SuggestOrList(name, names))
}

// take enters contents, and a shape that the user has given or a file has.
func (b *binding) take(given *invocations.Argument, position int) error {
	a, err := b.find(given.Name, position)
	if err != nil {
		return err
	}
	a.contents = given.Contents
	if given.Element != "" && given.Element != a.element {
		return fmt.Errorf("argument %s is %s, not %s; correct the input", a.Name, a.element, given.Element)
	}
	if !a.buffer() {
		return nil
	}
	shape := given.Shape
	if given.Fill == invocations.FillFile {
		if _, shape, err = values.FileType(given.Contents); err != nil {
			return fmt.Errorf("argument %s: %w", a.Name, err)
		}
		if len(shape) == a.Dimensions-1 { // an image of grey values has no channels
			shape = slices.Insert(slices.Clone(shape), 0, 1)
		}
	}
	if shape == nil || a.Dimensions == 0 && len(shape) == 0 {
		return nil
	}
	if len(shape) != a.Dimensions {
		return fmt.Errorf("argument %s has %d dimensions, and %s is given; give one of %d dimensions",
			a.Name, a.Dimensions, invocations.TensorShape(a.element, shape), a.Dimensions)
	}
	extents := slices.Clone(shape)
	slices.Reverse(extents)
	return a.setExtents(extents)
}

// takeParameters enters the parameters. One that repeats the estimate chooses nothing, unless a user has given it.
func (b *binding) takeParameters(parameters map[string]string, given []string) (err error) {
	known := map[string]*boundArgument{}
	for i := range b.arguments {
		a := &b.arguments[i]
		switch {
		case internal(a.Argument):
		case !a.buffer():
			known[a.Name] = a
		case a.Dimensions > 0:
			known[extentParameter(a.Argument)] = a
		}
	}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		a, text := known[name], parameters[name]
		if a == nil {
			return fmt.Errorf("it has no parameter %q%s", name,
				spelling.SuggestOrList(name, slices.Sorted(maps.Keys(known))))
		}
		if !a.buffer() {
			if a.contents.Fill == invocations.FillDefault || text != scalarText(a.Argument, a.element) {
				a.contents, err = invocations.ParseContents(text)
			}
		} else if text != extentsText(estimatedExtents(a.Argument)) || slices.Contains(given, name) {
			var extents []int64
			if extents, err = parseExtents(text, a.Dimensions); err == nil {
				err = a.setExtents(extents)
			}
		}
		if err != nil {
			return fmt.Errorf("parameter %s: %w", name, err)
		}
	}
	return nil
}

// setExtents takes extents that the user has chosen.
func (a *boundArgument) setExtents(extents []int64) error {
	dims := make([]dimension, len(extents))
	for d, n := range extents {
		if n < 1 || n > math.MaxInt32 {
			return fmt.Errorf("argument %s: an extent is %d; want a number from 1 to %d", a.Name, n, math.MaxInt32)
		}
		if a.chosen && int64(a.dims[d].extent) != n {
			return fmt.Errorf("argument %s: it is given in two sizes; leave the parameter %s out, or the input's shape",
				a.Name, extentParameter(a.Argument))
		}
		dims[d].extent = int32(n)
	}
	a.dims, a.chosen = dims, true
	return nil
}

// estimate fills in what the metadata say of a buffer, beside what the user has chosen.
func (a *boundArgument) estimate() error {
	if a.dims == nil {
		a.dims = make([]dimension, a.Dimensions)
	}
	for d, r := range a.Estimates {
		for _, n := range []*int64{r.Min, r.Extent} {
			if n != nil && (*n < math.MinInt32 || *n > math.MaxInt32) {
				return fmt.Errorf("the estimate %d of dimension %d is beyond 32 bits; correct the generator", *n, d)
			}
		}
		if r.Min != nil {
			a.dims[d].min = int32(*r.Min)
		}
		if r.Extent != nil && !a.chosen {
			a.dims[d].extent = max(0, int32(*r.Extent))
		}
	}
	return nil
}

// setScalar encodes the value of a scalar: what the user says, or the estimate, or the default.
func (a *boundArgument) setScalar(seed uint64) error {
	contents := a.contents
	if contents.Fill == invocations.FillDefault {
		text := scalarText(a.Argument, a.element)
		if text == "" {
			a.open = true
			return nil
		}
		contents = invocations.Contents{Fill: invocations.FillConstant, Value: text}
	}
	return values.Fill(a.scalar[:a.element.Size()], a.element, contents, arguments.Seed(seed, a.position, 0, 0))
}

// known reports whether all extents of a buffer are known.
func (a *boundArgument) known() bool {
	return !slices.ContainsFunc(a.dims, func(d dimension) bool { return d.extent == 0 })
}

// shape returns the shape of a buffer as zonemark counts dimensions: the last one is the innermost.
func (a *boundArgument) shape() []int64 {
	shape := make([]int64, len(a.dims))
	for d, dim := range a.dims {
		shape[len(shape)-1-d] = int64(dim.extent)
	}
	return shape
}

// text returns the extents of a buffer as a parameter spells them.
func (a *boundArgument) text() string {
	list := make([]int64, len(a.dims))
	for d, dim := range a.dims {
		list[d] = int64(dim.extent)
	}
	return extentsText(list)
}

// elements returns how many elements lie between the first and the last one in memory, both included; false if that is
// no number of bytes that memory can have.
func (a *boundArgument) elements() (int64, bool) {
	n := int64(1)
	for _, d := range a.dims {
		if d.extent < 1 || d.stride < 0 {
			return 0, false
		}
		step := int64(d.extent-1) * int64(d.stride) // below 2^62
		if n > math.MaxInt64/16-step {
			return 0, false
		}
		n += step
	}
	return n, true
}

// dense gives a buffer strides without gaps. Dimensions keep the order of the strides that they have; equal ones are
// in the order of the dimensions.
func (a *boundArgument) dense() error {
	order := make([]int, len(a.dims))
	for d := range order {
		order[d] = d
	}
	slices.SortStableFunc(order, func(d, e int) int { return int(a.dims[d].stride) - int(a.dims[e].stride) })
	stride := int64(1)
	for _, d := range order {
		if stride > math.MaxInt32 {
			return fmt.Errorf("argument %s of extents %s has more elements than Halide can address; choose smaller "+
				"ones", a.Name, a.text())
		}
		a.dims[d].stride = int32(stride)
		stride *= int64(a.dims[d].extent)
	}
	return nil
}
