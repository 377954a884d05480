package cli

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCheckExists(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "there.csv")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"old.ndjson", "two.a", "two.b"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	old, mistyped, two := filepath.Join(folder, "old"), filepath.Join(folder, "olt.ndjson"), filepath.Join(folder, "two")
	missing, below := filepath.Join(folder, "nowhere.csv"), filepath.Join(file, "below.csv")
	for path, want := range map[string]string{
		file: "", folder: "",
		old:      old + ": there is no such file or folder; did you mean " + old + ".ndjson?",
		mistyped: mistyped + ": there is no such file or folder; did you mean " + old + ".ndjson?",
		two:      two + ": there is no such file or folder; name a sweep (.csv)",
		missing:  missing + ": there is no such file or folder; name a sweep (.csv)",
		below:    below + ": there is no such file or folder; name a sweep (.csv)",
	} {
		got := ""
		if err := CheckExists(path, "a sweep (.csv)"); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
