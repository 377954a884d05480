package adams2019

// Nearly all the work of training is one of two sums of rows, addRows24 and addRows32. On x86-64 with AVX they are
// machine code, which makes training about three times as fast. Both ways round alike, so that the weights are the
// same.

// addEach24 is addRows24 for all processors.
func addEach24(out *[scheduleOut]float64, factors []float64, stride int, rows [][scheduleOut]float64) {
	for i := range rows {
		addRow(out[:], factors[i*stride], rows[i][:])
	}
}

// addEach32 is addRows32 for all processors.
func addEach32(out *[coefficients]float64, factors []float64, stride int, rows [][coefficients]float64) {
	for i := range rows {
		addRow(out[:], factors[i*stride], rows[i][:])
	}
}

func addRow(out []float64, factor float64, row []float64) {
	out = out[:len(row)]
	for c, v := range row {
		out[c] += float64(factor * v) // rounded, so that no platform fuses it with the sum
	}
}
