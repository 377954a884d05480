package values

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/invocations"
)

// A .npy file may hold several arrays, one behind the other. Contents name one of them by its position.
func TestSeveralArrays(t *testing.T) {
	first := npyFile(1, dictionary("<f4", "False", "(2,)"), make([]byte, 8))
	second := npyFile(2, dictionary("|u1", "False", "(3,)"), []byte{1, 2, 3})
	path := filepath.Join(t.TempDir(), "two.npy")
	write := func(parts ...[]byte) invocations.Contents {
		t.Helper()
		if err := os.WriteFile(path, slices.Concat(parts...), 0o600); err != nil {
			t.Fatal(err)
		}
		return invocations.Contents{Fill: invocations.FillFile, Path: path}
	}
	two := write(first, second)
	if n, err := NPYArrays(path); n != 2 || err != nil {
		t.Errorf("%d arrays, %v", n, err)
	}
	if err := Fill(make([]byte, 8), invocations.Float32, two, 0); err == nil || !strings.Contains(err.Error(), "several arrays") {
		t.Errorf("a file of two without a position: %v", err)
	}
	two.Value = "1"
	dst := make([]byte, 3)
	if err := Fill(dst, invocations.Uint8, two, 0); err != nil || !slices.Equal(dst, []byte{1, 2, 3}) {
		t.Errorf("%v, %v", dst, err)
	}
	if element, shape, err := FileType(two); err != nil || element != invocations.Uint8 || !slices.Equal(shape, []int64{3}) {
		t.Errorf("%s %v, %v", element, shape, err)
	}
	two.Value = "0"
	if err := Fill(make([]byte, 8), invocations.Float32, two, 0); err != nil {
		t.Error(err)
	}
	two.Value = "2"
	if err := Fill(dst, invocations.Uint8, two, 0); err == nil || !strings.Contains(err.Error(), "the file has 2 arrays") {
		t.Errorf("a third array: %v", err)
	}
	for name, parts := range map[string][][]byte{
		"ends within the data": {first[:len(first)-1]},
		"not a .npy file":      {first, []byte("and so on")},
		"not supported":        {npyFile(1, dictionary("<U3", "False", "(2,)"), make([]byte, 24))},
	} {
		write(parts...)
		if _, err := NPYArrays(path); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("want %q: %v", name, err)
		}
	}
}

// A file that is, by name and first bytes, no .npy file is the bytes of an argument, and has no type.
func TestRawFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bin")
	if err := os.WriteFile(path, []byte{1, 0, 2, 0}, 0o600); err != nil {
		t.Fatal(err)
	}
	c, dst := invocations.Contents{Fill: invocations.FillFile, Path: path}, make([]byte, 4)
	if err := Fill(dst, invocations.Int16, c, 0); err != nil || !slices.Equal(dst, []byte{1, 0, 2, 0}) {
		t.Errorf("%v, %v", dst, err)
	}
	if err := Fill(make([]byte, 6), invocations.Int16, c, 0); err == nil ||
		!strings.Contains(err.Error(), "has 4 bytes, and the argument takes 6") {
		t.Error(err)
	}
	if _, _, err := FileType(c); err == nil || !strings.Contains(err.Error(), "write type and shape before it") {
		t.Error(err)
	}
	if err := os.WriteFile(path, npyFile(1, dictionary("<i2", "False", "(2,)"), []byte{1, 0, 2, 0}), 0o600); err != nil {
		t.Fatal(err)
	}
	if element, _, err := FileType(c); err != nil || element != invocations.Int16 {
		t.Errorf("a .npy file of another name: %s, %v", element, err)
	}
}
