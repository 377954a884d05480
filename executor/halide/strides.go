package halide

import (
	"slices"

	"zonemark/executor/arguments"
	"zonemark/executor/halide/metadata"
)

func (a *boundArgument) isOutput() bool { return a.Kind == metadata.OutputBuffer }

// planar reports whether the elements lie in memory without gaps, dimension 0 innermost.
func (a *boundArgument) planar() bool {
	stride := int64(1)
	for _, d := range a.dims {
		if d.extent > 1 && int64(d.stride) != stride {
			return false
		}
		stride *= int64(d.extent)
	}
	return true
}

// order returns where the elements lie. Dimension 0 varies fastest.
func (a *boundArgument) order() *arguments.Order {
	o := &arguments.Order{}
	for _, d := range slices.Backward(a.dims) {
		o.Shape, o.Strides = append(o.Shape, int64(d.extent)), append(o.Strides, int64(d.stride))
	}
	return o
}
