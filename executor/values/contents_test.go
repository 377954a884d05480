package values

import (
	"bytes"
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"zonemark/invocations"
)

var elementTypes = []invocations.ElementType{
	invocations.Bool, invocations.Int8, invocations.Int16, invocations.Int32, invocations.Int64, invocations.Uint8,
	invocations.Uint16,
	invocations.Uint32, invocations.Uint64, invocations.Float16, invocations.BFloat16, invocations.Float32,
	invocations.Float64,
}

func fill(t *testing.T, count int, e invocations.ElementType, text string, seed uint64) []byte {
	t.Helper()
	c, err := invocations.ParseContents(text)
	if err != nil {
		t.Fatal(err)
	}
	dst := bytes.Repeat([]byte{0xa5}, count*int(e.Size()))
	if err := Fill(dst, e, c, seed); err != nil {
		t.Fatal(err)
	}
	return dst
}

// TestFillRandomKnown fixes the stream: a journal names a seed, and the seed must mean the same contents in every
// version. A separate implementation in Python computed the bytes.
func TestFillRandomKnown(t *testing.T) {
	for _, c := range []struct {
		element invocations.ElementType
		want    string
	}{
		{invocations.Bool, "0000000100000101010000"},
		{invocations.Uint8, "04721065bafae1575540b2"},
		{invocations.Float16, "083410397435"},
		{invocations.BFloat16, "803c803d3a3f"},
		{invocations.Float32, "2090833df4c3af3e5540323f"},
		{invocations.Float64, "1c4499ae7ef8d53f48d67f287a95ee3f404a30ce5920df3f"},
	} {
		n := 11
		if c.element.Size() > 1 {
			n = 3
		}
		if got := hex.EncodeToString(fill(t, n, c.element, "random:2", 40)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.element, got, c.want)
		}
	}
}

// TestFillDefaultKnown fixes what random inputs are if nobody says more: integers that may be indices or counts are
// small, and all others as the fill "random" draws them.
func TestFillDefaultKnown(t *testing.T) {
	const n = 4096
	for _, e := range elementTypes {
		got, random := make([]byte, n*e.Size()), make([]byte, n*e.Size())
		if err := Fill(got, e, invocations.Contents{}, 7); err != nil {
			t.Fatal(err)
		}
		if err := Fill(random, e, invocations.Contents{Fill: invocations.FillRandom}, 7); err != nil {
			t.Fatal(err)
		}
		if e.Float() || e.Size() < 4 {
			if !bytes.Equal(got, random) {
				t.Errorf("%s: not as random", e)
			}
			continue
		}
		size, seen := int(e.Size()), map[uint64]bool{}
		for i := range n {
			v := integerAt(got[i*size:], e)
			if seen[v] = true; v > 15 || v != integerAt(random[i*size:], e)&15 {
				t.Fatalf("%s element %d is %d", e, i, v)
			}
		}
		if len(seen) != 16 {
			t.Errorf("%s: %d different numbers, want 16", e, len(seen))
		}
	}
}

func TestFillRandomDistribution(t *testing.T) {
	const n = 1 << 15
	for _, e := range elementTypes {
		b := fill(t, n, e, "random", 1)
		if other := fill(t, n, e, "random", 2); bytes.Equal(b, other) {
			t.Errorf("%s: two seeds give the same contents", e)
		}
		if again := fill(t, n, e, "random:1", 0); !bytes.Equal(b, again) {
			t.Errorf("%s: the contents' seed is not added to the invocation's", e)
		}
		size := int(e.Size())
		var mean, low, high float64
		low = math.Inf(1)
		for i := range n {
			var x float64
			switch {
			case e.Float():
				x = FloatAt(b[i*size:], e)
				if x < 0 || x >= 1 {
					t.Fatalf("%s element %d is %v, outside [0,1)", e, i, x)
				}
			case e == invocations.Bool:
				if b[i] > 1 {
					t.Fatalf("bool element %d is %d", i, b[i])
				}
				x = float64(b[i])
			default: // the bits as a fraction of the range
				x = math.Ldexp(float64(integerAt(b[i*size:], e)<<(64-8*size)>>(64-8*size)), -8*size)
			}
			mean += x / n
			low, high = min(low, x), max(high, x)
		}
		// 32,768 uniform numbers: the mean is within 0.01 by more than six standard deviations (0.0028 for coin flips:
		// 3.6, seed fixed).
		if math.Abs(mean-0.5) > 0.01 || low > 0.01 || high < 0.98 {
			t.Errorf("%s: mean %v, least %v, largest %v", e, mean, low, high)
		}
	}
}

func TestFillZerosAndIota(t *testing.T) {
	for _, e := range elementTypes {
		if b := fill(t, 9, e, "zeros", 0); !bytes.Equal(b, make([]byte, len(b))) {
			t.Errorf("%s: zeros are %x", e, b)
		}
		wrap := map[invocations.ElementType]int{
			invocations.Bool: 2, invocations.Int8: 256, invocations.Uint8: 256, invocations.BFloat16: 256,
			invocations.Float16: 2048,
			invocations.Int16:   1 << 16, invocations.Uint16: 1 << 16,
		}[e]
		if wrap == 0 {
			wrap = 1 << 20
		}
		b := fill(t, 1<<17, e, "iota", 0)
		size := int(e.Size())
		for i := range 1 << 17 {
			var got, want float64
			switch {
			case e.Float():
				got, want = FloatAt(b[i*size:], e), float64(i%wrap)
			case e == invocations.Int8:
				got, want = float64(int8(b[i])), float64(int8(i))
			case e == invocations.Int16:
				got, want = float64(int16(integerAt(b[i*size:], e))), float64(int16(i))
			default:
				got, want = float64(integerAt(b[i*size:], e)), float64(i%wrap)
			}
			if got != want {
				t.Fatalf("%s element %d is %v, want %v", e, i, got, want)
			}
		}
	}
}

