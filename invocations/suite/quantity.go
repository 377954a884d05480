package suite

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// parseDuration reads a duration that is written with a unit, "100ms" or "1m30s", and returns nanoseconds. It is never
// negative. A number without a unit is an error, since its meaning differs among similar tools.
func parseDuration(s string) (ns int64, err error) {
	d, err := time.ParseDuration(s)
	if err != nil || s == "0" || s == "+0" || s == "-0" {
		return 0, fmt.Errorf("%q is no duration: write a number with a unit (ns, us, ms, s, m, h), such as \"100ms\"",
			s)
	}
	if d < 0 {
		return 0, fmt.Errorf("the duration %q is negative: write a positive one, such as \"100ms\"", s)
	}
	return d.Nanoseconds(), nil
}

// byteUnits are the units of parseSize. A unit comes before those with which it ends.
var byteUnits = [...]struct {
	suffix string
	bytes  float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
	{"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"T", 1 << 40},
}

// parseSize reads a size that is written with a unit, "2GiB" or "500 MB", and returns bytes, rounded down. KiB, MiB,
// GiB and TiB, and K, M, G and T, are powers of 1024; kB, MB, GB and TB of 1000.
func parseSize(s string) (bytes int64, err error) {
	for _, u := range byteUnits {
		number, found := strings.CutSuffix(s, u.suffix)
		if !found {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimRight(number, " "), 64)
		switch {
		case err != nil || math.IsNaN(n):
			return 0, fmt.Errorf("%q is no size: write a number with a unit, such as \"2GiB\"", s)
		case n < 0:
			return 0, fmt.Errorf("the size %q is negative: write a positive one, such as \"2GiB\"", s)
		case n*u.bytes >= 1<<63:
			return 0, fmt.Errorf("the size %q does not fit into 63 bits: write a smaller one, such as \"2GiB\"", s)
		}
		return int64(n * u.bytes), nil
	}
	return 0, fmt.Errorf("%q is no size: write a number with a unit (B, KiB, MiB, GiB, kB, MB, GB), such as \"2GiB\"",
		s)
}
