//go:build !amd64

package adams2019

// addRows24 adds rows to out, each multiplied with its factor: out += factors[i*stride] * rows[i].
func addRows24(out *[scheduleOut]float64, factors []float64, stride int, rows [][scheduleOut]float64) {
	addEach24(out, factors, stride, rows)
}

// addRows32 is addRows24 for rows of 32 numbers.
func addRows32(out *[coefficients]float64, factors []float64, stride int, rows [][coefficients]float64) {
	addEach32(out, factors, stride, rows)
}
