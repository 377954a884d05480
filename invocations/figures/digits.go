package figures

import "math"

// recordedDigits is the number of significant digits of measured numbers in a record. No clock tells more: nine digits
// are a nanosecond of a second, and batches are shorter.
const recordedDigits = 9

// Rounded returns v with recordedDigits significant digits. It returns v itself if that is a whole number, such as a
// count, or too small or too large for exact powers of ten.
func Rounded(v float64) float64 {
	const exact = 22 // 10^22 is the largest power of ten that a float64 holds exactly
	if v == math.Trunc(v) || math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	places := recordedDigits - 1 - int(math.Floor(math.Log10(math.Abs(v))))
	if places < 0 || places > exact {
		return v
	}
	scale := math.Pow10(places)
	return math.Round(v*scale) / scale
}
