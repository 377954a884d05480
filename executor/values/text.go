package values

import (
	"strconv"

	"zonemark/invocations"
)

// Text returns the first element of b, little-endian and of type t, as a decimal number that reads back as the same
// element. It returns "" if b is too short.
func Text(b []byte, t invocations.ElementType) string {
	size := t.Size()
	switch {
	case size == 0 || int64(len(b)) < size:
		return ""
	case t.Float():
		return floatText(b, t)
	case unsigned(t):
		return strconv.FormatUint(integerAt(b, t), 10)
	}
	return strconv.FormatInt(int64(integerAt(b, t)), 10)
}
