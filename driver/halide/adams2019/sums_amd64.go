package adams2019

import "golang.org/x/sys/cpu"

// addRows24 adds rows to out, each multiplied with its factor: out += factors[i*stride] * rows[i].
func addRows24(out *[scheduleOut]float64, factors []float64, stride int, rows [][scheduleOut]float64) {
	if !cpu.X86.HasAVX || len(rows) == 0 {
		addEach24(out, factors, stride, rows)
		return
	}
	_ = factors[(len(rows)-1)*stride]
	addRows24AVX(&out[0], &factors[0], stride, &rows[0][0], len(rows))
}

// addRows32 is addRows24 for rows of 32 numbers.
func addRows32(out *[coefficients]float64, factors []float64, stride int, rows [][coefficients]float64) {
	if !cpu.X86.HasAVX || len(rows) == 0 {
		addEach32(out, factors, stride, rows)
		return
	}
	_ = factors[(len(rows)-1)*stride]
	addRows32AVX(&out[0], &factors[0], stride, &rows[0][0], len(rows))
}

// addRows24AVX adds n rows of 24 numbers to out, each multiplied with its factor. Factors are stride numbers apart, and
// n is above zero.
//
//go:noescape
func addRows24AVX(out, factors *float64, stride int, rows *float64, n int)

// addRows32AVX is addRows24AVX for rows of 32 numbers.
//
//go:noescape
func addRows32AVX(out, factors *float64, stride int, rows *float64, n int)
