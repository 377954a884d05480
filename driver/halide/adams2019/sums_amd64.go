package adams2019

const haveAssembly = true

// addRows24AVX adds n rows of 24 numbers to out, each multiplied with its factor. Factors are stride numbers apart.
//
//go:noescape
func addRows24AVX(out, factors *float64, stride int, rows *float64, n int)

// addRows32AVX is addRows24AVX for rows of 32 numbers.
//
//go:noescape
func addRows32AVX(out, factors *float64, stride int, rows *float64, n int)
