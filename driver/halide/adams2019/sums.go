package adams2019

import "golang.org/x/sys/cpu"

// All loops over rows are one of two sums, of rows with 24 or with 32 numbers: on x86-64 with AVX they are machine code,
// which makes training about five times as fast. Both ways round alike, so that the weights are the same.

// vectors reports whether the processor has the instructions of sums_amd64.s.
var vectors = haveAssembly && cpu.X86.HasAVX

// addRows24 adds rows to out, each multiplied with its factor: out += factors[i*stride] * rows[i].
func addRows24(out *[scheduleOut]float64, factors []float64, stride int, rows [][scheduleOut]float64) {
	if len(rows) == 0 {
		return
	}
	_ = factors[(len(rows)-1)*stride]
	if vectors {
		addRows24AVX(&out[0], &factors[0], stride, &rows[0][0], len(rows))
		return
	}
	for i := range rows {
		addRow(out[:], factors[i*stride], rows[i][:])
	}
}

// addRows32 is addRows24 for rows of 32 numbers.
func addRows32(out *[coefficients]float64, factors []float64, stride int, rows [][coefficients]float64) {
	if len(rows) == 0 {
		return
	}
	_ = factors[(len(rows)-1)*stride]
	if vectors {
		addRows32AVX(&out[0], &factors[0], stride, &rows[0][0], len(rows))
		return
	}
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
