package values

import (
	"strings"
	"testing"

	"zonemark/invocations"
)

// npyOf returns a .npy file with an array of one dimension.
func npyOf(descr, data string) string {
	size := int(descr[2] - '0')
	header := "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + string(rune('0'+len(data)/size)) + ",), }\n"
	return magic + "\x01\x00" + string([]byte{byte(len(header)), 0}) + header + data
}

// Integers of the other sign are taken if every value is one of the argument's type: char is signed here, and the bytes
// of texts are unsigned in NumPy.
func TestOtherSign(t *testing.T) {
	for _, c := range []struct {
		descr, data string
		element     invocations.ElementType
		wrong       string // part of the error
	}{
		{"|u1", "text", invocations.Int8, ""},
		{"|i1", "text", invocations.Uint8, ""},
		{"<u2", "\xff\x7f", invocations.Int16, ""},
		{"|u1", "te\xfct", invocations.Int8, "element 2 is not in the range of int8"},
		{"<i2", "\x01\x00\xff\xff", invocations.Uint16, "element 1 is not in the range of uint16"},
		{"<u2", "text", invocations.Int8, "does not hold"},
	} {
		file := npyOf(c.descr, c.data)
		dst := make([]byte, len(c.data))
		err := readNPY(dst, c.element, strings.NewReader(file), int64(len(file)), false)
		switch {
		case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
			t.Errorf("%s as %s: %v, want %q", c.descr, c.element, err, c.wrong)
		case c.wrong == "" && (err != nil || string(dst) != c.data):
			t.Errorf("%s as %s: %q, %v", c.descr, c.element, dst, err)
		}
	}
}
