package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestNamesOfRaceDetector checks that .ci/run names tests that there are: a name that nobody has would leave out nothing,
// or watch nothing.
func TestNamesOfRaceDetector(t *testing.T) {
	top := filepath.Join("..", "..")
	script, err := os.ReadFile(filepath.Join(top, ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	var tests []string
	for _, folder := range []string{"cmd", "driver", "executor", "invocations", "trace"} {
		err := filepath.WalkDir(filepath.Join(top, folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, declared := range strings.Split(string(text), "\nfunc Test")[1:] {
				name, _, _ := strings.Cut(declared, "(")
				tests = append(tests, "Test"+name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	list := regexp.MustCompile(`(?m)^(?:alone|runs|parts|verbs)\+?='(.*)'`).FindAllStringSubmatch(string(script), -1)
	if len(list) < 6 {
		t.Errorf("it names tests in %d lines, want at least 6", len(list))
	}
	for _, line := range list {
		for _, name := range regexp.MustCompile(`Test\w*(\(.*?\)|\.\*)?`).FindAllString(line[1], -1) {
			if !slices.ContainsFunc(tests, regexp.MustCompile("^"+name+"$").MatchString) {
				t.Errorf(".ci/run names %s, and no test has this name", name)
			}
		}
		for _, names := range regexp.MustCompile(`TestScripts\$/\^\((.*?)\)`).FindAllStringSubmatch(line[1], -1) {
			for _, name := range strings.Split(names[1], "|") {
				if _, err := os.Stat(filepath.Join("testdata", "script", name+".txtar")); err != nil {
					t.Errorf(".ci/run names the script %s: %v", name, err)
				}
			}
		}
	}
}
