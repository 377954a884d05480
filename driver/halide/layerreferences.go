package halide

import (
	"fmt"
	"math"
)

// requantize scales a 32-bit sum to 8 bits: floor(total × multiplier / 2³¹ + 1/2) + dst_zero, limited to 0..255. The
// multiplier is the scale as a fixed-point number below 1 with 31 bits behind the point; the product has 64 bits.
func (o operands) requantize(total int32) int32 {
	scaled := (int64(total)*int64(o.scalars["multiplier"]) + 1<<30) >> 31
	return int32(min(max(scaled+int64(o.scalars["dst_zero"]), 0), 255))
}

// tensor is an array of integers with up to four dimensions; those that it lacks have the extent 1.
type tensor struct {
	extents [4]int
	values  []int32
}

func tensorOf(a Array) tensor {
	t := tensor{[4]int{1, 1, 1, 1}, a.integers()}
	copy(t.extents[:], a.Extents)
	return t
}

func (t tensor) at(i, j, k, l int) int32 {
	return t.values[((l*t.extents[2]+k)*t.extents[1]+j)*t.extents[0]+i]
}

// eachElement computes a tensor of bytes, of which the result has the first so many dimensions.
func eachElement(extents [4]int, dimensions int, element func(i, j, k, l int) int32) Array {
	values := make([]int32, 0, elements(extents[:]))
	for l := range extents[3] {
		for k := range extents[2] {
			for j := range extents[1] {
				for i := range extents[0] {
					values = append(values, element(i, j, k, l))
				}
			}
		}
	}
	return integerArray(Uint8, extents[:dimensions], values)
}

func convolutional(o operands) (Array, error) {
	src, weights, bias := tensorOf(o.inputs[0]), tensorOf(o.inputs[1]), o.inputs[2].integers()
	channels, width, height := src.extents[0], src.extents[1]-2, src.extents[2]-2
	if want := [4]int{len(bias), channels, 3, 3}; weights.extents != want || width < 1 || height < 1 {
		return Array{}, fmt.Errorf("src %v, weights %v and %d biases do not fit: weights would be %v, and src at least "+
			"3 × 3", src.extents, weights.extents, len(bias), want)
	}
	srcZero, weightsZero := o.scalars["src_zero"], o.scalars["weights_zero"]
	extents := [4]int{len(bias), width, height, src.extents[3]}
	return eachElement(extents, 4, func(c, x, y, n int) int32 {
		total := bias[c]
		for j := range 3 {
			for i := range 3 {
				for k := range channels {
					total += (src.at(k, x+i, y+j, n) - srcZero) * (weights.at(c, k, i, j) - weightsZero)
				}
			}
		}
		return o.requantize(total)
	}), nil
}

func depthwise(o operands) (Array, error) {
	src, weights, bias := tensorOf(o.inputs[0]), tensorOf(o.inputs[1]), o.inputs[2].integers()
	channels, width, height := src.extents[0], src.extents[1]-2, src.extents[2]-2
	want := [4]int{channels, 3, 3, 1}
	if weights.extents != want || len(bias) != channels || width < 1 || height < 1 {
		return Array{}, fmt.Errorf("src %v, weights %v and %d biases do not fit: weights would be %v, and src at least "+
			"3 × 3", src.extents, weights.extents, len(bias), want)
	}
	srcZero, weightsZero := o.scalars["src_zero"], o.scalars["weights_zero"]
	return eachElement([4]int{channels, width, height, src.extents[3]}, 4, func(c, x, y, n int) int32 {
		total := bias[c]
		for j := range 3 {
			for i := range 3 {
				total += (src.at(c, x+i, y+j, n) - srcZero) * (weights.at(c, i, j, 0) - weightsZero)
			}
		}
		return o.requantize(total)
	}), nil
}

