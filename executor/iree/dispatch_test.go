package iree

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"zonemark/executor"
)

func TestDescribeDispatches(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the sample modules hold code for x86-64")
	}
	o := executor.DescribeOptions{Options: map[string]string{OptionProvider: ProviderDispatch}, Cache: t.TempDir()}
	list, err := Runtime{}.Describe(sample("mlp.vmfb"), o)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	d := list[0]
	if len(d.Functions) != 3 || !strings.HasSuffix(d.Artifact.Built, "mlp.dispatches.json") || len(d.Warnings) != 0 {
		t.Fatalf("%+v", d)
	}
	if f := d.Functions[1]; f.Name != "mlp_dispatch_1_matmul_64x128x512_f32" || len(f.Parameters) != 2 ||
		len(f.Arguments) != 3 || f.Parameters[0].Default != "" || f.Note != "" {
		t.Errorf("%+v", f)
	}
	list, err = Runtime{}.Describe(sample("dynamic.vmfb"), o)
	if err != nil || len(list[0].Functions) != 2 || list[0].Artifact.Built != "" ||
		!strings.Contains(list[0].Functions[0].Note, "--param workgroups") || len(list[0].Warnings) != 1 {
		t.Errorf("without a plan: %+v, %v", list, err)
	}
}

// TestRecord records a module with IREE's tools and compares the plan with the one in testdata.
func TestRecord(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the module holds code for x86-64")
	}
	in := toolInstallation(t)
	folder := t.TempDir()
	data, err := os.ReadFile(sample("mlp.vmfb"))
	if err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(folder, "mlp.vmfb")
	if err := os.WriteFile(module, data, 0o644); err != nil {
		t.Fatal(err)
	}
	o := executor.DescribeOptions{
		Options: map[string]string{OptionProvider: ProviderDispatch},
		Cache:   filepath.Join(folder, "cache"),
	}
	list, err := Runtime{Installation{Tools: in.Tools}}.Describe(module, o)
	if err != nil || len(list[0].Warnings) != 0 {
		t.Fatal(list, err)
	}
	got, err := os.ReadFile(list[0].Artifact.Built)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(sample("mlp.dispatches.json"))
	if err != nil {
		t.Fatal(err)
	}
	if g := strings.Replace(string(got), module, "mlp.vmfb", 1); g != string(want) {
		t.Errorf("recorded:\n%s", g)
	}
	before, err := os.Stat(list[0].Artifact.Built)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := (Runtime{}).Describe(module, o); err != nil || again[0].Artifact.Built != list[0].Artifact.Built {
		t.Errorf("the cached plan is not found without the tools: %+v, %v", again, err)
	}
	if after, err := os.Stat(list[0].Artifact.Built); err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Error("the plan was recorded twice")
	}
	moved := filepath.Join(folder, "moved.vmfb")
	if err := os.Rename(module, moved); err != nil {
		t.Fatal(err)
	}
	list, err = Runtime{Installation{Tools: in.Tools}}.Describe(moved, o)
	if err != nil || len(list[0].Warnings) != 0 {
		t.Fatal(list, err)
	}
	if file, err := moduleFile(list[0].Artifact); err != nil || file != moved {
		t.Errorf("the same module elsewhere: its plan is of %s, %v", file, err)
	}
}

// TestRecordAgain describes a module twice from which nothing can be recorded, and expects the warning twice.
func TestRecordAgain(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the module holds code for x86-64")
	}
	o := executor.DescribeOptions{Options: map[string]string{OptionProvider: ProviderDispatch}, Cache: t.TempDir()}
	for range 2 {
		list, err := Runtime{Installation{Tools: t.TempDir(), Version: "3.13.0"}}.Describe(sample("tiny_3.6.vmfb"), o)
		if err != nil || len(list[0].Warnings) != 1 || !strings.Contains(list[0].Warnings[0], "15.0") ||
			!strings.Contains(list[0].Warnings[0], "17.0") {
			t.Fatal(list, err)
		}
	}
}
