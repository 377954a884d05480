// Package figures formats times and other figures for people, and rounds those of records. It knows nothing of what they are
// of.
package figures

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Unit is a unit in which times are shown.
type Unit struct {
	Name string
	NS   float64 // its length in nanoseconds
}

// UnitOf returns the unit in which a time in nanoseconds has one to three digits before the point, after rounding to four
// significant digits.
func UnitOf(ns float64) Unit {
	for _, u := range []Unit{{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}} {
		if math.Abs(ns) < 999.95*u.NS {
			return u
		}
	}
	return Unit{"s", 1e9}
}

// Format formats nanoseconds in this unit with four significant digits.
func (u Unit) Format(ns float64) string { return Significant(ns/u.NS, 4) + " " + u.Name }

// Time formats nanoseconds in a suitable unit with four significant digits.
func Time(ns float64) string { return UnitOf(ns).Format(ns) }

// Duration formats a time that people wait: "40 s", "12 min", "3 h 5 min".
func Duration(d time.Duration) string {
	switch seconds := int(d.Round(time.Second).Seconds()); {
	case seconds < 90:
		return fmt.Sprintf("%d s", seconds)
	case seconds < 90*60:
		return fmt.Sprintf("%d min", (seconds+30)/60)
	default:
		minutes := (seconds + 30) / 60
		return fmt.Sprintf("%d h %d min", minutes/60, minutes%60)
	}
}

// Significant formats v with the given number of significant digits, without an exponent. Digits before the point are
// never rounded away.
func Significant(v float64, digits int) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	magnitude := int(math.Floor(math.Log10(math.Abs(v))))
	scaled := math.Abs(v) * math.Pow(10, float64(digits-1-magnitude))
	if math.Round(scaled) >= math.Pow(10, float64(digits)) {
		magnitude++ // 9.9996 is 10.00
	}
	return strconv.FormatFloat(v, 'f', min(9, max(0, digits-1-magnitude)), 64)
}