func TestFillConstant(t *testing.T) {
	for _, c := range []struct {
		element     invocations.ElementType
		value, want string // want: hexadecimal bytes of one element, or the error
	}{
		{invocations.Bool, "1", "01"},
		{invocations.Bool, "2", "2 is out of range for bool"},
		{invocations.Int8, "-128", "80"},
		{invocations.Int8, "-129", "out of range for int8"},
		{invocations.Int8, "128", "out of range for int8"},
		{invocations.Uint8, "255", "ff"},
		{invocations.Uint8, "-0", "00"},
		{invocations.Uint8, "-1", "out of range for uint8"},
		{invocations.Uint16, "6e4", "60ea"},
		{invocations.Int32, "1.5", "not an integer"},
		{invocations.Int32, "nan", "not an integer"},
		{invocations.Int32, "-inf", "not an integer"},
		{invocations.Int64, "-9223372036854775808", "0000000000000080"},
		{invocations.Int64, "-9223372036854775809", "out of range for int64"},
		{invocations.Int64, "1e17", "plain digits"},
		{invocations.Uint64, "18446744073709551615", "ffffffffffffffff"},
		{invocations.Uint64, "18446744073709551616", "out of range for uint64"},
		{invocations.Float16, "1", "003c"},
		{invocations.Float16, "65519", "ff7b"},
		{invocations.Float16, "65520", "out of range for float16"},
		{invocations.Float16, "1e-9", "out of range for float16"},
		{invocations.Float16, "inf", "007c"},
		{invocations.BFloat16, "-2", "00c0"},
		{invocations.BFloat16, "3.4e38", "out of range for bfloat16"},
		{invocations.Float32, "0.1", "cdcccc3d"},
		{invocations.Float32, "1e39", "out of range for float32"},
		{invocations.Float32, "-0", "00000080"},
		{invocations.Float32, "1.00000005960464477540", "0100803f"},
		// just above a midpoint that float64 would round to
		{invocations.Float64, "0.1", "9a9999999999b93f"},
	} {
		dst := make([]byte, 5*c.element.Size())
		err := Fill(dst, c.element, invocations.Contents{Fill: invocations.FillConstant, Value: c.value}, 0)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.value) {
				t.Errorf("%s %s: error %q, want one with %q", c.element, c.value, err, c.want)
			}
			continue
		}
		if got := hex.EncodeToString(dst); got != strings.Repeat(c.want, 5) {
			t.Errorf("%s %s: got %s, want five times %s", c.element, c.value, got, c.want)
		}
	}
}

func TestFillRefuses(t *testing.T) {
	for _, c := range []struct {
		name     string
		n        int
		element  invocations.ElementType
		contents invocations.Contents
		want     string
	}{
		{"unknown type", 8, "complex64", invocations.Contents{}, `unknown element type "complex64"`},
		{"part of an element", 6, invocations.Float32, invocations.Contents{},
			"6 bytes does not hold whole elements of float32"},
		{"unknown fill", 4, invocations.Float32, invocations.Contents{Fill: "ones"}, `"ones": no such fill`},
		{"no file", 4, invocations.Float32, invocations.Contents{Fill: invocations.FillFile, Path: "none.npy"},
			"none.npy"},
		{"not a file", 4, invocations.Float32, invocations.Contents{Fill: invocations.FillFile, Path: "."},
			"not a regular file"},
	} {
		err := Fill(make([]byte, c.n), c.element, c.contents, 0)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
	if err := Fill(nil, invocations.Float32, invocations.Contents{Fill: invocations.FillConstant, Value: "1"},
		0); err != nil {
		t.Errorf("an empty buffer: %v", err)
	}
}

// TestSplitMixKnown uses the widely published first number for the seed 1234567.
func TestSplitMixKnown(t *testing.T) {
	s := splitMix{1234567}
	if got := s.next(); got != 6457827717110365317 {
		t.Errorf("got %d", got)
	}
}

func BenchmarkFillRandom(b *testing.B) {
	dst := make([]byte, 1<<20)
	for _, e := range []invocations.ElementType{invocations.Uint8, invocations.Float16, invocations.Float32,
		invocations.Float64} {
		b.Run(string(e), func(b *testing.B) {
			b.SetBytes(int64(len(dst)))
			for b.Loop() {
				fillRandom(dst, e, 1)
			}
		})
	}
}

func TestFillList(t *testing.T) {
	dst := make([]byte, 8)
	list := invocations.Contents{Fill: invocations.FillList, Value: "-2 32767 0 1"}
	if err := Fill(dst, invocations.Int16, list, 0); err != nil {
		t.Fatal(err)
	}
	if want := []byte{0xfe, 0xff, 0xff, 0x7f, 0, 0, 1, 0}; !bytes.Equal(dst, want) {
		t.Errorf("got %x, want %x", dst, want)
	}
	for value, want := range map[string]string{"1 2 3": "3 values for 4 elements", "1 2 3 4 5": "5 values for 4",
		"1 2 3 99999": "element 3", "": "0 values"} {
		list.Value = value
		if err := Fill(dst, invocations.Int16, list, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", value, err, want)
		}
	}
}
