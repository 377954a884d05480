package statstable

import (
	"math"
	"strconv"

	"zonemark/driver/report"
)

// appendTime appends what report.Time returns. It is several times as fast for the times that zones have, and makes no
// string: a table may have millions of times.
func appendTime(b []byte, ns float64) []byte {
	if n := int64(ns); n > 0 && n < 10_000 && float64(n) == ns {
		return appendShortTime(b, n)
	}
	var value float64
	var unit string
	// The limits of report.Time.
	switch {
	case !(ns >= 1 && ns < 999.95e9):
		return append(b, report.Time(ns)...)
	case ns < 999.95:
		value, unit = ns, " ns"
	case ns < 999.95*1e3:
		value, unit = ns/1e3, " µs"
	case ns < 999.95*1e6:
		value, unit = ns/1e6, " ms"
	default:
		value, unit = ns/1e9, " s"
	}
	return append(appendSignificant(b, value, 4), unit...)
}

// appendShortTime appends whole nanoseconds from 1 to 9,999. Four digits hold them, so nothing is rounded.
func appendShortTime(b []byte, ns int64) []byte {
	unit := " ns"
	switch {
	case ns >= 1000:
		unit = " µs"
		b = append(b, byte('0'+ns/1000), '.', byte('0'+ns/100%10), byte('0'+ns/10%10), byte('0'+ns%10))
	case ns >= 100:
		b = append(b, byte('0'+ns/100), byte('0'+ns/10%10), byte('0'+ns%10), '.', '0')
	case ns >= 10:
		b = append(b, byte('0'+ns/10), byte('0'+ns%10), '.', '0', '0')
	default:
		b = append(b, byte('0'+ns), '.', '0', '0', '0')
	}
	return append(b, unit...)
}

// appendPercent appends what report.Percent returns, likewise.
func appendPercent(b []byte, fraction float64) []byte {
	if percent := 100 * fraction; percent >= 1e-9 && percent < 1000 {
		return append(appendSignificant(b, percent, 2), " %"...)
	}
	return append(b, report.Percent(fraction)...)
}

// appendSignificant appends a value, from 1e-9 to 1000, with so many significant digits and at most nine behind the
// point. Digits before the point are never rounded away.
func appendSignificant(b []byte, value float64, digits int) []byte {
	before := 3 // digits before the point; each zero behind the point that comes first counts as -1
	for before > -8 && value < power(before-1) {
		before--
	}
	if math.Round(value*power(digits-before)) >= power(digits) {
		before++ // 9.9996 is 10.00
	}
	return strconv.AppendFloat(b, value, 'f', min(9, max(0, digits-before)), 64)
}

// power returns a power of ten from 1e-9 to 1e12.
func power(exponent int) float64 {
	return [...]float64{1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1,
		1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12}[exponent+9]
}

// appendGrouped appends what report.Grouped returns for a number that is not negative.
func appendGrouped(b []byte, n int64) []byte {
	if n < 1000 {
		return strconv.AppendInt(b, n, 10)
	}
	b = append(appendGrouped(b, n/1000), ',')
	rest := n % 1000
	return append(b, byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
}
