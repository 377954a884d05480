//go:build amd64 || arm64

package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// spoilers put something else where a folder shall be. elsewhere is a folder outside.
func spoilers(elsewhere string) map[string]func(path string) error {
	return map[string]func(path string) error{
		"nothing":              func(string) error { return nil },
		"a file":               func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) },
		"a link":               func(path string) error { return os.Symlink(elsewhere, path) },
		"a link to nowhere":    func(path string) error { return os.Symlink(path+".none", path) },
		"a folder without way": func(path string) error { return os.Mkdir(path, 0) },
	}
}

// A folder is there whatever native code has put in its place, and a link leads nowhere else.
func TestOwnFolder(t *testing.T) {
	for name, spoil := range spoilers(t.TempDir()) {
		path := filepath.Join(t.TempDir(), "home")
		if err := spoil(path); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := ownFolder(path); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if info, err := os.Lstat(path); err != nil || !info.IsDir() || info.Mode()&0o700 != 0o700 {
				t.Errorf("%s: %v, %v", name, info, err)
			}
			if err := os.WriteFile(filepath.Join(path, "kept"), nil, 0o600); err != nil {
				t.Error(err)
			}
		}
		if entries, err := os.ReadDir(path); err != nil || len(entries) != 1 {
			t.Errorf("%s: %v, %v", name, entries, err)
		}
	}
	if err := ownFolder(filepath.Join(t.TempDir(), "none", "home")); err == nil {
		t.Error("a folder in no folder")
	}
}

// A scratch folder that native code has closed is opened again.
func TestRegainScratch(t *testing.T) {
	for _, mode := range []os.FileMode{0, 0o500, 0o700, 0o755} {
		path := filepath.Join(t.TempDir(), "scratch")
		if err := os.Mkdir(path, mode); err != nil {
			t.Fatal(err)
		}
		if err := regainScratch(path); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode()&0o700 != 0o700 {
			t.Errorf("%v: %v, %v", mode, info, err)
		}
	}
	if err := regainScratch(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("there is none")
	}
}

// Whatever one executor leaves in the scratch folder, the next one starts with all layers.
func TestSpoiledScratch(t *testing.T) {
	machineHas(t, Device.Layers()...)
	for _, uid := range users() {
		for _, profile := range Profiles() {
			for name := range spoilers("") {
				w := newWorkplace(t, uid)
				s := w.spec(uid)
				s.Options.Profile, s.Options.Mode = profile, Require
				for _, folder := range []string{"tmp", "home"} {
					path := filepath.Join(w.scratch, folder)
					if err := spoilers(w.outside)[name](path); err != nil {
						t.Fatal(err)
					}
					if os.Getuid() == 0 {
						_ = os.Lchown(path, uid, uid) // it may not be there
					}
				}
				c, err := tryStart(t, s)
				if err != nil {
					t.Errorf("uid %d, profile %s, %s: %v", uid, profile, name, err)
					continue
				}
				if !slices.Equal(c.State.Active.Layers, profile.Layers()) {
					t.Errorf("uid %d, profile %s, %s: %v", uid, profile, name, c.State.Active.Layers)
				}
				if got := c.do(t, "write scratch"); got != "ok" {
					t.Errorf("uid %d, profile %s, %s: %s", uid, profile, name, got)
				}
				if info, err := os.Lstat(temporaryFolder(w.scratch)); err != nil || !info.IsDir() {
					t.Errorf("uid %d, profile %s, %s: %v, %v", uid, profile, name, info, err)
				}
			}
		}
	}
}
