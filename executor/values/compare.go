package values

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"zonemark/invocations"
)

// DefaultTolerance returns the relative tolerance for comparing the outputs of two schedules of one computation, if the
// user gives none. It is 0 for integers and booleans, which are compared exactly.
//
// A schedule that reorders a sum of K terms changes it by up to about K·u times the sum of their magnitudes, and
// typically by √K·u; u is the unit roundoff. The tolerances allow for that: float32 (u = 6·10⁻⁸) sums of a few thousand
// terms in the worst case and of millions typically, float64 (u = 10⁻¹⁶) more, including rewrites by fast mathematics.
// Sums in the 16-bit types (u = 5·10⁻⁴ and 4·10⁻³) are commonly kept in float32 and rounded when they are stored, so
// they need about a dozen of their coarse units. A wrong index or a lost term changes results by far more. Results in
// the 8-bit types are rounded once, when they are stored, and may become the neighbouring number.
func DefaultTolerance(t invocations.ElementType) float64 {
	switch t {
	case invocations.Float64:
		return 1e-9
	case invocations.Float32:
		return 1e-4
	case invocations.Float16:
		return 1e-2
	case invocations.BFloat16:
		return 5e-2
	case invocations.Float8E4M3FN, invocations.Float8E4M3FNUZ:
		return 0x1p-3
	case invocations.Float8E5M2, invocations.Float8E5M2FNUZ:
		return 0x1p-2
	}
	return 0
}

// ExpectedTolerance returns the relative tolerance for comparing outputs with what a user expects of them, if the user
// gives none. It is DefaultTolerance, but for float32: what is expected was computed by another program, whose tanh, exp
// or erf is another approximation: those of IREE's gelu and NumPy's differ by 1.3·10⁻⁴. The tests of ONNX's own package
// take 10⁻³ as well.
func ExpectedTolerance(t invocations.ElementType) float64 {
	if t == invocations.Float32 {
		return 1e-3
	}
	return DefaultTolerance(t)
}

// Compare compares two dense little-endian buffers of elements of type t and describes how they differ; the text is
// empty if they do not. Integers and booleans must be equal. For a floating-point element, |got-want| may be at most
// tolerance · max(|want|, s), where s is the mean of |want| over the finite elements: an element that cancels to nearly
// zero carries the rounding of terms as large as its neighbours. NaN equals only NaN, and an infinity only itself. A
// tolerance that is not positive stands for DefaultTolerance.
func Compare(got, want []byte, t invocations.ElementType, tolerance float64) (mismatch string) {
	size := int(t.Size())
	switch {
	case size == 0:
		return fmt.Sprintf("elements of unknown type %q cannot be compared", t)
	case len(got) != len(want):
		return fmt.Sprintf("got %d bytes of %s, want %d", len(got), t, len(want))
	case len(got)%size != 0:
		return fmt.Sprintf("%d bytes are no whole elements of %s", len(got), t)
	case bytes.Equal(got, want):
		return ""
	case t.Float():
		return compareFloats(got, want, t, tolerance)
	}
	return compareIntegers(got, want, t)
}

// Deviation returns the largest relative error of got against want, as Compare counts it, and the tolerance that
// Compare takes. Both are 0 for integers and for buffers that cannot be compared.
func Deviation(got, want []byte, t invocations.ElementType, tolerance float64) (largest, taken float64) {
	size := int(t.Size())
	if !t.Float() || len(got) != len(want) || len(got)%size != 0 {
		return 0, 0
	}
	if !(tolerance > 0) {
		tolerance = DefaultTolerance(t)
	}
	if bytes.Equal(got, want) {
		return 0, tolerance
	}
	scale := meanMagnitude(want, t)
	for i := 0; i < len(got); i += size {
		largest = max(largest, relativeError(FloatAt(got[i:], t), FloatAt(want[i:], t), scale))
	}
	return largest, tolerance
}

