package cachedir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"zonemark/invocations/environ"
)

func TestUnpack(t *testing.T) {
	home := t.TempDir()
	cache := Of(environ.OfProcess().With("ZONEMARK_HOME=" + home))
	shipped := fstest.MapFS{"zonemark/__init__.py": {Data: []byte("x")}, "zonemark/models/bert.py": {Data: []byte("y")}}
	unpacked := func() int {
		entries, err := os.ReadDir(filepath.Join(home, "models"))
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	folder, err := cache.Unpack("models", shipped)
	if err != nil {
		t.Fatal(err)
	}
	bert := filepath.Join(folder, "zonemark", "models", "bert.py")
	if text, err := os.ReadFile(bert); err != nil || string(text) != "y" {
		t.Errorf("%q, %v", text, err)
	}
	if again, err := cache.Unpack("models", shipped); err != nil || again != folder || unpacked() != 1 {
		t.Errorf("%s, %v", again, err)
	}
	shipped["zonemark/models/bert.py"].Data = []byte("z")
	if other, err := cache.Unpack("models", shipped); err != nil || other == folder || unpacked() != 2 {
		t.Errorf("%s, %v", other, err)
	}
	if _, err := Of(environ.OfProcess().With("ZONEMARK_HOME="+bert)).Unpack("models", shipped); err == nil ||
		!strings.Contains(err.Error(), "ZONEMARK_HOME") {
		t.Errorf("error %v", err)
	}
}
