package values

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/invocations"
)

// valueOf8 returns the value by the table of arXiv 2209.05433 (E5M2, E4M3FN) and 2206.02915 (FNUZ).
func valueOf8(t invocations.ElementType, b byte) float64 {
	exponentBits, bias, special := 5, 15, ""
	switch t {
	case invocations.Float8E4M3FN:
		exponentBits, bias, special = 4, 7, "fn"
	case invocations.Float8E5M2FNUZ:
		bias, special = 16, "fnuz"
	case invocations.Float8E4M3FNUZ:
		exponentBits, bias, special = 4, 8, "fnuz"
	}
	significandBits := 7 - exponentBits
	exponent, significand := int(b&0x7f)>>significandBits, int(b)&(1<<significandBits-1)
	sign := 1.0
	if b >= 0x80 {
		sign = -1
	}
	last := exponent == 1<<exponentBits-1
	switch {
	case special == "fnuz" && b == 0x80, special == "fn" && b&0x7f == 0x7f, special == "" && last && significand != 0:
		return math.NaN()
	case special == "" && last:
		return math.Inf(int(sign))
	case exponent == 0:
		return math.Copysign(math.Ldexp(float64(significand), 1-bias-significandBits), sign)
	}
	return sign * math.Ldexp(1+float64(significand)/float64(int(1)<<significandBits), exponent-bias)
}

// TestFloat8EveryValue compares each number with its definition, and rounds the middle between neighbours to the even
// one.
func TestFloat8EveryValue(t *testing.T) {
	for element, f := range floats8 {
		for i := range 256 {
			b := byte(i)
			want, got := valueOf8(element, b), f.toFloat64(b)
			if math.IsNaN(want) {
				if !math.IsNaN(got) || !math.IsNaN(f.toFloat64(f.fromFloat64(got))) {
					t.Errorf("%s %#02x: NaN became %v and %#02x", element, b, got, f.fromFloat64(got))
				}
				continue
			}
			if math.Float64bits(got) != math.Float64bits(want) {
				t.Errorf("%s %#02x: got %v, want %v", element, b, got, want)
			}
			if back := f.fromFloat64(want); back != b {
				t.Errorf("%s %#02x = %v came back as %#02x", element, b, want, back)
			}
			next := valueOf8(element, b+1)
			if b&0x7f == 0x7f || math.IsNaN(next) || math.IsInf(next, 0) || math.IsInf(want, 0) {
				continue
			}
			even := b + b&1
			if f.unsignedZero && even == 0x80 {
				even = 0
			}
			if back := f.fromFloat64((want + next) / 2); back != even {
				t.Errorf("%s: the middle of %v and %v became %#02x, want %#02x", element, want, next, back, even)
			}
		}
	}
}

// TestFloat8Ends rounds at the largest numbers and at zero, as ml_dtypes does.
func TestFloat8Ends(t *testing.T) {
	for _, test := range []struct {
		element invocations.ElementType
		value   float64
		want    byte
	}{
		{invocations.Float8E4M3FN, 448, 0x7e},
		{invocations.Float8E4M3FN, 463, 0x7e},
		{invocations.Float8E4M3FN, 480, 0x7f}, // NaN
		{invocations.Float8E4M3FN, math.Inf(-1), 0xff},
		{invocations.Float8E5M2, 57344, 0x7b},
		{invocations.Float8E5M2, 65536, 0x7c},
		{invocations.Float8E5M2, -1e300, 0xfc},
		{invocations.Float8E4M3FNUZ, 240, 0x7f},
		{invocations.Float8E4M3FNUZ, -300, 0x80}, // NaN
		{invocations.Float8E4M3FNUZ, -1e-9, 0},
		{invocations.Float8E5M2FNUZ, math.Copysign(0, -1), 0},
		{invocations.Float8E5M2, math.Copysign(0, -1), 0x80},
	} {
		if got := floats8[test.element].fromFloat64(test.value); got != test.want {
			t.Errorf("%s of %v is %#02x, want %#02x", test.element, test.value, got, test.want)
		}
	}
	for _, text := range []string{"500", "inf", "-1e-9"} {
		if _, err := constantBits(invocations.Float8E4M3FN, text); err == nil {
			t.Errorf("%s is taken for a float8_e4m3fn", text)
		}
	}
	if bits, err := constantBits(invocations.Float8E5M2, "inf"); err != nil || bits != 0x7c {
		t.Errorf("%#x, %v", bits, err)
	}
}

// TestFloat8Files reads 8-bit floats as ml_dtypes saves them, and as the integers of the same bits. Only float8_e5m2
// has a name in a file.
func TestFloat8Files(t *testing.T) {
	save := func(descr string) invocations.Contents {
		header := "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (2,), }"
		path := filepath.Join(t.TempDir(), "x.npy")
		file := append(append([]byte(magic+"\x01\x00"), byte(len(header)), 0), header+"\x38\xc0"...)
		if err := os.WriteFile(path, file, 0o644); err != nil {
			t.Fatal(err)
		}
		return invocations.Contents{Fill: invocations.FillFile, Path: path}
	}
	for _, descr := range []string{"|V1", "<f1", "|u1"} {
		for element := range floats8 {
			c, data := save(descr), make([]byte, 2)
			err := Fill(data, element, c, 0)
			if refused := descr == "<f1" && element != invocations.Float8E5M2; refused != (err != nil) {
				t.Errorf("%s of %s: %v", element, descr, err)
			} else if err == nil && string(data) != "\x38\xc0" {
				t.Errorf("%s of %s: % x", element, descr, data)
			}
			if shape, err := FileShape(c); err != nil || !slices.Equal(shape, []int64{2}) {
				t.Errorf("%s: shape %v, %v", descr, shape, err)
			}
		}
	}
	if element, _, err := FileType(save("<f1")); err != nil || element != invocations.Float8E5M2 {
		t.Errorf("f1 is %s, %v", element, err)
	}
	if _, _, err := FileType(save("|V1")); err == nil || !strings.Contains(err.Error(), "write type and shape before it") {
		t.Error(err)
	}
}
