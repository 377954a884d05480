package iree

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zonemark/executor"
	"zonemark/executor/iree/vmfb"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

func sample(name string) string { return filepath.Join("testdata", name) }

// foreign returns a processor that this machine does not have, and the sample for it.
func foreign() (machine, file string) {
	if vmfb.Here == "arm64" {
		return "amd64", "tiny.vmfb"
	}
	return "arm64", "tiny_arm64.vmfb"
}

func TestDescribe(t *testing.T) {
	f32, i32 := invocations.Float32, invocations.Int32
	in, out := invocations.Input, invocations.Output
	four := []int64{4}
	for file, want := range map[string][]invocations.Function{
		"tiny.vmfb": {{Name: "tiny", Signature: "(tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)",
			Arguments: []invocations.Argument{
				{Name: "input0", Element: f32, Shape: four, Usage: in},
				{Name: "input1", Element: f32, Shape: four, Usage: in},
				{Name: "output0", Element: f32, Shape: four, Usage: out}}}},
		"noop.vmfb":   {{Name: "noop", Signature: "() -> ()"}},
		"hollow.vmfb": nil,
		"dynamic.vmfb": {
			{Name: "dyn", Signature: "(tensor<?x4xf32>, f32) -> (tensor<?x4xf32>, i32)",
				Arguments: []invocations.Argument{
					{Name: "input0", Element: f32, Extent: "?x4", Usage: in},
					{Name: "input1", Element: f32, ByValue: true, Usage: in},
					{Name: "output0", Element: f32, Extent: "?x4", Usage: out},
					{Name: "output1", Element: i32, ByValue: true, Usage: out}}},
			{Name: "other", Signature: "(tensor<4xi32>) -> (tensor<4xi32>)", Arguments: []invocations.Argument{
				{Name: "input0", Element: i32, Shape: four, Usage: in},
				{Name: "output0", Element: i32, Shape: four, Usage: out}}},
		},
	} {
		d, err := Installation{}.describe(context.Background(), sample(file),
			executor.DescribeOptions{Options: map[string]string{optionDevice: "any"}}, wholeFunctions{})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if diff := cmp.Diff(want, d.Functions); diff != "" {
			t.Errorf("%s: -want +got\n%s", file, diff)
		}
		if len(d.Artifact.SHA256) != 64 || len(d.Details) == 0 {
			t.Errorf("%s: hash %q, details %q", file, d.Artifact.SHA256, d.Details)
		}
		if (len(want) == 0) != (len(d.Warnings) > 0) {
			t.Errorf("%s: warnings %q for %d functions", file, d.Warnings, len(want))
		}
	}
}

func TestDetails(t *testing.T) {
	d, err := Installation{}.describe(context.Background(), sample("tiny.vmfb"), executor.DescribeOptions{},
		wholeFunctions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"module module, bytecode 17.0, needs hal 7",
		"target embedded-elf-x86_64",
		"function tiny (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)",
		"library tiny_dispatch_0_embedded_elf_x86_64.so for amd64, interface 0.6",
		"  dispatch tiny_dispatch_0_elementwise_4_f32, 3 bindings, 0 constants",
	}
	if diff := cmp.Diff(want, d.Details); diff != "" {
		t.Error(diff)
	}
}

func TestDescribeForeign(t *testing.T) {
	machine, file := foreign()
	for _, by := range []front{wholeFunctions{}, dispatchesAlone{}} {
		d, err := Installation{}.describe(context.Background(), sample(file),
			executor.DescribeOptions{Cache: t.TempDir(), Options: map[string]string{OptionProvider: ProviderDispatch}}, by)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Functions) != 1 || !strings.Contains(d.Functions[0].Skip, machine) ||
			!strings.Contains(d.Functions[0].Skip, vmfb.Here) {
			t.Errorf("%T: %+v, want a skipped function with both processors", by, d.Functions)
		}
	}
	_, err := Runtime{}.Load(invocations.Artifact{Path: sample(file)})
	if _, ok := err.(*executor.UnsupportedError); !ok {
		t.Errorf("load: %v, want an UnsupportedError", err)
	}
}

