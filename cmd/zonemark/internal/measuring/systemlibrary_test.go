package measuring

import (
	"os"
	"path/filepath"
	"testing"
)

// A library of the system is found by its name, without or with its version. Scripts for linkers are left out.
func TestSystemLibrary(t *testing.T) {
	program, err := os.Executable() // it has the format of libraries
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, name := range []string{"libz.so.1", "libm.so.6", "other.so"} {
		if err := os.Symlink(program, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"libm.so", "libx.so.2"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("/* GNU ld script */"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for word, want := range map[string]string{
		"libz.so.1": "libz.so.1", "libz": "libz.so.1", "libm": "libm.so.6", "libm.so": "libm.so.6", "libx": "", "other": "",
		"other.so": "", "./libz": "", "lib*": "",
	} {
		if want != "" {
			want = filepath.Join(folder, want)
		}
		if got := systemLibrary(word, []string{t.TempDir(), folder}); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}
