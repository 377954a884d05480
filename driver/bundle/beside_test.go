package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/testneeds"
)

// Files that an artifact names itself are taken from its folder only, whatever leads out of it.
func TestBeside(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }
	for _, name := range []string{"p/k.hat", "p/k.so", "p/sub/more.so", "cache/built.hat", "cache/built.so",
		"built/x/y.vmfb", "secret"} {
		if err := os.MkdirAll(filepath.Dir(in(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(in(name), []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"p/link.so": "../secret", "p/up": "..", "p/inside.so": "k.so",
		"elsewhere.hat": "p/k.hat", "q": "p"} {
		if err := os.Symlink(target, in(link)); err != nil {
			testneeds.Missing(t, err) // Windows wants a right for links
		}
	}
	for _, c := range []struct {
		path, built, names string
		kept               bool
	}{
		{"p/k.hat", "", "p/k.so", true},
		{"p/k.hat", "", "p/sub/more.so", true},
		{"p/k.hat", "", "p/inside.so", true},
		{"q/k.hat", "", "q/k.so", true},
		{"elsewhere.hat", "", "p/k.so", true},
		{"p/k.hat", "cache/built.hat", "cache/built.so", true},
		{"p/k.hat", "cache/built.hat", "p/k.so", true},
		{"p/k.hat", "", "p/none.so", true}, // whoever reads it says so
		{"p/k.hat", "", "built/x/y.vmfb", true},
		{"p/k.hat", "", "secret", false},
		{"p/k.hat", "", "p/link.so", false},
		{"p/k.hat", "", "p/up/secret", false},
		{"p/k.hat", "cache/built.hat", "secret", false},
	} {
		inv := &invocations.Invocation{Artifact: invocations.Artifact{Path: in(c.path)}}
		if c.built != "" {
			inv.Artifact.Built = in(c.built)
		}
		err := Beside(inv, in(c.path), []string{in(c.names)}, in("built"))
		if c.kept != (err == nil) || err != nil && !strings.Contains(err.Error(), in(c.names)) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if err := Beside(&invocations.Invocation{}, "k.hat", []string{"/etc/passwd"}, in("built")); err == nil {
		t.Error("a file of the machine is taken along")
	}
}
