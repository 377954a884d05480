//go:build !amd64

package adams2019

const haveAssembly = false

func addRows24AVX(out, factors *float64, stride int, rows *float64, n int) {
	panic("there is no machine code for this processor")
}

func addRows32AVX(out, factors *float64, stride int, rows *float64, n int) {
	panic("there is no machine code for this processor")
}
