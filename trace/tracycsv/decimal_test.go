package tracycsv

import (
	"math"
	"strconv"
	"testing"
)

// TestDecimals compares with strconv around every power of ten and of two, in buffers with and without room.
func TestDecimals(t *testing.T) {
	values := []uint64{0, 7, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64}
	for ten := uint64(1); ten < 1e19; ten *= 10 {
		values = append(values, ten-1, ten, ten+1, 10*ten-1, 3*ten+7)
	}
	for shift := range 64 {
		values = append(values, 1<<shift-1, 1<<shift)
	}
	for _, v := range values {
		for _, room := range []int{0, 1, 8, 40} {
			b := append(make([]byte, 0, 1+room), 'x')
			if got, want := string(appendUnsigned(b, v)), "x"+strconv.FormatUint(v, 10); got != want {
				t.Fatalf("%q, want %q", got, want)
			}
			if got, want := string(appendInteger(b, int64(v))), "x"+strconv.FormatInt(int64(v), 10); got != want {
				t.Fatalf("%q, want %q", got, want)
			}
			if got, want := string(appendInteger(b, -int64(v))), "x"+strconv.FormatInt(-int64(v), 10); got != want {
				t.Fatalf("%q, want %q", got, want)
			}
		}
	}
}

func BenchmarkDecimals(b *testing.B) {
	buffer := make([]byte, 0, 64)
	for _, v := range []uint64{0, 83, 1234, 1234567, 2345678901} {
		b.Run(strconv.FormatUint(v, 10), func(b *testing.B) {
			for b.Loop() {
				appendUnsigned(buffer, v)
			}
		})
		b.Run(strconv.FormatUint(v, 10)+"strconv", func(b *testing.B) {
			for b.Loop() {
				strconv.AppendUint(buffer, v, 10)
			}
		})
	}
}
