package functions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/invocations"
)

// TestDynamicFromFile takes the shape that a module leaves open from the file that fills it.
func TestDynamicFromFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }"
	file := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), 0)
	file = append(append(file, header...), make([]byte, 48)...)
	if err := os.WriteFile(path, file, 0o644); err != nil {
		t.Fatal(err)
	}
	for extent, want := range map[string]string{
		"?x4": "",
		"*":   "",
		"?x5": "its type is ?x5xf32",
		"?":   "its type is ?xf32",
	} {
		a := invocations.Argument{
			Element:  invocations.Float32,
			Extent:   extent,
			Contents: invocations.Contents{Fill: invocations.FillFile, Path: path},
		}
		got, err := fillInput(&a, 0)
		switch {
		case want == "" && (err != nil || got.Type() != "3x4xf32"):
			t.Errorf("%s: %s, %v", extent, got.Type(), err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", extent, err, want)
		}
	}
}
