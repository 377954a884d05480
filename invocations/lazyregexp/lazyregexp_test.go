package lazyregexp

import "testing"

func TestNew(t *testing.T) {
	digits := New(`^\d+$`)
	if first := digits(); !first.MatchString("12") || digits() != first {
		t.Error("the expression is not compiled once, or not at all")
	}
	invalid := New(`(`)
	defer func() {
		if recover() == nil {
			t.Error("an invalid expression does not panic")
		}
	}()
	invalid()
}
