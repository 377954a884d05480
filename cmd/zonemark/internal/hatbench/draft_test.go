package hatbench

import (
	"context"
	"os"
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
	text, _, err := Draft(context.Background(), source, map[string]string{csource.OptionCFlags: "-O3"}, os.Getenv, building.Workshop{})
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
	text, remarks, err := Draft(context.Background(), cfunctiontest.WriteKernels(t, cfunctiontest.Kernels), nil, os.Getenv, building.Workshop{})
	if err != nil || !strings.Contains(text, "\nlink_target = \"kernels.so\"\n") ||
		!strings.Contains(remarks, "kernels.c includes width.h") {
		t.Errorf("%s\n%s\n%v", text, remarks, err)
	}
}
