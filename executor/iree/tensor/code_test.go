package tensor

import (
	"testing"

	"zonemark/invocations"
)

func TestCodes(t *testing.T) {
	for _, element := range invocations.ElementTypes() {
		code, known := Code(element)
		if back, ok := OfCode(code); !known || !ok || back != element {
			t.Errorf("%s has the code %#x, which is that of %q", element, code, back)
		}
		bits := int64(code & 0xff)
		if bits != 8*element.Size() {
			t.Errorf("%s: the code %#x has %d bits", element, code, bits)
		}
	}
	if e, ok := OfCode(0x11000020); !ok || e != invocations.Int32 {
		t.Errorf("a signed integer of 32 bits is %q", e)
	}
	for _, code := range []uint32{0, 0x23000040, 0x10000004, 0x20, 0xffffffff} { // none, complex, 4 bits, opaque
		if e, ok := OfCode(code); ok {
			t.Errorf("%#x is %s", code, e)
		}
	}
	if c, ok := Code("complex64"); ok {
		t.Errorf("complex64 has the code %#x", c)
	}
}
