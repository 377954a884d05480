package cli

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// FlagValue is the value of a flag, which is kept in a variable of who adds the flag.
type FlagValue struct {
	Kind    string                  // the word for it in help texts
	Text    func() string           // what is kept; nil: help shows no default
	Keep    func(text string) error // checks a text, and keeps what it stands for
	Repeats bool                    // the flag may be given again and again
	// Want says what the flag takes, for the end of an error, and Meant returns a value that was probably meant by another
	// text; "" if none is near. Both may be empty.
	Want  string
	Meant func(text string) string
}

// String returns what is kept, as Set takes it.
func (v FlagValue) String() string {
	if v.Text == nil {
		return ""
	}
	return v.Text()
}

// Type returns the word for the value in help texts.
func (v FlagValue) Type() string { return v.Kind }

// Set keeps what a text stands for.
func (v FlagValue) Set(text string) error { return v.Keep(text) }

// Checked returns the value with a check of each text before it is kept.
func (v FlagValue) Checked(check func(text string) error) FlagValue {
	keep := v.Keep
	v.Keep = func(text string) error {
		if err := check(text); err != nil {
			return err
		}
		return keep(text)
	}
	return v
}

// mostTime bounds every time that a user may give. A time beyond a month is taken for a typing error.
const mostTime = 31 * 24 * time.Hour

// Duration is a time with its unit, such as "250ms", kept in nanoseconds: from 0 to a month.
func Duration(ns *int64) FlagValue {
	const want = "a time with its unit, such as 250ms or 2s"
	return FlagValue{
		Kind: "time", Want: want, Meant: timeMeant,
		Text: func() string { return time.Duration(*ns).String() },
		Keep: func(text string) error {
			d, err := time.ParseDuration(text)
			switch {
			case err != nil:
				return errors.New("want " + want)
			case d < 0 || d > mostTime:
				return fmt.Errorf("want a time from 0 to %v", mostTime)
			}
			*ns = int64(d)
			return nil
		},
	}
}

// Seconds is a time in seconds without a unit, as in older tools, kept in nanoseconds.
func Seconds(ns *int64) FlagValue {
	return FlagValue{
		Kind: "seconds",
		Text: func() string { return strconv.FormatFloat(float64(*ns)/1e9, 'g', -1, 64) },
		Keep: func(text string) error {
			x, err := strconv.ParseFloat(text, 64)
			if err != nil || math.IsNaN(x) || x < 0 || x > mostTime.Seconds() {
				return fmt.Errorf("want a number of seconds from 0 to %.0f", mostTime.Seconds())
			}
			*ns = int64(x * 1e9)
			return nil
		},
	}
}

// Fraction is a share of one: "1%" or "0.01".
func Fraction(share *float64) FlagValue {
	return FlagValue{
		Kind: "fraction", Want: "a fraction below 1, or percent", Meant: withUnit("%"),
		Text: func() string { return strconv.FormatFloat(*share*100, 'g', -1, 64) + "%" },
		Keep: func(text string) error {
			digits, percent := strings.CutSuffix(text, "%")
			x, err := strconv.ParseFloat(digits, 64)
			if percent {
				x /= 100
			}
			if err != nil || math.IsNaN(x) || x < 0 || x >= 1 {
				return errors.New("want a fraction from 0 to below 1, or percent such as 1%")
			}
			*share = x
			return nil
		},
	}
}

// withUnit returns what takes a number without a unit for one with this unit.
func withUnit(unit string) func(text string) string {
	return func(text string) string {
		if !isNumber(text) {
			return ""
		}
		return text + unit
	}
}

const mostCount = 1_000_000_000_000

// Count is a whole number from zero to a million million.
func Count[N int | int64](n *N) FlagValue {
	return FlagValue{
		Kind: "n",
		Text: func() string { return strconv.FormatInt(int64(*n), 10) },
		Keep: func(text string) error {
			x, err := strconv.ParseInt(text, 10, 64)
			if err != nil || x < 0 || x > mostCount {
				return fmt.Errorf("want a whole number from 0 to %d", int64(mostCount))
			}
			*n = N(x)
			return nil
		},
	}
}

// Bytes is an amount of memory with its unit: "512MiB", "2G". A letter alone stands for a power of 1024, as in other
// programs that limit memory. It shows nothing for 0.
func Bytes(bytes *int64) FlagValue {
	const example = ", such as 512MiB or 2GiB"
	return FlagValue{
		Kind: "size", Want: "a size with its unit" + example, Meant: withUnit("GiB"),
		Text: func() string {
			if *bytes == 0 {
				return ""
			}
			return strconv.FormatInt(*bytes>>20, 10) + "MiB"
		},
		Keep: func(text string) error {
			digits, unit := text, int64(0)
			for _, known := range byteUnits() {
				if at := len(text) - len(known.suffix); at >= 0 && strings.EqualFold(text[at:], known.suffix) {
					digits, unit = text[:at], known.bytes
					break
				}
			}
			x, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
			switch {
			case err != nil || math.IsNaN(x) || x < 0:
				return errors.New("want a size that is not negative" + example)
			case unit == 0:
				return errors.New("want a size with its unit" + example)
			case x*float64(unit) > 1<<50:
				return errors.New("more than 1024 TiB is beyond any machine")
			}
			*bytes = int64(x * float64(unit))
			return nil
		},
	}
}

// Mebibytes is Bytes for a flag whose name says the unit: a number without one counts mebibytes.
func Mebibytes(bytes *int64) FlagValue {
	const unit = "MiB"
	v := Bytes(bytes)
	text, keep := v.Text, v.Keep
	v.Kind = unit
	v.Text = func() string { return strings.TrimSuffix(text(), unit) }
	v.Keep = func(text string) error {
		if isNumber(strings.TrimSpace(text)) {
			text += unit
		}
		return keep(text)
	}
	return v
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

// List is a list to which a flag adds each time it is given. Several flags may fill one list. kind is the word for one
// value in help texts.
func List(list *[]string, kind string) FlagValue {
	return FlagValue{Kind: kind, Repeats: true, Keep: func(text string) error {
		*list = append(*list, text)
		return nil
	}}
}

// Choice is one of words. Those of former are taken silently.
func Choice[T ~string](word *T, words []T, former ...T) FlagValue {
	var names []string
	for _, w := range words {
		names = append(names, string(w))
	}
	return FlagValue{
		Kind: strings.Join(names, "|"),
		Text: func() string { return string(*word) },
		Keep: func(text string) error {
			if !slices.Contains(slices.Concat(words, former), T(text)) {
				return errors.New("want one of " + strings.Join(names, ", "))
			}
			*word = T(text)
			return nil
		},
	}
}

// CPU is the number of a CPU, or "any", which is kept as -1.
func CPU(number *int) FlagValue {
	want := fmt.Sprintf("a CPU number, or any; this machine has %d", runtime.NumCPU())
	return FlagValue{
		Kind: "cpu", Want: want, Meant: func(string) string { return "0" },
		Text: func() string {
			if *number < 0 {
				return "any"
			}
			return strconv.Itoa(*number)
		},
		Keep: func(text string) error {
			n, err := strconv.Atoi(text)
			switch {
			case text == "any":
				n = -1
			case err != nil || n < 0:
				return errors.New("want " + want)
			}
			*number = n
			return nil
		},
	}
}
