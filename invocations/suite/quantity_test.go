package suite

import (
	"math"
	"strings"
	"testing"
)

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]int64{"100ms": 1e8, "1m30s": 9e10, "1.5us": 1500, "0s": 0, "7ns": 7} {
		if got, err := parseDuration(text); got != want || err != nil {
			t.Errorf("%s: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "5", "1d", "-1s", "nan s", "1e9h", "10000000h"} {
		if got, err := parseDuration(text); err == nil || !strings.Contains(err.Error(), `"100ms"`) {
			t.Errorf("%q: got %d, %v, want an error with an example", text, got, err)
		}
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"2GiB": 2 << 30, "1.5 MiB": 3 << 19, "500MB": 5e8, "4kB": 4000, "4KB": 4000, "1KiB": 1024, "3TB": 3e12,
		"2TiB": 2 << 40, "1GB": 1e9, "7B": 7, "0B": 0,
	} {
		if got, err := parseSize(text); got != want || err != nil {
			t.Errorf("%s: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "B", "5", "-1B", "nanGiB", "infB", "8388608TiB", "1e300GB", "2 gib"} {
		if got, err := parseSize(text); err == nil || !strings.Contains(err.Error(), `"2GiB"`) {
			t.Errorf("%q: got %d, %v, want an error with an example", text, got, err)
		}
	}
}

func FuzzQuantities(f *testing.F) {
	for _, text := range []string{"100ms", "1h2m3s", "2GiB", "1.5 MiB", "9223372036854775807B", "-0B", "0x1p62B"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if ns, err := parseDuration(text); ns < 0 || err != nil && ns != 0 {
			t.Errorf("%q: %d ns, %v", text, ns, err)
		}
		if bytes, err := parseSize(text); bytes < 0 || err != nil && bytes != 0 {
			t.Errorf("%q: %d bytes, %v", text, bytes, err)
		}
	})
}

func TestScalarText(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{"a", "a"}, {true, "true"}, {int64(math.MinInt64), "-9223372036854775808"}, {64.0, "64"}, {0.1, "0.1"}, {1e6,
			"1000000"}, {1e-9, "1e-09"}, {1e21, "1e+21"},
	} {
		if got, err := scalarText(c.value); got != c.want || err != nil {
			t.Errorf("%v: got %s, %v, want %s", c.value, got, err, c.want)
		}
	}
}
