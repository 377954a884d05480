package invocations

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// reference encodes picoseconds as the format is documented, one varint at a time.
func reference(ps ...int64) []byte {
	b := binary.AppendUvarint(nil, uint64(len(ps)))
	last := int64(0)
	for _, p := range ps {
		b = binary.AppendVarint(b, p-last)
		last = p
	}
	return b
}

func TestTimings(t *testing.T) {
	for _, test := range []struct {
		name string
		ns   []float64
		ps   []int64
	}{
		{"none", []float64{}, nil},
		{"zero", []float64{0, math.Copysign(0, -1)}, []int64{0, 0}},
		{"nearest picosecond", []float64{1.0004, 1.0006, -1.0004, -1.0006}, []int64{1000, 1001, -1000, -1001}},
		{"halves away from zero", []float64{0.0005, -0.0005, 0.0025, 0.00049999999999999}, []int64{1, -1, 3, 0}},
		{"before a half", []float64{math.Nextafter(0.5, 0) / 1000}, []int64{int64(math.Round(math.Nextafter(0.5, 0) / 1000 * 1000))}},
		{"four bytes in pairs", []float64{2000, 4000, 6000, 8000, 9999}, []int64{2000000, 4000000, 6000000, 8000000, 9999000}},
		{"all sizes", []float64{1, 1e2, 1e5, 1e6, 1e8, 1e10, 1e12, 1e15, -1e15, 4.6e15, -4.6e15, 0},
			[]int64{1e3, 1e5, 1e8, 1e9, 1e11, 1e13, 1e15, 1e18, -1e18, 4.6e18, -4.6e18, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b, err := appendTimings([]byte("before"), test.ns)
			if err != nil {
				t.Fatal(err)
			}
			b, ok := bytes.CutPrefix(b, []byte("before"))
			if want := reference(test.ps...); !ok || !bytes.Equal(b, want) {
				t.Errorf("encoded\n%x, want\n%x", b, want)
			}
			got, err := parseTimings(b)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != len(test.ps) || got == nil {
				t.Fatalf("%d timings, want %d", len(got), len(test.ps))
			}
			for i, ps := range test.ps {
				if got[i] != float64(ps)/1000 {
					t.Errorf("timing %d is %v ns, want %d ps", i, got[i], ps)
				}
			}
		})
	}
}

// TestTimingsOfEverySize compares with the documented format and with math.Round over many orders of magnitude.
func TestTimingsOfEverySize(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for exponent := range 62 {
		for _, n := range []int{1, 2, 63, 64, 65, 200} {
			ns, ps := make([]float64, n), make([]int64, n)
			for i := range ns {
				ns[i] = (random.Float64() - 0.2) * math.Ldexp(1, exponent) / 1000
				ps[i] = int64(math.Round(ns[i] * 1000))
			}
			b, err := appendTimings(nil, ns)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(b, reference(ps...)) {
				t.Fatalf("2^%d ps, %d timings: the encoding differs from the documented one", exponent, n)
			}
			got, err := parseTimings(b)
			if err != nil {
				t.Fatal(err)
			}
			for i := range got {
				if got[i] != float64(ps[i])/1000 {
					t.Fatalf("2^%d ps: %v ns came back as %v", exponent, ns[i], got[i])
				}
			}
		}
	}
}

func TestParseTimingsRefuses(t *testing.T) {
	limit := int64(timingLimit)
	for _, test := range []struct {
		name string
		b    []byte
		want string
	}{
		{"nothing", nil, "without a count"},
		{"count cut off", []byte{0x80}, "without a count"},
		{"more than bytes", []byte{3, 0, 0}, "3 timings announced in 2 bytes"},
		{"huge count", binary.AppendUvarint(nil, math.MaxUint64), "announced in 0 bytes"},
		{"cut off", []byte{1, 0x80}, "timing 0 of 1 is cut off"},
		{"last cut off", []byte{2, 0x80, 0x80}, "timing 0 of 2 is cut off"},
		{"eleven bytes", append([]byte{1}, bytes.Repeat([]byte{0x80}, 11)...), "longer than 64 bits"},
		{"bytes left", []byte{1, 0, 0}, "1 bytes after the last of 1 timings"},
		{"limit", reference(limit), "timing 0 of 1 is beyond"},
		{"negative limit", reference(-limit), "timing 0 of 1 is beyond"},
		{"sum", reference(limit-1, limit), "timing 1 of 2 is beyond"},
		{"overflow", append(binary.AppendVarint([]byte{2}, limit-1), binary.AppendVarint(nil, math.MaxInt64)...), "timing 1 of 2 is beyond"},
		{"negative overflow", append(binary.AppendVarint([]byte{2}, 1-limit), binary.AppendVarint(nil, math.MinInt64)...), "timing 1 of 2 is beyond"},
	} {
		t.Run(test.name, func(t *testing.T) {
			ns, err := parseTimings(test.b)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, error %v, want one with %q", ns, err, test.want)
			}
		})
	}
}

// A varint with more bytes than it needs is valid, in any of the ways to read one.
func TestParseTimingsReadsPaddedVarints(t *testing.T) {
	for _, test := range []string{"\x04\x82\x80\x80\x00\x04\x84\x80\x00\x86\x80\x80\x80\x80\x00"} {
		got, err := parseTimings([]byte(test))
		if err != nil {
			t.Fatal(err)
		}
		want := []float64{0.001, 0.003, 0.005, 0.008}
		for i := range want {
			if len(got) != len(want) || got[i] != want[i] {
				t.Fatalf("%v, want %v", got, want)
			}
		}
	}
}

// atTimingLimit says whether a timing is so near to the limit that its second rounding may reach it.
func atTimingLimit(ns []float64) bool {
	return slices.ContainsFunc(ns, func(t float64) bool { return math.Abs(t)*1000 >= timingLimit-1<<12 })
}

func FuzzTimings(f *testing.F) {
	f.Add(reference())
	f.Add(reference(123456789, 123456788, 250000000, -5, 0, timingLimit-1, 1-timingLimit))
	f.Add(reference(1e7, 2e7, 3e7, 4e7, 5e7, 6e7, 7e7, 8e7))
	f.Add([]byte{2, 0x80, 0x80, 0x80, 0x00, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		ns, err := parseTimings(b)
		if err != nil {
			return
		}
		again, err := appendTimings(nil, ns)
		if atTimingLimit(ns) {
			return
		}
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		got, err := parseTimings(again)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if len(got) != len(ns) {
			t.Fatalf("%d timings became %d", len(ns), len(got))
		}
		for i := range ns {
			// Below 2^51 ps exactly the same, above as near as float64 arithmetic is.
			if got[i] != ns[i] && (math.Abs(ns[i]) < 1<<51/1000 || math.Abs(got[i]-ns[i]) > math.Abs(ns[i])*0x1p-51) {
				t.Errorf("timing %d: %v became %v", i, ns[i], got[i])
			}
		}
	})
}
