package pip

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
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
