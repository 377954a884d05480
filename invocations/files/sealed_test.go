package files

import (
	"os"
	"path/filepath"
	"testing"
)

// A file of a cache that was changed, cut off or made by others is not taken.
func TestSealed(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "built.so")
	place := func() {
		t.Helper()
		finished := filepath.Join(folder, "finished")
		if err := os.WriteFile(finished, []byte("the code"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := PlaceSealed(finished, path, 0o755); err != nil || !Intact(path) {
			t.Fatalf("%v, intact %v", err, Intact(path))
		}
	}
	for name, damage := range map[string]func() error{
		"another content":   func() error { return os.WriteFile(path, []byte("the cods"), 0o755) },
		"cut off":           func() error { return os.Truncate(path, 3) },
		"gone":              func() error { return os.Remove(path) },
		"without a hash":    func() error { return os.Remove(path + sealSuffix) },
		"with another hash": func() error { return os.WriteFile(path+sealSuffix, []byte("00"), 0o644) },
	} {
		place()
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if Intact(path) {
			t.Errorf("%s: it is taken", name)
		}
	}
	place() // over what is damaged
}
