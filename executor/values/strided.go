package values

// Walk calls visit with the place of each element of an array, in row-major order of its indices. Element (i0, i1, …) is at
// offset + Σ i_k × strides[k].
func Walk(shape, strides []int64, offset int64, visit func(place int64)) {
	index := make([]int64, len(shape))
	for at := offset; ; {
		visit(at)
		k := len(shape) - 1
		for ; k >= 0; k-- {
			index[k]++
			at += strides[k]
			if index[k] < shape[k] {
				break
			}
			at -= index[k] * strides[k]
			index[k] = 0
		}
		if k < 0 {
			return
		}
	}
}
