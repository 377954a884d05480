package main

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// mostTime bounds every time that a user may give: beyond a month a number is a typing error.
const mostTime = 31 * 24 * time.Hour

// durationValue is a flag for a time, "250ms"; it takes nothing negative and nothing absurd.
type durationValue struct{ ns *int64 }

func (v durationValue) String() string {
	if v.ns == nil {
		return ""
	}
	return time.Duration(*v.ns).String()
}

func (v durationValue) Type() string { return "time" }

func (v durationValue) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil {
		return fmt.Errorf("want a time with its unit, such as 250ms or 2s")
	}
	if d < 0 || d > mostTime {
		return fmt.Errorf("want a time from 0 to %v", mostTime)
	}
	*v.ns = int64(d)
	return nil
}

// secondsValue is a flag for a time in seconds without a unit, as older tools take it.
type secondsValue struct{ ns *int64 }

func (v secondsValue) String() string {
	if v.ns == nil {
		return ""
	}
	return strconv.FormatFloat(float64(*v.ns)/1e9, 'g', -1, 64)
}

func (v secondsValue) Type() string { return "seconds" }

func (v secondsValue) Set(s string) error {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(x) || x < 0 || x > mostTime.Seconds() {
		return fmt.Errorf("want a number of seconds from 0 to %.0f", mostTime.Seconds())
	}
	*v.ns = int64(x * 1e9)
	return nil
}

// fractionValue is a flag for a share of one: "1%" or "0.01".
type fractionValue struct{ x *float64 }

func (v fractionValue) String() string {
	if v.x == nil {
		return ""
	}
	return strconv.FormatFloat(*v.x*100, 'g', -1, 64) + "%"
}

func (v fractionValue) Type() string { return "fraction" }

func (v fractionValue) Set(s string) error {
	text, percent := strings.CutSuffix(s, "%")
	x, err := strconv.ParseFloat(text, 64)
	if percent {
		x /= 100
	}
	if err != nil || math.IsNaN(x) || x < 0 || x >= 1 {
		return fmt.Errorf("want a fraction from 0 to below 1, or percent such as 1%%")
	}
	*v.x = x
	return nil
}

// countValue is a flag for a number that is at least zero and not absurd.
type countValue struct{ n *int64 }

const mostCount = 1_000_000_000_000

func (v countValue) String() string {
	if v.n == nil {
		return ""
	}
	return strconv.FormatInt(*v.n, 10)
}

func (v countValue) Type() string { return "n" }

func (v countValue) Set(s string) error {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > mostCount {
		return fmt.Errorf("want a whole number from 0 to %d", int64(mostCount))
	}
	*v.n = n
	return nil
}

// bytesValue is a flag for an amount of memory: "512MiB", "2GiB", or mebibytes where the flag's name says so.
type bytesValue struct {
	bytes *int64
	unit  int64 // of a number without a unit; 0: a unit is needed
}

func (v bytesValue) String() string {
	if v.bytes == nil || *v.bytes == 0 {
		return ""
	}
	if v.unit > 1 {
		return strconv.FormatInt(*v.bytes/v.unit, 10)
	}
	return strconv.FormatInt(*v.bytes>>20, 10) + "MiB"
}

func (v bytesValue) Type() string {
	if v.unit > 1 {
		return "MiB"
	}
	return "size"
}

func (v bytesValue) Set(s string) error {
	text, unit := s, v.unit
	for suffix, size := range map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40} {
		if t, ok := strings.CutSuffix(s, suffix); ok {
			text, unit = t, size
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
	*v.bytes = int64(x * float64(unit))
	return nil
}

// listValue is a flag that may be given again and again; several flags may fill one list.
type listValue struct {
	list *[]string
	kind string
}

func (v listValue) String() string { return "" }
func (v listValue) Type() string   { return v.kind }

func (v listValue) Set(s string) error {
	*v.list = append(*v.list, s)
	return nil
}

// choiceValue is a flag with a closed list of words.
type choiceValue[T ~string] struct {
	value *T
	words []T
}

func (v choiceValue[T]) String() string {
	if v.value == nil {
		return ""
	}
	return string(*v.value)
}

func (v choiceValue[T]) Type() string {
	var words []string
	for _, w := range v.words {
		words = append(words, string(w))
	}
	return strings.Join(words, "|")
}

func (v choiceValue[T]) Set(s string) error {
	for _, w := range v.words {
		if string(w) == s {
			*v.value = w
			return nil
		}
	}
	return fmt.Errorf("want one of %s", strings.ReplaceAll(v.Type(), "|", ", "))
}

// cpuValue is a flag for a CPU number, or "any".
type cpuValue struct{ cpu *int }

func (v cpuValue) String() string {
	if v.cpu == nil || *v.cpu < 0 {
		return "any"
	}
	return strconv.Itoa(*v.cpu)
}

func (v cpuValue) Type() string { return "cpu" }

func (v cpuValue) Set(s string) error {
	if s == "any" {
		*v.cpu = -1
		return nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return fmt.Errorf("want a CPU number, or any; this machine has %d", runtime.NumCPU())
	}
	*v.cpu = n
	return nil
}

// normalizeFlag accepts the underscore and upper-case spellings of older tools.
func normalizeFlag(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	return pflag.NormalizedName(strings.ToLower(strings.ReplaceAll(name, "_", "-")))
}
