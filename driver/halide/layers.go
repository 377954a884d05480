package halide

// sourceFolder holds the generators, in the files of package driver/python.
const sourceFolder = "zonemark/halide/"

// floatTolerance is the relative error of a sum of 1,024 positive float32 in any order, 1,024 × 2⁻²⁴, with room for
// what is computed of it.
const floatTolerance = 1e-4

// layers returns the benchmarks that are layers of neural networks. Quantized ones have values of 8 bits with a zero
// point, sum in 32 bits, and requantize the sum: see operands.requantize. Channels are the first dimension.
func layers() []Benchmark {
	return []Benchmark{
		{
			Name: "conv_nn", Source: sourceFolder + "conv_nn.py",
			Summary: "Is a quantized convolutional layer of 3 × 3 from 32 to 32 channels on 32 × 32 places.",
			Inputs: []Buffer{
				values("src", 32, 34, 34, 1), values("weights", 32, 32, 3, 3), biasOf(32),
			},
			Scalars: quantization("src_zero", "weights_zero", 1<<20), Outputs: []Buffer{values("dst", 32, 32, 32, 1)},
			Operations: 2 * 32 * 32 * 32 * 32 * 9, reference: convolutional,
		},
		{
			Name: "depthwise_conv", Source: sourceFolder + "depthwise_conv.py",
			Summary: "Is a quantized convolutional layer of 3 × 3 on 56 × 56 places whose 64 channels do not mix.",
			Inputs:  []Buffer{values("src", 64, 58, 58, 1), values("weights", 64, 3, 3), biasOf(64)},
			Scalars: quantization("src_zero", "weights_zero", 1<<22), Outputs: []Buffer{values("dst", 64, 56, 56, 1)},
			Operations: 2 * 64 * 56 * 56 * 9, reference: depthwise,
		},
		{
			Name: "matmul", Source: sourceFolder + "matmul.py",
			Summary: "Is the product of two quantized matrices of 256 × 256.",
			Inputs:  []Buffer{values("a", 256, 256), values("b", 256, 256)},
			Scalars: quantization("a_zero", "b_zero", 1<<20), Outputs: []Buffer{values("dst", 256, 256)},
			Operations: 2 * 256 * 256 * 256, reference: matrixProducts,
		},
		{
			Name: "batched_matmul", Source: sourceFolder + "matmul.py",
			Summary: "Is the products of 16 pairs of quantized matrices of 64 × 64.",
			Inputs:  []Buffer{values("a", 64, 64, 16), values("b", 64, 64, 16)},
			Scalars: quantization("a_zero", "b_zero", 1<<20), Outputs: []Buffer{values("dst", 64, 64, 16)},
			Operations: 2 * 64 * 64 * 64 * 16, reference: matrixProducts,
		},
		{
			Name: "average_pool", Source: sourceFolder + "pooling.py",
			Summary: "Takes the means of squares of 3 × 3, two apart, rounded to the nearest, for 64 channels.",
			Inputs:  []Buffer{values("src", 64, 225, 225, 1)}, Outputs: []Buffer{values("dst", 64, 112, 112, 1)},
			Operations: 64 * 112 * 112 * 9, reference: pooled(mean),
		},
		{
			Name: "max_pool", Source: sourceFolder + "pooling.py",
			Summary: "Takes the largest values of squares of 3 × 3, two apart, for 64 channels.",
			Inputs:  []Buffer{values("src", 64, 225, 225, 1)}, Outputs: []Buffer{values("dst", 64, 112, 112, 1)},
			reference: pooled(largest),
		},
		{
			Name: "fully_connected", Source: sourceFolder + "fully_connected.py",
			Summary: "Is a quantized layer from 1,024 to 1,024 values in which each depends on all, on a batch of 8.",
			Inputs:  []Buffer{values("src", 1024, 8), values("weights", 1024, 1024), biasOf(1024)},
			Scalars: quantization("src_zero", "weights_zero", 1<<19), Outputs: []Buffer{values("dst", 1024, 8)},
			Operations: 2 * 1024 * 1024 * 8, reference: connected,
		},
		{
			Name: "l2norm", Source: sourceFolder + "l2norm.py",
			Summary: "Scales the 1,024 rows of a matrix to the length 1, in 32-bit floats.",
			Inputs:  []Buffer{floats("src", -1, 1)}, Outputs: []Buffer{floats("dst", 0, 0)},
			Operations: 3 * 1024 * 1024, Tolerance: floatTolerance, reference: normalized,
		},
		{
			Name: "softmax", Source: sourceFolder + "softmax.py",
			Summary: "Takes the softmax of the 1,024 rows of a matrix, in 32-bit floats.",
			Inputs:  []Buffer{floats("src", -8, 8)}, Outputs: []Buffer{floats("dst", 0, 0)},
			Tolerance: floatTolerance, reference: softmax,
		},
	}
}

// values is a buffer of quantized values.
func values(name string, extents ...int) Buffer {
	return Buffer{Name: name, Type: Uint8, Extents: extents, Low: 0, High: 255}
}

// biasOf is the vector that sums begin with.
func biasOf(channels int) Buffer {
	return Buffer{Name: "bias", Type: Int32, Extents: []int{channels}, Low: -10_000, High: 10_000}
}

// floats is a matrix of 1,024 rows of 1,024 numbers.
func floats(name string, low, high float64) Buffer {
	return Buffer{Name: name, Type: Float32, Extents: []int{1024, 1024}, Low: low, High: high}
}

// quantization returns the scalars of a layer. Zero points are off the middle, so that mixing them up shows.
func quantization(left, right string, multiplier float64) []Scalar {
	return []Scalar{{left, Uint8, 120}, {right, Uint8, 130}, {"multiplier", Int32, multiplier}, {"dst_zero", Uint8, 128}}
}
