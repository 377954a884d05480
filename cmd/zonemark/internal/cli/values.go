package cli

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// mostTime bounds every time that a user may give. A time beyond a month is taken for a typing error.
const mostTime = 31 * 24 * time.Hour

// Duration is a flag for a time with its unit, such as "250ms", kept in nanoseconds. It accepts times from 0 to a
// month.
type Duration struct{ NS *int64 }

// String returns the time with its unit.
func (v Duration) String() string {
	return time.Duration(*v.NS).String()
}

// Type returns the word for the value in help texts.
func (v Duration) Type() string { return "time" }

// Set parses s.
func (v Duration) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil {
		return fmt.Errorf("want a time with its unit, such as 250ms or 2s")
	}
	if d < 0 || d > mostTime {
		return fmt.Errorf("want a time from 0 to %v", mostTime)
	}
	*v.NS = int64(d)
	return nil
}

// Seconds is a flag for a time in seconds without a unit, as in older tools, kept in nanoseconds.
type Seconds struct{ NS *int64 }

// String returns the number of seconds.
func (v Seconds) String() string {
	return strconv.FormatFloat(float64(*v.NS)/1e9, 'g', -1, 64)
}

// Type returns the word for the value in help texts.
func (v Seconds) Type() string { return "seconds" }

// Set parses s.
func (v Seconds) Set(s string) error {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(x) || x < 0 || x > mostTime.Seconds() {
		return fmt.Errorf("want a number of seconds from 0 to %.0f", mostTime.Seconds())
	}
	*v.NS = int64(x * 1e9)
	return nil
}

// Fraction is a flag for a share of one: "1%" or "0.01".
type Fraction struct{ Value *float64 }

// String returns the share in percent.
func (v Fraction) String() string {
	return strconv.FormatFloat(*v.Value*100, 'g', -1, 64) + "%"
}

// Type returns the word for the value in help texts.
func (v Fraction) Type() string { return "fraction" }

// Set parses s.
func (v Fraction) Set(s string) error {
	text, percent := strings.CutSuffix(s, "%")
	x, err := strconv.ParseFloat(text, 64)
	if percent {
		x /= 100
	}
	if err != nil || math.IsNaN(x) || x < 0 || x >= 1 {
		return fmt.Errorf("want a fraction from 0 to below 1, or percent such as 1%%")
	}
	*v.Value = x
	return nil
}

// Count is a flag for a whole number from zero to a million million.
type Count struct{ N *int64 }

const mostCount = 1_000_000_000_000

// String returns the number.
func (v Count) String() string {
	return strconv.FormatInt(*v.N, 10)
}

// Type returns the word for the value in help texts.
func (v Count) Type() string { return "n" }

// Set parses s.
func (v Count) Set(s string) error {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > mostCount {
		return fmt.Errorf("want a whole number from 0 to %d", int64(mostCount))
	}
	*v.N = n
	return nil
}

// Bytes is a flag for an amount of memory: "512MiB", "2G", or mebibytes if the flag's name says so. A letter alone
// stands for a power of 1024, as in other programs that limit memory.
type Bytes struct {
	Bytes *int64
	Unit  int64 // unit in bytes of a number without a unit; 0: a unit is needed
}

// String returns the amount in Unit, or in mebibytes if there is none. It returns "" for 0.
func (v Bytes) String() string {
	if *v.Bytes == 0 {
		return ""
	}
	if v.Unit > 1 {
		return strconv.FormatInt(*v.Bytes/v.Unit, 10)
	}
	return strconv.FormatInt(*v.Bytes>>20, 10) + "MiB"
}

// Type returns the word for the value in help texts.
func (v Bytes) Type() string {
	if v.Unit > 1 {
		return "MiB"
	}
	return "size"
}

// Set parses s.
func (v Bytes) Set(s string) error {
	text, unit := s, v.Unit
	for _, known := range byteUnits() {
		if len(s) >= len(known.suffix) && strings.EqualFold(s[len(s)-len(known.suffix):], known.suffix) {
			text, unit = s[:len(s)-len(known.suffix)], known.bytes
			break
		}
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	switch {
	case err != nil || math.IsNaN(x) || x < 0:
		return fmt.Errorf("want a size that is not negative, such as 512MiB or 2GiB")
	case unit == 0:
		return fmt.Errorf("want a size with its unit, such as 512MiB or 2GiB")
	case x*float64(unit) > 1<<50:
		return fmt.Errorf("more than 1024 TiB is beyond any machine")
	}
	*v.Bytes = int64(x * float64(unit))
	return nil
}

// byteUnit is a unit of Bytes, in any case.
type byteUnit struct {
	suffix string
	bytes  int64
}

// byteUnits returns the units. A unit comes before those with which it ends.
func byteUnits() []byteUnit {
	return []byteUnit{
		{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
		{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
		{"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"T", 1 << 40}, {"B", 1},
	}
}

// List is a flag that may be given again and again. Several flags may fill one list.
type List struct {
	List *[]string
	Kind string // word for a value in help texts
}

// String returns "", since lists have no defaults.
func (v List) String() string { return "" }

// Type returns the word for a value in help texts.
func (v List) Type() string { return v.Kind }

// Set appends s.
func (v List) Set(s string) error {
	*v.List = append(*v.List, s)
	return nil
}

// Choice is a flag whose value is one of Words.
type Choice[T ~string] struct {
	Value  *T
	Words  []T
	Former []T // words that are taken silently
}

// String returns the chosen word.
func (v Choice[T]) String() string {
	return string(*v.Value)
}

// Type returns all words, separated by bars.
func (v Choice[T]) Type() string {
	var words []string
	for _, w := range v.Words {
		words = append(words, string(w))
	}
	return strings.Join(words, "|")
}

// Set accepts one of the words.
func (v Choice[T]) Set(s string) error {
	for _, w := range slices.Concat(v.Words, v.Former) {
		if string(w) == s {
			*v.Value = w
			return nil
		}
	}
	return fmt.Errorf("want one of %s", strings.ReplaceAll(v.Type(), "|", ", "))
}

// CPU is a flag for the number of a CPU, or "any", which is kept as -1.
type CPU struct{ Number *int }

// String returns the number, or "any".
func (v CPU) String() string {
	if *v.Number < 0 {
		return "any"
	}
	return strconv.Itoa(*v.Number)
}

// Type returns the word for the value in help texts.
func (v CPU) Type() string { return "cpu" }

// Set parses s.
func (v CPU) Set(s string) error {
	if s == "any" {
		*v.Number = -1
		return nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return fmt.Errorf("want a CPU number, or any; this machine has %d", runtime.NumCPU())
	}
	*v.Number = n
	return nil
}
