// Package statuses tells what a function has returned that may be a status, and whether that may say failure. It makes no
// calls.
package statuses

import (
	"fmt"
	"math"
	"strconv"

	"zonemark/invocations"
)

// Property is the key of Properties for what a call has returned that may be a status.
const Property = "returned"

// Returned is what a call has left in the registers of results. Of a C float, Float has the bits in its lower half.
type Returned struct{ Integer, Float uint64 }

// Of returns what a function of this type has returned, if that may be a status, and a note if that may say failure.
// pointer says that the type stands for an address.
func Of(t invocations.ElementType, pointer bool, r Returned) (value, note string) {
	above := 64 - 8*t.Size()
	switch t {
	case invocations.Int8, invocations.Int16, invocations.Int32, invocations.Int64:
		return ofSigned(int64(r.Integer)<<above>>above, t)
	case invocations.Uint32, invocations.Uint64:
		switch n := r.Integer << above >> above; {
		case pointer && n == 0:
			return "NULL", ifError("NULL", "that")
		case !pointer && n == math.MaxUint64>>above:
			value = strconv.FormatUint(n, 10)
			return value, ifError(value+", which is -1 without its sign", "that")
		}
	case invocations.Float32:
		return ofFloat(float64(math.Float32frombits(uint32(r.Float))))
	case invocations.Float64:
		return ofFloat(math.Float64frombits(r.Float))
	}
	return "", ""
}

// ofSigned tells of a signed integer. Statuses are of 32 bits; wider numbers are sizes and sums.
func ofSigned(n int64, t invocations.ElementType) (value, note string) {
	value = strconv.FormatInt(n, 10)
	switch {
	case n < 0:
		return value, ifError(value, "a negative number")
	case n > 0 && t == invocations.Int32:
		return value, "returned " + value
	case n > 0:
		return value, ""
	}
	return "", ""
}

// ofFloat tells of a floating-point number that is none, or exactly -1: other numbers are results.
func ofFloat(f float64) (value, note string) {
	value = strconv.FormatFloat(f, 'g', -1, 64)
	switch {
	case math.IsNaN(f), math.IsInf(f, 0):
		return value, "returned " + value + ": arithmetic with such numbers may take another time"
	case f == -1:
		return value, ifError(value, "that")
	}
	return "", ""
}

// ifError says what a returned value means for the time if it means an error.
func ifError(value, what string) string {
	return fmt.Sprintf("returned %s: if %s is an error, the time is that of failing calls; an expected output checks the "+
		"value", value, what)
}