func compareIntegers(got, want []byte, t invocations.ElementType) string {
	size := int(t.Size())
	differ, first := 0, -1
	var largest uint64
	for i := range len(got) / size {
		g, w := integerAt(got[i*size:], t), integerAt(want[i*size:], t)
		if g == w {
			continue
		}
		if differ++; first < 0 {
			first = i
		}
		difference := w - g // wraps around to the distance if g is the smaller one
		if unsigned(t) && g > w || !unsigned(t) && int64(g) > int64(w) {
			difference = g - w
		}
		largest = max(largest, difference)
	}
	show := func(b []byte) string {
		if unsigned(t) {
			return fmt.Sprint(integerAt(b[first*size:], t))
		}
		return fmt.Sprint(int64(integerAt(b[first*size:], t)))
	}
	return fmt.Sprintf("%d of %d elements differ; the first is element %d: got %s, want %s; largest difference %d",
		differ, len(got)/size, first, show(got), show(want), largest)
}

func unsigned(t invocations.ElementType) bool {
	switch t {
	case invocations.Bool, invocations.Uint8, invocations.Uint16, invocations.Uint32, invocations.Uint64:
		return true
	}
	return false
}

// integerAt returns the first element of b, sign-extended for signed types.
func integerAt(b []byte, t invocations.ElementType) uint64 {
	switch t {
	case invocations.Int8:
		return uint64(int8(b[0]))
	case invocations.Int16:
		return uint64(int16(binary.LittleEndian.Uint16(b)))
	case invocations.Int32:
		return uint64(int32(binary.LittleEndian.Uint32(b)))
	case invocations.Uint16:
		return uint64(binary.LittleEndian.Uint16(b))
	case invocations.Uint32:
		return uint64(binary.LittleEndian.Uint32(b))
	case invocations.Int64, invocations.Uint64:
		return binary.LittleEndian.Uint64(b)
	}
	return uint64(b[0])
}

func compareFloats(got, want []byte, t invocations.ElementType, tolerance float64) string {
	if !(tolerance > 0) {
		tolerance = DefaultTolerance(t)
	}
	size := int(t.Size())
	scale := meanMagnitude(want, t)
	differ, first, largest := 0, -1, 0.0
	for i := range len(got) / size {
		e := relativeError(FloatAt(got[i*size:], t), FloatAt(want[i*size:], t), scale)
		if e <= tolerance {
			continue
		}
		if differ++; first < 0 {
			first = i
		}
		largest = max(largest, e)
	}
	if differ == 0 {
		return ""
	}
	return fmt.Sprintf(
		"%d of %d elements differ; the first is element %d: got %s, want %s; largest relative error %.3g, tolerance %g",
		differ,
		len(got)/size,
		first,
		floatText(got[first*size:], t),
		floatText(want[first*size:], t),
		largest,
		tolerance,
	)
}

// floatText returns the first element of b in the fewest digits that distinguish it from its neighbours in float32 or
// float64.
func floatText(b []byte, t invocations.ElementType) string {
	bits := 32
	if t == invocations.Float64 {
		bits = 64
	}
	return strconv.FormatFloat(FloatAt(b, t), 'g', -1, bits)
}

// relativeError returns |got-want| over max(|want|, scale). It is 0 for equal values, two NaN included, and infinite if
// only one value is finite.
func relativeError(got, want, scale float64) float64 {
	switch {
	case got == want, math.IsNaN(got) && math.IsNaN(want):
		return 0
	case math.IsNaN(got), math.IsNaN(want), math.IsInf(got, 0), math.IsInf(want, 0):
		return math.Inf(1)
	}
	return math.Abs(got-want) / max(math.Abs(want), scale)
}

// meanMagnitude returns the mean of |x| over the finite elements, or 0 if there are none. It is updated element by
// element, because the sum of large values can overflow.
func meanMagnitude(b []byte, t invocations.ElementType) float64 {
	mean, n := 0.0, 0.0
	for size := int(t.Size()); len(b) > 0; b = b[size:] {
		if x := math.Abs(FloatAt(b, t)); x <= math.MaxFloat64 {
			n++
			mean += (x - mean) / n
		}
	}
	return mean
}

// FloatAt returns the exact first element of b, which holds little-endian elements of a floating-point type.
func FloatAt(b []byte, t invocations.ElementType) float64 {
	switch t {
	case invocations.Float16:
		return float64(Float16ToFloat32(binary.LittleEndian.Uint16(b)))
	case invocations.BFloat16:
		return float64(BFloat16ToFloat32(binary.LittleEndian.Uint16(b)))
	case invocations.Float32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	if f, known := floats8[t]; known {
		return f.toFloat64(b[0])
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b))
}
