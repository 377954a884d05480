package commits

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The commit of a folder is found as Git keeps it: by itself, in a branch, in a packed branch, and in a work tree.
func TestOf(t *testing.T) {
	hash := strings.Repeat("0123456789", 4)
	for name, files := range map[string]map[string]string{
		"detached":  {".git/HEAD": hash + "\n"},
		"a branch":  {".git/HEAD": "ref: refs/heads/a/b\n", ".git/refs/heads/a/b": hash + "\n"},
		"packed":    {".git/HEAD": "ref: refs/heads/a\n", ".git/packed-refs": "# pack\n" + hash + " refs/heads/a\n"},
		"work tree": {".git": "gitdir: ../git\n", "../git/HEAD": "ref: refs/heads/a\n", "../git/commondir": "../common\n", "../common/refs/heads/a": hash},
		"unborn":    {".git/HEAD": "ref: refs/heads/a\n"},
		"damaged":   {".git/HEAD": "../../etc/passwd\n"},
		"a file":    {".git": "nothing"},
	} {
		top := filepath.Join(t.TempDir(), "top")
		for file, text := range files {
			path := filepath.Join(top, filepath.FromSlash(file))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		below := filepath.Join(top, "x", "y")
		if err := os.MkdirAll(below, 0o755); err != nil {
			t.Fatal(err)
		}
		want := hash
		if name == "unborn" || name == "damaged" || name == "a file" {
			want = ""
		}
		if got := Of(below); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