func TestDescribeFolder(t *testing.T) {
	folder := t.TempDir()
	if Recognizes(folder) {
		t.Error("an empty folder is recognized")
	}
	if _, err := (Runtime{}).Describe(folder, executor.DescribeOptions{}); err == nil ||
		!strings.Contains(err.Error(), "holds no IREE module") {
		t.Errorf("an empty folder: %v", err)
	}
	for _, name := range []string{"tiny.vmfb", "noop.vmfb"} {
		data, err := os.ReadFile(sample(name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !Recognizes(folder) || !Recognizes("x.vmfb") || !Recognizes("x.MLIR") || !Recognizes("x.mlirbc") ||
		Recognizes("x.hat") {
		t.Error("names are not recognized")
	}
	list, err := Installation{}.describeAll(folder, executor.DescribeOptions{}, wholeFunctions{})
	if err != nil || len(list) != 2 || filepath.Base(list[0].Artifact.Path) != "noop.vmfb" {
		t.Errorf("%d modules, %v", len(list), err)
	}
}

func TestDescribeErrors(t *testing.T) {
	folder := t.TempDir()
	whole, err := os.ReadFile(sample("tiny.vmfb"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"text.vmfb":  {[]byte("hello"), "neither a ZIP archive nor a flatbuffer"},
		"short.vmfb": {whole[:len(whole)/2], "truncated"},
	} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, c.data, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Installation{}.describeAll(path, executor.DescribeOptions{}, wholeFunctions{})
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q and the path", err, c.want)
		}
	}
	if _, err := (Runtime{}).Describe(sample("tiny.vmfb"),
		executor.DescribeOptions{Options: map[string]string{OptionProvider: "dispach"}}); err == nil ||
		!strings.Contains(err.Error(), `did you mean "dispatch"`) {
		t.Errorf("an unknown provider: %v", err)
	}
}

// TestVersionOfTheRuntime loads a module of 3.6 for a runtime of 3.13.
func TestVersionOfTheRuntime(t *testing.T) {
	artifact := invocations.Artifact{
		Path:    sample("tiny_3.6.vmfb"),
		Options: map[string]string{optionDevice: "any"},
	}
	m, err := readModule(artifact)
	if err != nil {
		t.Fatal(err)
	}
	err = runnable(m, "3.13.0")
	told := remedy.Told(err, nil)
	if err == nil || !strings.Contains(told, "15.0") || !strings.Contains(told, "17.0") ||
		!strings.Contains(told, "compile it again") {
		t.Fatalf("%v; want an error with both versions", err)
	}
	if runtime.GOARCH == "amd64" &&
		(!strings.Contains(err.Error(), "interface version 0.5") ||
			!strings.Contains(err.Error(), "calls version 0.6") || !strings.Contains(told, "choose mode dispatch")) {
		t.Errorf("%v; want both versions of its library's interface too, and that its dispatches can be called", err)
	}
	for _, version := range []string{"3.6.0", ""} {
		if err := runnable(m, version); err != nil {
			t.Errorf("%q: %v", version, err)
		}
	}
	if p, err := (dispatchesAlone{Installation{Version: "3.13.0"}}).load(artifact, m); err != nil {
		t.Errorf("its dispatches alone: %v", err)
	} else if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := (wholeFunctions{version: "3.13.0"}).load(artifact, m); err == nil {
		t.Error("whole functions are loaded")
	}
}

func TestBuiltArtifacts(t *testing.T) {
	if _, err := moduleFile(invocations.Artifact{Path: "x.mlir"}); err == nil {
		t.Error("MLIR is loaded as it is")
	}
	for _, c := range []struct{ path, built, want string }{
		{"x.vmfb", "", "x.vmfb"}, {"x.mlir", "y.vmfb", "y.vmfb"},
		{"x.mlir", sample("tiny.dispatches.json"), sample("tiny.vmfb")},
	} {
		if got, err := moduleFile(invocations.Artifact{Path: c.path, Built: c.built}); err != nil || got != c.want {
			t.Errorf("%s and %s: %s, %v", c.path, c.built, got, err)
		}
	}
}
