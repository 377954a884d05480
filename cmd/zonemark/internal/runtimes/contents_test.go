package runtimes

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"zonemark/driver/filehash"
)

// helloHash is the hash of the contents of this test's files.
const helloHash = "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

func TestContents(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("hello"), 0o644); err != nil {
		t.Fatal(err)
	}
	contents := All().Contents(filehash.New("").SHA256)
	for _, c := range []struct{ option, value, want string }{
		{"plugin", file, helloHash},
		{"plugin", "cpu", "cpu"},
		{"plugin", "tt", "tt"},
		{"plugin", file + "gone", file + "gone"},
		{"simulator", file, helloHash},
		{"compile-options-file", file, helloHash},
		{"compile-options", file, file},
		{"device", file, file},
		{"parameter-files", file, helloHash},
		{"parameter-files", "model=" + file + ",x=gone," + file, "model=" + helloHash + ",x=gone," + helloHash},
		{"parameter-files", "", ""},
		{"source", file + ",gone.c," + file, helloHash + ",gone.c," + helloHash},
	} {
		given := map[string]string{c.option: c.value, "other": "value"}
		before := maps.Clone(given)
		got := contents(given)
		if want := map[string]string{c.option: c.want, "other": "value"}; !maps.Equal(got, want) ||
			!maps.Equal(given, before) {
			t.Errorf("%v: %v, want %v; the given map is %v now", before, got, want, given)
		}
	}
	if got := contents(nil); len(got) != 0 {
		t.Errorf("no options: %v", got)
	}
}
