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

	"zonemark/driver/setup/pip"
	"zonemark/invocations/testsize"
)

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
	if wrong := pip.BrokenPackages(folder, environmentFolder); wrong != "" {
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
	if wrong := pip.BrokenPackages(folder, environmentFolder); wrong != found[0]+" has been changed since it was installed" {
		t.Errorf("a changed byte: %q", wrong)
	}
	if err := os.WriteFile(found[0], text, 0o644); err != nil {
		t.Fatal(err)
	}
	if wrong := pip.BrokenPackages(folder, environmentFolder); wrong != "" {
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
	if wrong := pip.BrokenPackages(folder, environmentFolder); !strings.Contains(wrong, "is not in "+folder) {
		t.Errorf("a file elsewhere: %q", wrong)
	}
}
