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
