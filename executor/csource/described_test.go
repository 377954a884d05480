package csource

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"zonemark/executor"
	"zonemark/executor/cfunction/cfunctiontest"
	"zonemark/invocations"
	"zonemark/invocations/building"
)

// TestBuildOfDescribed: what was described is built without starting the compiler again, even if the file has changed;
// a second build, and one with other options, read the file.
func TestBuildOfDescribed(t *testing.T) {
	folder, cache := t.TempDir(), t.TempDir()
	cfunctiontest.CC(t, folder, "--version") // skips without a compiler
	source, log := filepath.Join(folder, "one.c"), filepath.Join(folder, "log")
	compiler := filepath.Join(folder, "compiler")
	write := func(path, text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write(compiler, "#!/bin/sh\necho >>"+log+"\nexec cc \"$@\"\n", 0o755)
	write(source, "double one(double x) { return x; }\n", 0o644)
	runtime := New(func(name string) string { return map[string]string{"CC": compiler}[name] })
	options := map[string]string{OptionCFlags: "-O1"}
	descriptions, err := runtime.Describe(source, executor.DescribeOptions{Cache: cache, Options: options})
	if err != nil {
		t.Fatal(err)
	}
	starts := func() int {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Count(text, []byte{'\n'})
	}
	artifact := descriptions[0].Artifact
	artifact.Options = options
	build := func(a invocations.Artifact) (path string, started bool) {
		t.Helper()
		before := starts()
		path, err := runtime.Build(context.Background(), a, building.Workshop{Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		return path, starts() > before
	}
	write(source, "double one(double x) { return -x; }\n", 0o644)
	other := artifact
	other.Options = map[string]string{OptionCFlags: "-O2"}
	if _, started := build(other); !started {
		t.Error("with other options, the file was not read")
	}
	first, started := build(artifact)
	if started {
		t.Error("what was described was read again")
	}
	second, started := build(artifact)
	if !started {
		t.Error("the second build did not read the file")
	}
	libraries := func(path string) string {
		t.Helper()
		b, err := readBuilt(path)
		if err != nil {
			t.Fatal(err)
		}
		return b.Library
	}
	if libraries(first) == libraries(second) {
		t.Error("the changed file was built, not the one that was described")
	}
}

// TestDescribedIsBounded: the oldest reading is forgotten, and a file that is described again counts once.
func TestDescribedIsBounded(t *testing.T) {
	d := &described{}
	for i := range mostReadings + 1 {
		for range 2 {
			d.keep(reading{path: fmt.Sprint(i), file: &file{}})
		}
	}
	if len(d.list) != mostReadings || d.take("0", "", nil) != nil || d.take("1", "", nil) == nil ||
		d.take("1", "", nil) != nil {
		t.Errorf("%d readings, want %d without the oldest, each taken once", len(d.list), mostReadings)
	}
}
