package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestTimingsBytes compares with bytes that another program made from the documented format.
func TestTimingsBytes(t *testing.T) {
	for _, test := range []struct {
		name string
		ns   []float64
		want string
	}{
		{"none", []float64{}, ""},
		{"two", []float64{100, 98.5}, "0000000000a05840" + "0000c03f" + "00000000"},
		{"below zero", []float64{-0.25}, "000000000000d0bf" + "00000000"},
	} {
		got, err := appendTimings([]byte("before"), test.ns)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := bytes.CutPrefix(got, []byte("before")); !ok || hex.EncodeToString(got) != test.want {
			t.Errorf("%s: %x, want %s", test.name, got, test.want)
		}
	}
}

// TestTimingsOfEverySize checks the documented error over many orders of magnitude, spreads and lengths.
func TestTimingsOfEverySize(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for exponent := -10; exponent < 52; exponent++ {
		for _, spread := range []float64{0, 1e-9, 0.01, 1, 1e6} {
			for _, n := range []int{0, 1, 3, 1000} {
				ns := make([]float64, n)
				for i := range ns {
					ns[i] = math.Ldexp(1, exponent) * (1 + spread*(random.Float64()-0.2))
				}
				if slices.ContainsFunc(ns, func(t float64) bool { return math.Abs(t) >= timingLimit }) {
					continue
				}
				checkTimings(t, ns)
			}
		}
	}
}

// checkTimings sends timings there and back.
func checkTimings(t *testing.T, ns []float64) {
	t.Helper()
	b, err := appendTimings(nil, ns)
	if err != nil {
		t.Fatal(err)
	}
	got, err := parseTimings(b)
	if err != nil || got == nil || len(got) != len(ns) {
		t.Fatalf("%d timings: %d came back, %v", len(ns), len(got), err)
	}
	for i := range got {
		least := slices.Min(ns)
		rounding := math.Abs(got[i]) * 0x1p-53 // of the sum
		if most := (ns[i]-least)*0x1p-24 + 2*rounding + math.SmallestNonzeroFloat32; math.Abs(got[i]-ns[i]) > most {
			t.Fatalf("least %v: %v came back as %v, further than %v", least, ns[i], got[i], most)
		}
	}
}

func TestTimingsRefused(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), timingLimit, -timingLimit} {
		for _, ns := range [][]float64{{bad, 1}, {1, bad}} {
			if b, err := appendTimings(nil, ns); err == nil || !strings.Contains(err.Error(),
				"not a number of nanoseconds below 52 days") {
				t.Errorf("%v: %x, %v", ns, b, err)
			}
		}
	}
}

func TestParseTimingsRefuses(t *testing.T) {
	field := func(least float64, excess ...float32) []byte {
		b := binary.LittleEndian.AppendUint64(nil, math.Float64bits(least))
		for _, x := range excess {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
		return b
	}
	for _, test := range []struct {
		name string
		b    []byte
		want string
	}{
		{"least cut off", field(1)[:7], "timings of 7 bytes"},
		{"no timing", field(1), "timings of 8 bytes"},
		{"cut off", field(1, 0, 2)[:15], "timings of 15 bytes: want 8, and 4 for each timing"},
		{"least beyond", field(timingLimit, 0), "below 52 days"},
		{"least below", field(-timingLimit, 1), "below 52 days"},
		{"least not a number", field(math.NaN(), 0), "below 52 days"},
		{"beyond", field(1, 0, timingLimit), "below 52 days"},
		{"infinite", field(1, float32(math.Inf(1))), "below 52 days"},
		{"not a number", field(1, float32(math.NaN()), 0), "below 52 days"},
		{"below the least", field(1, 0, -1), "below 52 days"},
	} {
		t.Run(test.name, func(t *testing.T) {
			ns, err := parseTimings(test.b)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, error %v, want one with %q", ns, err, test.want)
			}
		})
	}
}

func FuzzTimings(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4})
	f.Add(bytes.Repeat([]byte{0xff}, 16))
	f.Fuzz(func(t *testing.T, b []byte) {
		ns, err := parseTimings(b)
		if err != nil {
			return
		}
		if len(ns) > len(b)/excessBytes {
			t.Fatalf("%d timings from %d bytes", len(ns), len(b))
		}
		checkTimings(t, ns)
	})
}
