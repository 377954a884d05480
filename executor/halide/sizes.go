package halide

import (
	"fmt"
	"slices"
	"strings"

	"zonemark/executor/halide/metadata"
	"zonemark/executor/values"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// sizes settles the shapes of all buffers. Those that the user or the estimates do not say come from bounds queries: a
// pipeline that is called with buffers without memory writes the shapes into them that it needs. query makes such a
// call with the dimensions of the binding, and puts the answer there.
//
// An error names everything that nobody says at once: a pipeline that lacks the values of scalars or the extents of
// outputs is asked with examples of them, to find the inputs that are open, too.
func (b *binding) sizes(query func(*binding) error) error {
	b.follow()
	var missing []*boundArgument
	for i := range b.arguments {
		a := &b.arguments[i]
		if a.open || a.Kind == metadata.OutputBuffer && !a.known() {
			missing = append(missing, a)
			a.takeExample()
		}
	}
	given := b.dimensions()
	inputs, err := b.query(given, query)
	if err != nil && len(missing) == 0 {
		return err
	}
	if missing = append(missing, inputs...); len(missing) > 0 {
		return b.giveAll(missing)
	}
	return b.settle(given)
}

// query asks the pipeline for the extents that nobody says. It returns the inputs of which it takes any. One that has as
// many dimensions as an output gets the extents of that, as an image behind a boundary condition has.
func (b *binding) query(given [][]dimension, query func(*binding) error) (open []*boundArgument, err error) {
	b.seed(1)
	if err := query(b); err != nil || !b.unknown(given) {
		return nil, err
	}
	first := b.dimensions()
	b.restore(given)
	b.seed(otherSeed)
	if err := query(b); err != nil {
		return nil, err
	}
	adopted := false
	for i := range b.arguments {
		a := &b.arguments[i]
		if !a.buffer() || a.chosen || slices.Equal(a.dims, first[i]) || allKnown(given[i]) {
			continue
		}
		if like := b.outputLike(a); like >= 0 {
			for d := range given[i] {
				given[i][d].extent = given[like][d].extent
			}
			b.notes = append(b.notes, fmt.Sprintf("%s has the extents %s of the output %s, since the pipeline takes any",
				a.Name, b.arguments[like].text(), b.arguments[like].Name))
			adopted = true
			continue
		}
		open = append(open, a)
	}
	if !adopted || len(open) > 0 {
		return open, nil
	}
	b.restore(given)
	return b.query(given, query)
}

// outputLike returns the index of an output with as many dimensions as an input; -1 if there is none.
func (b *binding) outputLike(a *boundArgument) int {
	return slices.IndexFunc(b.arguments, func(other boundArgument) bool {
		return other.Kind == metadata.OutputBuffer && other.Dimensions == a.Dimensions
	})
}

// takeExample gives an argument that is not known an example of a value.
func (a *boundArgument) takeExample() {
	for d := range a.dims {
		a.dims[d].extent = exampleExtent
	}
	if !a.buffer() {
		contents := invocations.Contents{Fill: invocations.FillConstant, Value: a.example()}
		_ = values.Fill(a.scalar[:a.element.Size()], a.element, contents, 0) // every type has this number
	}
}

// example returns an example of a value, as a parameter spells it.
func (a *boundArgument) example() string {
	switch {
	case a.buffer():
		return exampleExtents(a.Dimensions)
	case a.element.Float():
		return "1.5"
	}
	return "1"
}

// giveAll returns an error that is remedied by values for arguments.
func (b *binding) giveAll(list []*boundArgument) error {
	var names, examples []string
	for _, a := range list {
		name := a.Name
		if a.buffer() {
			name = extentParameter(a.Argument)
		}
		names, examples = append(names, name), append(examples, name+"="+a.example())
	}
	are := "is"
	if len(names) > 1 {
		are = "are"
	}
	return remedy.With(fmt.Errorf("%s %s not known: the pipeline has no estimates, and takes any value",
		strings.Join(names, ", "), are),
		remedy.Remedy{Kind: remedy.Call, Name: b.pipeline.Name, Parameters: strings.Join(examples, " ")})
}

// giveExtents returns an error that is remedied by the extents of a buffer.
func (a *boundArgument) giveExtents(format string, args ...any) error {
	return remedy.With(fmt.Errorf(format, args...), remedy.Remedy{
		Kind: remedy.Parameters, Name: extentParameter(a.Argument), Value: exampleExtents(a.Dimensions)})
}

// otherSeed is an extent that a pipeline is asked with for the second time. A pipeline that clamps coordinates to its
// input's extents needs another part of an input of this extent than of one of extent 1.
const otherSeed = 1 << 12

// exampleExtent is an extent that most pipelines take.
const exampleExtent = 256

func exampleExtents(dimensions int) string {
	return strings.TrimSuffix(strings.Repeat(fmt.Sprint(exampleExtent, "x"), dimensions), "x")
}

// follow gives buffers whose size the user does not choose the extents of those that he has chosen, in dimensions whose
// estimates are equal: the output of a filter is as large as the image that it reads.
func (b *binding) follow() {
	for i := range b.arguments {
		a := &b.arguments[i]
		if !a.buffer() || a.chosen || len(a.Estimates) == 0 {
			continue
		}
		before := a.text()
		for k := range b.arguments {
			other := &b.arguments[k]
			if !other.chosen || (a.Kind == metadata.OutputBuffer) == (other.Kind == metadata.OutputBuffer) {
				continue
			}
			for d := range min(len(a.dims), len(other.dims), len(other.Estimates)) {
				if sameEstimate(a.Estimates[d], other.Estimates[d]) {
					a.dims[d].extent = other.dims[d].extent
				}
			}
		}
		if after := a.text(); after != before {
			b.notes = append(b.notes, fmt.Sprintf("%s has the extents %s in place of the estimated %s, as the buffers "+
				"that were given", a.Name, after, before))
		}
	}
}

func sameEstimate(a, b metadata.Range) bool {
	same := func(a, b *int64) bool { return a == b || a != nil && b != nil && *a == *b }
	return a.Extent != nil && same(a.Extent, b.Extent) && same(a.Min, b.Min)
}

// dimensions returns a copy of the dimensions of all arguments.
func (b *binding) dimensions() [][]dimension {
	list := make([][]dimension, len(b.arguments))
	for i := range b.arguments {
		list[i] = slices.Clone(b.arguments[i].dims)
	}
	return list
}

func (b *binding) restore(dims [][]dimension) {
	for i := range b.arguments {
		copy(b.arguments[i].dims, dims[i])
	}
}

// seed gives unknown extents a value, and all buffers strides without gaps.
func (b *binding) seed(extent int32) {
	for i := range b.arguments {
		stride := int32(1)
		for d := range b.arguments[i].dims {
			dim := &b.arguments[i].dims[d]
			if dim.extent == 0 {
				dim.extent = extent
			}
			dim.stride = stride
			stride *= dim.extent // what overflows here is refused when memory is taken
		}
	}
}

// unknown reports whether an extent was not known.
func (b *binding) unknown(given [][]dimension) bool {
	return slices.ContainsFunc(given, func(dims []dimension) bool { return !allKnown(dims) })
}

func allKnown(dims []dimension) bool {
	return !slices.ContainsFunc(dims, func(d dimension) bool { return d.extent == 0 })
}

// settle takes the shapes that a bounds query has found. Buffers that the user has chosen keep their extents: an input
// begins where the pipeline begins to read, if that makes it fit. What does not fit is left to the pipeline to say.
func (b *binding) settle(given [][]dimension) error {
	for i := range b.arguments {
		a := &b.arguments[i]
		if !a.buffer() {
			continue
		}
		if !a.chosen {
			if err := a.plausible(); err != nil {
				return err
			}
			continue
		}
		for d := range a.dims {
			need, own := a.dims[d], given[i][d]
			end, ownEnd := int64(need.min)+int64(need.extent), int64(own.min)+int64(own.extent)
			if need.extent <= own.extent && (need.min < own.min || end > ownEnd) {
				own.min = need.min
			}
			a.dims[d].min, a.dims[d].extent = own.min, own.extent
		}
		if err := a.dense(); err != nil {
			return err
		}
	}
	b.tellSizes()
	return nil
}

// tellSizes notes the extents of the buffers whose estimates nobody has replaced, as they are measured. Pipelines may ask
// for others.
func (b *binding) tellSizes() {
	var sizes []string
	for i := range b.arguments {
		a := &b.arguments[i]
		estimate := extentsText(estimatedExtents(a.Argument))
		if !a.buffer() || a.chosen || estimate == "" {
			continue
		}
		name, own := extentParameter(a.Argument), a.text()
		text := name + "=" + own
		if own != estimate {
			text += " (estimated " + estimate + ")"
			if b.measured == nil {
				b.measured = map[string]string{}
			}
			b.measured[name] = own
		}
		sizes = append(sizes, text)
	}
	if len(sizes) > 0 {
		b.notes = append(b.notes, "default sizes: "+strings.Join(sizes, ", "))
	}
}

// plausible refuses what no buffer can be.
func (a *boundArgument) plausible() error {
	for d, dim := range a.dims {
		if dim.extent < 1 || dim.stride < 0 {
			return a.giveExtents("the pipeline asks for an extent of %d and a stride of %d in dimension %d of %s",
				dim.extent, dim.stride, d, a.Name)
		}
	}
	return nil
}
