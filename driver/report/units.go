package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"zonemark/invocations/figures"
	"zonemark/invocations/foreign"
)

// Time formats nanoseconds as notes of results do: in a suitable unit with four significant digits.
func Time(ns float64) string { return figures.Time(ns) }

// ShortTime formats nanoseconds as Time does, without zeros at the end: for an axis.
func ShortTime(ns float64) string {
	number, unit, _ := strings.Cut(Time(ns), " ")
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	return number + " " + unit
}

// TimesAlike formats nanoseconds in one unit, which suits the smallest of them, with four significant digits.
func TimesAlike(ns []float64) (texts []string) {
	if len(ns) == 0 {
		return nil
	}
	unit := figures.UnitOf(slices.Min(ns))
	for _, t := range ns {
		texts = append(texts, unit.Format(t))
	}
	return texts
}

// Ratio formats a ratio of two times with four significant digits.
func Ratio(v float64) string { return figures.Significant(v, 4) }

// Rate formats a number per second with a decimal prefix, such as "12.3 G".
func Rate(perSecond float64) string {
	for _, u := range []struct {
		prefix string
		size   float64
	}{{"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"k", 1e3}} {
		if perSecond >= u.size {
			return figures.Significant(perSecond/u.size, 3) + " " + u.prefix
		}
	}
	return figures.Significant(perSecond, 3)
}

// Number formats a number without a unit, such as the value of a variable: whole numbers exactly, others with six
// significant digits. It has no exponent unless the number is tiny or huge.
func Number(v float64) string {
	switch size := math.Abs(v); {
	case v == math.Trunc(v) && size < 1e15:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case size > 1e-6 && size < 1e15:
		text := figures.Significant(v, 6)
		if strings.Contains(text, ".") {
			text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
		}
		return text
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// Percent formats a fraction as a percentage with two significant digits.
func Percent(fraction float64) string { return figures.Significant(100*fraction, 2) + " %" }

// Grouped formats an integer with a comma at each thousand.
func Grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return sign + b.String()
}

// Counted returns a number with its noun: "1 result", "2 results".
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%s %ss", Grouped(int64(n)), noun)
}

// Bytes formats an amount of memory with four significant digits, such as "1.500 KiB"; "" for 0.
func Bytes(n int64) string {
	switch {
	case n == 0:
		return ""
	case n < 1024:
		return fmt.Sprintf("%d B", n)
	}
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	v, i := float64(n), 0
	for v >= 1024 && i < len(units)-1 {
		v, i = v/1024, i+1
	}
	return figures.Significant(v, 4) + " " + units[i]
}

// Printable returns a text of native code and files as one line that cannot control the terminal.
func Printable(s string) string { return foreign.Line(s) }
