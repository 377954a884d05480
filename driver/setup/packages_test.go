package setup

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/invocations/testsize"
)

const recordText = "pkg/__init__.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\r\n" +
	"\"a, b\",sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,7\npkg/__pycache__/x.pyc,,\n" +
	"pkg/__pycache__/y.pyc,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\npkg-1.dist-info/RECORD,,\n"

func TestParseRecord(t *testing.T) {
	list, err := parseRecord([]byte(recordText), "site")
	if err != nil || len(list) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	empty := fmt.Sprintf("%x", sha256.Sum256(nil))
	if f := list[0]; f.Path != filepath.Join("site", "pkg", "__init__.py") || f.SHA256 != empty || f.Bytes != 0 {
		t.Errorf("%+v", f)
	}
	if f := list[1]; f.Path != filepath.Join("site", "a, b") || f.Bytes != 7 {
		t.Errorf("%+v", f)
	}
	for text, want := range map[string]string{
		"x,sha256=AAAA,1\n":                         "line 1: \"sha256=AAAA\" is no hash",
		recordText + "x,y\n":                        "wrong number of fields",
		strings.Replace(recordText, ",7", ",-7", 1): "line 2: \"-7\" is no size",
	} {
		if _, err := parseRecord([]byte(text), "site"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzRecord(f *testing.F) {
	f.Add(recordText)
	f.Add("/etc/passwd,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,1\n../../x,sha256=,\n")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseRecord([]byte(text), "/site")
		for _, file := range list {
			if err == nil && (len(file.SHA256) != 64 || file.Bytes < 0 || !filepath.IsAbs(file.Path)) {
				t.Errorf("%+v", file)
			}
		}
	})
}

// TestBrokenPackages damages packages that pip has installed. In the large size, Python makes their environment anew.
func TestBrokenPackages(t *testing.T) {
	o := homeOf(t)
	interpreter := copyingPython
	if testsize.Large() {
		interpreter = basePython
	}
	one := makeWheel(t, "one")
	one.put(t, pipFrom(t, &o))
	c := pythonComponent(one.pin, interpreter(t))
	if _, err := ensure(context.Background(), o, c); err != nil {
		t.Fatal(err)
	}
	folder, err := c.Folder(o)
	if err != nil {
		t.Fatal(err)
	}
	if wrong := brokenPackages(folder); wrong != "" {
		t.Fatalf("as installed: %s", wrong)
	}
	site := filepath.Join(folder, environmentFolder, "[lL]ib", "*", "site-packages")
	found, err := filepath.Glob(filepath.Join(site, "one", "__init__.py"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	damaged := append([]byte("#"), text[1:]...)
	if err := os.WriteFile(found[0], damaged, 0o644); err != nil {
		t.Fatal(err)
	}
	if wrong := brokenPackages(folder); wrong != found[0]+" has been changed since it was installed" {
		t.Errorf("a changed byte: %q", wrong)
	}
	if err := os.WriteFile(found[0], text, 0o644); err != nil {
		t.Fatal(err)
	}
	if wrong := brokenPackages(folder); wrong != "" {
		t.Errorf("mended: %s", wrong)
	}
	// A record that names files elsewhere.
	sum := sha256.Sum256(text)
	line := fmt.Sprintf("../../../../../elsewhere,sha256=%s,%d\n", base64.RawURLEncoding.EncodeToString(sum[:]), len(text))
	records, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(found[0])), "one-*", "RECORD"))
	if err != nil || len(records) != 1 {
		t.Fatal(records, err)
	}
	if err := os.WriteFile(records[0], []byte(line), 0o644); err != nil {
		t.Fatal(err)
	}
	if wrong := brokenPackages(folder); !strings.Contains(wrong, "is not in "+folder) {
		t.Errorf("a file elsewhere: %q", wrong)
	}
}
