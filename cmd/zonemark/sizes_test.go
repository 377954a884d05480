package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mostLines is how many lines a package may have, tests aside.
const mostLines = 3000

func TestPackageSizes(t *testing.T) {
	lines := map[string]int{}
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && (name == "testdata" || name == ".git"):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		lines[filepath.Dir(path)] += bytes.Count(text, []byte("\n"))
		return err
	})
	if err != nil || lines["../../driver"] == 0 {
		t.Fatalf("%d packages: %v", len(lines), err)
	}
	for name, n := range lines {
		if n > mostLines {
			t.Errorf("%s has %d lines; divide it by what its parts are about", name, n)
		}
	}
}
