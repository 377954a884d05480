package hosting

import (
	"testing"
	"time"

	"zonemark/driver"
)

// TestProgressText: the line says what is measured, what is known of it, and how long it takes.
func TestProgressText(t *testing.T) {
	for _, c := range []struct {
		p    driver.Progress
		want string
	}{
		{driver.Progress{Name: "gemm"}, "gemm; 0 s"},
		{driver.Progress{Name: "gemm", Launch: 1, Launches: 5, MedianNS: 271800, Elapsed: 14 * time.Second,
			Left: 40 * time.Second}, "gemm, launch 2 of 5: 271.8 µs so far; 14 s, about 40 s left"},
		{driver.Progress{Name: "gemm", Launches: 5, Left: 7 * time.Minute, AtMost: true},
			"gemm, launch 1 of 5; 0 s, up to 7 min left"},
		{driver.Progress{Name: "gemm", Launch: 5, Elapsed: time.Second}, "gemm, launch 6; 1 s"},
		{driver.Progress{Name: "gemm", Tracing: true, Elapsed: time.Second}, "gemm"},
	} {
		if got := ProgressText(c.p) + clockText(c.p); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
