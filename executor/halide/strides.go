package halide

import "zonemark/executor/halide/metadata"

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

// logicalBytes returns the size of the elements without gaps.
func (a *boundArgument) logicalBytes() int64 {
	n := a.element.Size()
	for _, d := range a.dims {
		n *= int64(d.extent)
	}
	return n
}

// walk calls visit with the place in memory of each element, counted in elements. Dimension 0 varies fastest.
func (a *boundArgument) walk(visit func(at int64)) {
	index := make([]int32, len(a.dims))
	for at := int64(0); ; {
		visit(at)
		d := 0
		for ; d < len(a.dims); d++ {
			index[d]++
			at += int64(a.dims[d].stride)
			if index[d] < a.dims[d].extent {
				break
			}
			at -= int64(index[d]) * int64(a.dims[d].stride)
			index[d] = 0
		}
		if d == len(a.dims) {
			return
		}
	}
}
