package invocations

import (
	"strconv"
	"strings"

	"zonemark/invocations/lazyregexp"
)

// contraction matches the names that IREE's compiler gives to dispatches of matrix products and convolutions:
// "mlp_dispatch_0_matmul_64x512x256_f32", "convolution_dispatch_0_conv_30x30x64x3x3x64_f32",
// "attention_dispatch_3_batch_matmul_8x64x64x32_f16xf16xf32". The sizes are those of all loops. A size that is known
// only at run time is written as D and does not match.
var contraction = lazyregexp.New(
	`_dispatch_\d+_(?:[a-z0-9]+_)*?(?:matmul|matvec|vecmat|conv|mmt4d)(?:_[a-z]+)*_(\d+(?:x\d+)*)_`,
)

// ContractionFLOP returns the number of floating-point (or integer) operations of a dispatch whose name tells the sizes
// of its contraction: a multiplication and an addition for each point of its loops. Operations that are fused to the
// contraction are not counted. ok is false if the name does not tell the sizes.
func ContractionFLOP(dispatch string) (flop float64, ok bool) {
	m := contraction().FindStringSubmatch(dispatch + "_")
	if m == nil {
		return 0, false
	}
	flop = 2
	for _, size := range strings.Split(m[1], "x") {
		n, err := strconv.ParseFloat(size, 64)
		if err != nil || n == 0 {
			return 0, false
		}
		flop *= n
	}
	return flop, true
}

// product matches the names of dispatches of matrix products whose sizes tell the operands: M, N and K, behind the size
// of the batch if there is one, and the types of both operands and of the result, or one type for all.
var product = lazyregexp.New(
	`_dispatch_\d+_(?:[a-z0-9]+_)*?(batch_)?matmul(?:_like|_transpose_[ab])?_(\d+(?:x\d+)*)_([a-z]+\d+[A-Z\d]*(?:x[a-z]+\d+[A-Z\d]*)*)(?:_|$)`,
)

// ProductBytes returns the size of both operands and the result of a dispatch whose name tells the sizes and types of a
// matrix product, and the type of the operands. They are the fewest bytes that it can move. ok is false if the name
// does not tell them.
func ProductBytes(dispatch string) (bytes float64, operand ElementType, ok bool) {
	m := product().FindStringSubmatch(dispatch)
	if m == nil {
		return 0, "", false
	}
	var sizes []float64
	for _, text := range strings.Split(m[2], "x") {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || n == 0 {
			return 0, "", false
		}
		sizes = append(sizes, n)
	}
	batch := 1.0
	if m[1] != "" && len(sizes) == 4 {
		batch, sizes = sizes[0], sizes[1:]
	}
	types := strings.Split(m[3], "x")
	if len(types) == 1 {
		types = []string{types[0], types[0], types[0]}
	}
	if len(sizes) != 3 || len(types) != 3 {
		return 0, "", false
	}
	rows, columns, depth := sizes[0], sizes[1], sizes[2]
	for i, elements := range []float64{rows * depth, depth * columns, rows * columns} {
		t, known := ParseMLIRName(types[i])
		if !known {
			return 0, "", false
		}
		if i == 0 {
			operand = t
		}
		bytes += batch * elements * float64(t.Size())
	}
	return bytes, operand, true
}
