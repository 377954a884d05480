package hatbench

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/executor/cfunction/cfunctiontest"
	"zonemark/executor/csource"
	"zonemark/executor/hat"
	"zonemark/invocations/building"
)

// A draft is a package that other tools read, and it describes the same functions.
func TestDraft(t *testing.T) {
	source := cfunctiontest.WriteKernels(t, strings.ReplaceAll(strings.ReplaceAll(cfunctiontest.Kernels, `#include "width.h"`, ""), "WIDTH", "4"))
	text, _, err := Draft(context.Background(), source, filepath.Dir(source), map[string]string{csource.OptionCFlags: "-O3"}, os.Getenv, building.Workshop{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, "\n# not described: shapeless: kernels.c:21:23: x has no shape") {
		t.Errorf("the draft does not say what it leaves out:\n%s", text)
	}
	path := strings.TrimSuffix(source, ".c") + ".hat"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	list, err := hat.Runtime{}.Describe(path, executor.DescribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	described, err := csource.Runtime{}.Describe(source, executor.DescribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	direct := described[0]
	for i, f := range list[0].Functions {
		if f.Name != direct.Functions[i].Name || f.Signature != direct.Functions[i].Signature || f.Note != "" {
			t.Errorf("%+v\nnot as the C file says: %+v", f, direct.Functions[i])
		}
	}
	if len(list[0].Functions) != 4 {
		t.Errorf("%d functions, want 4", len(list[0].Functions))
	}
	if _, err := (hat.Runtime{}).Build(context.Background(), list[0].Artifact, building.Workshop{Cache: t.TempDir()}); err != nil {
		t.Errorf("the draft does not build: %v", err)
	}
}

// The source of a package is compiled alone, so the package of a source that includes others names a library.
func TestDraftOfSeveralFiles(t *testing.T) {
	source := cfunctiontest.WriteKernels(t, cfunctiontest.Kernels)
	text, remarks, err := Draft(context.Background(), source, filepath.Dir(source), nil, os.Getenv, building.Workshop{})
	if err != nil || !strings.Contains(text, "\nlink_target = \"kernels.so\"\n") ||
		!strings.Contains(remarks, "kernels.c includes width.h") {
		t.Errorf("%s\n%s\n%v", text, remarks, err)
	}
}

// A package in another folder, also one behind a symbolic link, names a file that is there.
func TestDraftElsewhere(t *testing.T) {
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	deep, link := filepath.Join(folder, "a", "b"), filepath.Join(folder, "link")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(folder, "one.c")
	if err := os.WriteFile(source, []byte("void one(float x[4]) { x[0] = 1; }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	targets := map[string]string{folder: "one.c", deep: "../../one.c"}
	if err := os.Symlink(deep, link); err == nil { // Windows may forbid it
		targets[link] = filepath.ToSlash(source)
	}
	for at, want := range targets {
		text, _, err := Draft(context.Background(), source, at, nil, os.Getenv, building.Workshop{})
		if err != nil || !strings.Contains(text, "\nlink_target = \""+want+"\"\n") {
			t.Errorf("%s: %v\n%s", at, err, text)
			continue
		}
		path := filepath.Join(at, "two.hat")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		list, err := hat.Runtime{}.Describe(path, executor.DescribeOptions{})
		if err == nil {
			_, err = hat.Runtime{}.Build(context.Background(), list[0].Artifact, building.Workshop{Cache: t.TempDir()})
		}
		if err != nil {
			t.Errorf("%s: %v", at, err)
		}
	}
	if _, _, err := Draft(context.Background(), source, filepath.Join(folder, "none"), nil, os.Getenv, building.Workshop{}); err == nil {
		t.Error("a folder that is not there")
	}
}
