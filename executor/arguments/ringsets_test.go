package arguments

import (
	"testing"

	"zonemark/invocations"
)

func TestRingSets(t *testing.T) {
	for _, c := range []struct {
		name           string
		changed, fixed int64
		mode           invocations.Mode
		want           int // sets, with that of the untimed call
	}{
		{"as many as the nearest cache holds", 64, 0, invocations.Warm, 256},
		{"a thousand floats", 4000, 0, invocations.Warm, 8},
		{"half of the nearest cache", 16 << 10, 0, invocations.Warm, 2},
		{"the core's caches", 64 << 10, 0, invocations.Serialized, 7},
		{"beyond the core's caches", 1 << 20, 0, invocations.Warm, 2},
		{"too much for a copy", 100 << 20, 0, invocations.Warm, 1},
		{"prescribed", 4000, 1000, invocations.Warm, 1001},
		{"prescribed, and bounded by memory", 4 << 20, 1000, invocations.Warm, 15},
		{"evicted", 64, 1, invocations.Flush, 1},
	} {
		if got := RingSets(c.changed, c.fixed, c.mode); got != c.want {
			t.Errorf("%s: %d sets, want %d", c.name, got, c.want)
		}
	}
}
