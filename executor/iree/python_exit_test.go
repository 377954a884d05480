package iree

import "testing"

// An executor that has nothing to wait for returns and ends in its own way. The other case ends this process and is
// tested with a capture.
func TestExitWithoutTracy(t *testing.T) {
	for _, in := range []Installation{{}, {Tracy: true}, {LibPython: "/nowhere/libpython.so"}} {
		if err := in.Exit(1); err != nil {
			t.Errorf("%+v: %v", in, err)
		}
	}
	if err := (Installation{Tracy: true, LibPython: "/nowhere/libpython.so"}).Exit(1); err == nil {
		t.Error("a shared library that is gone gave no error")
	}
}
