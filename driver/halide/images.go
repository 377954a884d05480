package halide

// side is the width and the height of the images.
const side = 1024

// images returns the benchmarks of image processing. All but mul read the square around each pixel. A pixel outside of
// the image has the value of the nearest one inside (Halide's repeat_edge).
func images() []Benchmark {
	return []Benchmark{
		convolutionOf("conv3x3", side, convolveEdged,
			"Convolves with taps that are given at run time: (sum of src × taps) >> 4, limited to 8 bits; sums have 16."),
		stencilOf("dilate3x3", "dilate.py", dilate(1), 0, "Takes the largest value of the square of 3 × 3."),
		stencilOf("gaussian5x5", "gaussian.py", gaussian([]int32{1, 4, 6, 4, 1}), 2*25,
			"Blurs with binomial weights, 1 4 6 4 1 along each axis: the weighted sum, divided by 256 without rounding."),
		stencilOf("median3x3", "median.py", median, 0, "Takes the median of the square of 3 × 3."),
		stencilOf("sobel", "sobel.py", sobel([]int32{1, 2, 1}, []int32{-1, 0, 1}, 0), 0,
			"Adds the absolute gradients along both axes, limited to 8 bits; smoothing 1 2 1, gradient -1 0 1."),
		stencilOf("blur3x3", "blur.py", blur(1), 9, "Takes the mean of the square of 3 × 3, rounded to the nearest."),
		stencilOf("blur5x5", "blur.py", blur(2), 25, "Takes the mean of the square of 5 × 5, rounded to the nearest."),
		stencilOf("blur7x7", "blur.py", blur(3), 49, "Takes the mean of the square of 7 × 7, rounded to the nearest."),
		convolutionOf("conv3x3a16", side+2, convolveInner(func(sum int32) int32 { return int32(int16(sum)) }),
			"Is conv3x3 on an image with a frame of one pixel, so that nothing is outside; sums have 16 bits."),
		convolutionOf("conv3x3a32", side+2, convolveInner(func(sum int32) int32 { return sum }),
			"Is conv3x3 on an image with a frame of one pixel, so that nothing is outside; sums have 32 bits."),
		stencilOf("dilate5x5", "dilate.py", dilate(2), 0, "Takes the largest value of the square of 5 × 5."),
		stencilOf("dilate7x7", "dilate.py", dilate(3), 0, "Takes the largest value of the square of 7 × 7."),
		stencilOf("gaussian3x3", "gaussian.py", gaussian([]int32{1, 2, 1}), 2*9,
			"Blurs with binomial weights, 1 2 1 along each axis: the weighted sum, divided by 16 without rounding."),
		stencilOf("gaussian7x7", "gaussian.py", gaussian([]int32{1, 6, 15, 20, 15, 6, 1}), 2*49,
			"Blurs with binomial weights, 1 6 15 20 15 6 1 along each axis: the weighted sum, divided by 4096 without "+
				"rounding."),
		multiplication(),
		stencilOf("sobel5x5", "sobel.py", sobel([]int32{1, 4, 6, 4, 1}, []int32{-1, -2, 0, 2, 1}, 4), 0,
			"Adds the absolute gradients along both axes, divided by 16 and limited to 8 bits; smoothing 1 4 6 4 1, "+
				"gradient -1 -2 0 2 1."),
	}
}

// stencilOf returns a benchmark that computes each pixel from those around it. The operations are those of a pixel.
func stencilOf(name, file string, pixel func(m image, x, y int) int32, operations int64, summary string) Benchmark {
	return Benchmark{
		Name: name, Source: sourceFolder + file, Summary: summary,
		Inputs:     []Buffer{pixels("src", side)},
		Outputs:    []Buffer{pixels("dst", side)},
		Operations: operations * side * side,
		reference: func(o operands) (Array, error) {
			m := imageOf(o.inputs[0])
			return eachPixel(m.width, m.height, func(x, y int) int32 { return pixel(m, x, y) }), nil
		},
	}
}

// convolutionOf returns a convolution with taps from -14 to 14, with which sums of 16 bits do not overflow.
func convolutionOf(name string, side int, reference func(operands) (Array, error), summary string) Benchmark {
	return Benchmark{
		Name: name, Source: sourceFolder + "convolution.py", Summary: summary,
		Inputs:     []Buffer{pixels("src", side), {Name: "taps", Type: Int8, Extents: []int{3, 3}, Low: -14, High: 14}},
		Outputs:    []Buffer{pixels("dst", 1024)},
		Operations: 2 * 9 * 1024 * 1024,
		reference:  reference,
	}
}

func multiplication() Benchmark {
	return Benchmark{
		Name: "mul", Source: sourceFolder + "mul.py",
		Summary: "Multiplies two images without their zero points, and requantizes the products.",
		Inputs:  []Buffer{pixels("a", side), pixels("b", side)},
		Scalars: []Scalar{
			{"a_zero", Uint8, 120}, {"b_zero", Uint8, 130}, {"multiplier", Int32, 1 << 24}, {"dst_zero", Uint8, 128},
		},
		Outputs:    []Buffer{pixels("dst", side)},
		Operations: side * side,
		reference:  multiply,
	}
}

// pixels is a square image of bytes.
func pixels(name string, side int) Buffer {
	return Buffer{Name: name, Type: Uint8, Extents: []int{side, side}, Low: 0, High: 255}
}