// matrixProducts multiplies matrices, or the matrices of a batch.
func matrixProducts(o operands) (Array, error) {
	a, b := tensorOf(o.inputs[0]), tensorOf(o.inputs[1])
	sum, batch := a.extents[0], a.extents[2]
	if b.extents[1] != sum || b.extents[2] != batch {
		return Array{}, fmt.Errorf("a %v and b %v do not fit: the first extent of a is the second of b, and the third "+
			"ones are equal", a.extents, b.extents)
	}
	aZero, bZero := o.scalars["a_zero"], o.scalars["b_zero"]
	extents := [4]int{b.extents[0], a.extents[1], batch, 1}
	return eachElement(extents, len(o.inputs[0].Extents), func(x, y, n, _ int) int32 {
		total := int32(0)
		for k := range sum {
			total += (a.at(k, y, n, 0) - aZero) * (b.at(x, k, n, 0) - bZero)
		}
		return o.requantize(total)
	}), nil
}

func connected(o operands) (Array, error) {
	src, weights, bias := tensorOf(o.inputs[0]), tensorOf(o.inputs[1]), o.inputs[2].integers()
	sum, batch := src.extents[0], src.extents[1]
	if weights.extents != [4]int{len(bias), sum, 1, 1} {
		return Array{}, fmt.Errorf("src %v, weights %v and %d biases do not fit", src.extents, weights.extents, len(bias))
	}
	srcZero, weightsZero := o.scalars["src_zero"], o.scalars["weights_zero"]
	return eachElement([4]int{len(bias), batch, 1, 1}, 2, func(c, n, _, _ int) int32 {
		total := bias[c]
		for k := range sum {
			total += (src.at(k, n, 0, 0) - srcZero) * (weights.at(c, k, 0, 0) - weightsZero)
		}
		return o.requantize(total)
	}), nil
}

// pooled reduces squares of 3 × 3 that begin at every second place.
func pooled(reduce func(square [9]int32) int32) func(operands) (Array, error) {
	return func(o operands) (Array, error) {
		src := tensorOf(o.inputs[0])
		if src.extents[1] < 3 || src.extents[2] < 3 {
			return Array{}, fmt.Errorf("src %v has no square of 3 × 3", src.extents)
		}
		extents := [4]int{src.extents[0], (src.extents[1]-3)/2 + 1, (src.extents[2]-3)/2 + 1, src.extents[3]}
		return eachElement(extents, 4, func(c, x, y, n int) int32 {
			var square [9]int32
			for k := range square {
				square[k] = src.at(c, 2*x+k%3, 2*y+k/3, n)
			}
			return reduce(square)
		}), nil
	}
}

func mean(square [9]int32) int32 {
	sum := int32(0)
	for _, v := range square {
		sum += v
	}
	return (sum + 4) / 9
}

func largest(square [9]int32) int32 {
	most := square[0]
	for _, v := range square {
		most = max(most, v)
	}
	return most
}

// normalized divides each row by its length. It computes in 64 bits.
func normalized(o operands) (Array, error) {
	return eachRow(o.inputs[0], func(row []float64) {
		squares := 0.0
		for _, v := range row {
			squares += v * v
		}
		for i := range row {
			row[i] /= math.Sqrt(squares + 1e-12)
		}
	}), nil
}

// softmax computes in 64 bits.
func softmax(o operands) (Array, error) {
	return eachRow(o.inputs[0], func(row []float64) {
		most, total := math.Inf(-1), 0.0
		for _, v := range row {
			most = max(most, v)
		}
		for i, v := range row {
			row[i] = math.Exp(v - most)
			total += row[i]
		}
		for i := range row {
			row[i] /= total
		}
	}), nil
}

// eachRow returns the matrix after a function has changed each of its rows.
func eachRow(a Array, change func(row []float64)) Array {
	values, width := a.floats(), a.Extents[0]
	for start := 0; start < len(values); start += width {
		change(values[start : start+width])
	}
	return floatArray(a.Extents, values)
}
