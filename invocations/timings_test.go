package invocations

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
		{"none", []float64{}, "00"},
		{"two bytes each, steps of 2^-14 ns", []float64{100, 102, 101}, "03" + "02f2" + "0000000000005940" + "0000" + "0080" + "0040"},
		{"four bytes each, steps of 2^-15 ns", []float64{100000, 200000}, "02" + "04f1" + "00000000006af840" + "00000000" + "000050c3"},
		{"as they are", []float64{0, 1e12}, "02" + "0800" + "0000000000000000" + "0000000000000000" + "000000a2941a6d42"},
		{"all the same", []float64{5, 5}, "02" + "0280" + "0000000000001440" + "0000" + "0000"},
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

// TestTimingsOfEverySize holds what comes back to the documented error over many orders of magnitude, spreads and lengths.
func TestTimingsOfEverySize(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for exponent := -10; exponent < 52; exponent++ {
		for _, spread := range []float64{0, 1e-9, 0.01, 1, 1e6} {
			for _, n := range []int{1, 3, 4, timingBlock, timingBlock + 1, 3*timingBlock - 1} {
				ns := make([]float64, n)
				for i := range ns {
					ns[i] = math.Ldexp(1, exponent) * (1 + spread*(random.Float64()-0.2))
				}
				if slices.ContainsFunc(ns, func(t float64) bool { return math.Abs(t) >= timingLimit }) {
					continue
				}
				b, err := appendTimings(nil, ns)
				if err != nil {
					t.Fatal(err)
				}
				got, err := parseTimings(b)
				if err != nil || len(got) != n {
					t.Fatalf("2^%d ns, spread %g, %d timings: %d came back, %v", exponent, spread, n, len(got), err)
				}
				for i := range got {
					block := ns[i/timingBlock*timingBlock : min(n, (i/timingBlock+1)*timingBlock)]
					if most := max(slices.Min(block)*relativeStep, absoluteStep) / 2 * (1 + 1e-9); math.Abs(got[i]-ns[i]) > most {
						t.Fatalf("2^%d ns, spread %g: %v came back as %v, further than %v", exponent, spread, ns[i], got[i], most)
					}
				}
				if again, err := appendTimings(nil, got); err != nil || !bytes.Equal(again, b) {
					t.Fatalf("2^%d ns, spread %g, %d timings: what came back is encoded otherwise (%v)", exponent, spread, n, err)
				}
			}
		}
	}
}

func TestTimingsRefused(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), timingLimit, -timingLimit} {
		for _, ns := range [][]float64{{bad, 1}, {1, bad}} {
			if b, err := appendTimings(nil, ns); err == nil || !strings.Contains(err.Error(), "not a number of nanoseconds below 52 days") {
				t.Errorf("%v: %x, %v", ns, b, err)
			}
		}
	}
}

// block is a block header with data behind it.
func block(width, exponent byte, least float64, data ...byte) []byte {
	return append(binary.LittleEndian.AppendUint64([]byte{width, exponent}, math.Float64bits(least)), data...)
}

func TestParseTimingsRefuses(t *testing.T) {
	one := func(b []byte) []byte { return append([]byte{1}, b...) }
	for _, test := range []struct {
		name string
		b    []byte
		want string
	}{
		{"nothing", nil, "without a count"},
		{"count cut off", []byte{0x80}, "without a count"},
		{"more than bytes", []byte{3, 0, 0, 0}, "3 timings announced in 3 bytes"},
		{"huge count", binary.AppendUvarint(nil, math.MaxUint64), "announced in 0 bytes"},
		{"header cut off", one([]byte{2, 0, 0}), "cut off"},
		{"block cut off", one(block(4, 0, 1, 0, 0)), "cut off"},
		{"second block missing", append([]byte{0x81, 0x02}, block(2, 0, 1, make([]byte, 512)...)...), "timings from 256 of 257: cut off"},
		{"width", one(block(3, 0, 1, 0, 0, 0)), "want 2, 4 or 8"},
		{"bytes left", one(block(2, 0, 1, 0, 0, 0)), "1 bytes after the last of 1 timings"},
		{"least beyond", one(block(2, 0, timingLimit, 0, 0)), "beyond"},
		{"least below", one(block(8, 0, -timingLimit, make([]byte, 8)...)), "beyond"},
		{"least not a number", one(block(2, 0, math.NaN(), 0, 0)), "beyond"},
		{"steps beyond", one(block(4, 21, 1, 0, 0, 0, 0)), "beyond"},
		{"timing beyond", one(block(8, 0, 1, binary.LittleEndian.AppendUint64(nil, math.Float64bits(timingLimit))...)), "beyond"},
		{"timing not a number", one(block(8, 0, 1, binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.NaN()))...)), "beyond"},
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
	f.Add([]byte{0})
	f.Add(append([]byte{2}, block(2, 0xf2, 100, 1, 2, 3, 4)...))
	f.Add(append([]byte{1}, block(4, 20, -1e9, 1, 2, 3, 4)...))
	f.Add(append([]byte{1}, block(8, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		ns, err := parseTimings(b)
		if err != nil {
			return
		}
		once, err := appendTimings(nil, ns)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		got, err := parseTimings(once)
		if err != nil || len(got) != len(ns) {
			t.Fatalf("%d timings became %d: %v", len(ns), len(got), err)
		}
		twice, err := appendTimings(nil, got)
		if err != nil || !bytes.Equal(twice, once) {
			t.Errorf("the second encoding differs (%v):\n%x\n%x", err, once, twice)
		}
	})
}
