package bundle

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// written writes a bundle with two files and returns its path, and the paths of the files.
func written(t testing.TB) (path string, kept []string, digest string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"a.so", filepath.Join("deep", "b.npy")} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("contents of "+name), 0o644); err != nil {
			t.Fatal(err)
		}
		kept = append(kept, file)
	}
	path = filepath.Join(dir, "run.zonemark")
	digest, err := Write(path, Source{Build: "v1", Journal: []byte("{}\n"), Plan: []byte("[]"), Files: append(kept, kept[0])})
	if err != nil {
		t.Fatal(err)
	}
	return path, kept, digest
}

const room = 1 << 20

// What was put into a bundle comes out of it.
func TestRoundTrip(t *testing.T) {
	path, kept, digest := written(t)
	b, err := Open(path, room)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	journal, err := b.Journal()
	if err != nil || string(journal) != "{}\n" || b.Build != "v1" || b.Digest != digest {
		t.Errorf("journal %q, build %q, digest %s: %v", journal, b.Build, b.Digest, err)
	}
	plan, err := b.Plan()
	if err != nil || string(plan) != "[]" {
		t.Errorf("plan %q: %v", plan, err)
	}
	folder := t.TempDir()
	if err := b.Unpack(folder); err != nil {
		t.Fatal(err)
	}
	for _, file := range kept {
		want, _ := os.ReadFile(file)
		got, err := os.ReadFile(PathIn(folder, file))
		if err != nil || !bytes.Equal(got, want) || !b.Has(file) {
			t.Errorf("%s: %q, %v", file, got, err)
		}
	}
	if b.Has(path) {
		t.Error("the bundle claims to hold itself")
	}
	if rel, err := filepath.Rel(filepath.Dir(PathIn(folder, kept[0])), PathIn(folder, kept[1])); err != nil ||
		rel != filepath.Join("deep", "b.npy") {
		t.Errorf("the files lie %s apart: %v", rel, err)
	}
}

// A folder or a missing file is no part of a bundle, and leaves none.
func TestUnfitFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	for _, file := range []string{dir, filepath.Join(dir, "none")} {
		if _, err := Write(path, Source{Files: []string{file}}); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", file, err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Error("half a bundle was left")
		}
	}
}

// rewrite copies a bundle, with entries that change returns; nil leaves one out.
func rewrite(t *testing.T, path string, change func(name string, text []byte) ([]byte, string), more map[string]string) string {
	t.Helper()
	in, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	add := func(name string, text []byte) {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write(text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range in.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if text, name := change(f.Name, text); text != nil {
			add(name, text)
		}
	}
	for name, text := range more {
		add(name, []byte(text))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(t.TempDir(), "changed")
	if err := os.WriteFile(changed, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return changed
}

func same(name string, text []byte) ([]byte, string) { return text, name }

// Whatever is changed in a bundle is noticed before it is used.
func TestTampered(t *testing.T) {
	path, kept, _ := written(t)
	manifest := func(edit func(*Manifest)) func(string, []byte) ([]byte, string) {
		return func(name string, text []byte) ([]byte, string) {
			if name == manifestName {
				var m Manifest
				if err := json.Unmarshal(text, &m); err != nil {
					t.Fatal(err)
				}
				edit(&m)
				text, _ = json.Marshal(m)
			}
			return text, name
		}
	}
	for what, c := range map[string]struct {
		path, want string
	}{
		"other contents": {rewrite(t, path, func(name string, text []byte) ([]byte, string) {
			return bytes.ReplaceAll(text, []byte("contents of a.so"), []byte("contents of b.so")), name
		}, nil), "has the hash"},
		"another journal": {rewrite(t, path, func(name string, text []byte) ([]byte, string) {
			return bytes.ReplaceAll(text, []byte("{}\n"), []byte("[]\n")), name
		}, nil), "has the hash"},
		"a longer file": {rewrite(t, path, func(name string, text []byte) ([]byte, string) {
			if strings.HasSuffix(name, "a.so") {
				text = append(text, 'x')
			}
			return text, name
		}, nil), "and the manifest says"},
		"a missing file": {rewrite(t, path, func(name string, text []byte) ([]byte, string) {
			if strings.HasSuffix(name, "a.so") {
				return nil, ""
			}
			return text, name
		}, nil), "the manifest lists"},
		"one more file":  {rewrite(t, path, same, map[string]string{"files/x": "x"}), "the manifest lists"},
		"no manifest":    {rewrite(t, path, func(n string, b []byte) ([]byte, string) { return b, n + ".x" }, nil), "no manifest"},
		"a way out":      {rewrite(t, path, same, map[string]string{"../x": "x"}), "a name that a bundle cannot have"},
		"an absolute":    {rewrite(t, path, same, map[string]string{"/x": "x"}), "a name that a bundle cannot have"},
		"a folder":       {rewrite(t, path, same, map[string]string{"files/x/": ""}), "a name that a bundle cannot have"},
		"a later format": {rewrite(t, path, manifest(func(m *Manifest) { m.Version = 9 }), nil), "a bundle of version 9"},
		"another format": {rewrite(t, path, manifest(func(m *Manifest) { m.Format = "x" }), nil), "not a bundle"},
		"a false size":   {rewrite(t, path, manifest(func(m *Manifest) { m.Entries[0].Size = -1 }), nil), "the manifest says -1"},
		"no zip":         {kept[0], "not a bundle"},
	} {
		b, err := Open(c.path, room)
		if err == nil {
			_, err = b.Journal()
			if err == nil {
				err = b.Unpack(t.TempDir())
			}
			b.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.path) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
	if _, err := Open(path, 10); err == nil || !strings.Contains(err.Error(), "--max-size") {
		t.Errorf("a bundle beyond the limit: %v", err)
	}
}

// Whatever a file holds, opening and unpacking it ends, and writes nothing outside of the folder.
func FuzzOpen(f *testing.F) {
	path, _, _ := written(f)
	text, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte("PK\x05\x06"))
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		path := filepath.Join(dir, "in")
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		b, err := Open(path, 1<<16)
		if err != nil {
			return
		}
		defer b.Close()
		inside := filepath.Join(dir, "out")
		_ = b.Unpack(inside) // either result is fine
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) > 2 {
			t.Fatalf("%d entries: %v", len(entries), err)
		}
	})
}
