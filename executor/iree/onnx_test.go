package iree

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"zonemark/driver/setup/setuptest"
	"zonemark/executor"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
	"zonemark/invocations/testsize"
)

// madeModels holds the models of testdata/onnx_models.py by their names, once they are made.
var madeModels struct {
	sync.Mutex
	files map[string][]byte
}

// onnxModels returns a folder with the models of testdata/onnx_models.py, which are made once, and an installation that
// imports them.
func onnxModels(t *testing.T) (folder string, in Installation) {
	t.Helper()
	in, folder = compiler(t), t.TempDir()
	in.Python, in.ONNX = setuptest.ONNX(t)
	madeModels.Lock()
	defer madeModels.Unlock()
	if madeModels.files == nil {
		made := t.TempDir()
		script := filepath.Join("testdata", "onnx_models.py")
		if out, err := exec.Command(in.Python, script, in.ONNX, made).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		madeModels.files = map[string][]byte{}
		entries, err := os.ReadDir(made)
		for _, e := range entries {
			if err == nil {
				madeModels.files[e.Name()], err = os.ReadFile(filepath.Join(made, e.Name()))
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range madeModels.files {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder, in
}

// describeONNX describes a model; the way of running does not matter.
func describeONNX(in Installation, path, cache, sizes string) (invocations.Description, error) {
	options := map[string]string{OptionProvider: ProviderDispatch}
	if sizes != "" {
		options[optionDimensions] = sizes
	}
	list, err := in.describeAll(path, executor.DescribeOptions{Cache: cache, Options: options}, wholeFunctions{})
	if err != nil {
		return invocations.Description{}, err
	}
	return list[0], nil
}

// TestDescribeONNX: arguments have the names, types and sizes of the model, and old operator sets are upgraded. Each model
// is imported and compiled; the small size has two.
func TestDescribeONNX(t *testing.T) {
	folder, in := onnxModels(t)
	cache := t.TempDir()
	models := []struct{ model, sizes, function, arguments, detail string }{
		{"named", "batch=5", "perceptron", "x float32 5x8, y float32 5x4", "operator set 11, upgraded to 17"},
		{"types", "n=1", "types of elements",
			"in:put/1 uint8 1x2, in_put_1 int64 1x2, flag bool 1x2, s float32 , out float32 1x2", "operator set 17"},
		{"names", "seq len=3", "names", "x=y float32 3x2, 0 float64 0x2, z float32 3x2, w float64 0x2",
			"operator set 17; float64 is kept, unless --iree-input-demote-f64-to-f32 is given"},
		{"fixed", "", "perceptron", "x float32 3x8, y float32 3x4", "operator set 17"},
		{"unnamed", "x.0=2", "perceptron", "x float32 2x8, y float32 2x4", "operator set 17"},
		{"external", "", "perceptron", "x float32 3x8, y float32 3x4", "operator set 17"},
	}
	for _, c := range models[:testsize.Of(2, len(models))] {
		d, err := describeONNX(in, filepath.Join(folder, c.model+".onnx"), cache, c.sizes)
		if err != nil {
			t.Errorf("%s: %v", c.model, err)
			continue
		}
		var arguments []string
		for _, a := range d.Functions[0].Arguments {
			var sizes []string
			for _, n := range a.Shape {
				sizes = append(sizes, string(rune('0'+n)))
			}
			arguments = append(arguments, a.Name+" "+string(a.Element)+" "+strings.Join(sizes, "x"))
		}
		got := strings.Join(arguments, ", ")
		if len(d.Functions) != 1 || d.Functions[0].Name != c.function || got != c.arguments ||
			d.Details[0] != "imported from ONNX, "+c.detail {
			t.Errorf("%s: %+v\n%s", c.model, d, got)
		}
	}
}

// TestInferDimensions: open dimensions have the sizes of the inputs that are given, by name or in turn, unless they are
// given a size. The option holds the sizes, and nothing of inputs that no dimension follows from. Each model is imported
// by a Python of its own; the small size has each way to a size, the large one more models.
func TestInferDimensions(t *testing.T) {
	folder, in := onnxModels(t)
	of := func(name string, shape ...int64) invocations.Argument {
		return invocations.Argument{Name: name, Element: invocations.Float32, Shape: shape}
	}
	file := of("", 0)
	file.Shape, file.Contents = nil, invocations.Contents{Fill: invocations.FillFile, Path: filepath.Join(folder, "x.npy")}
	cases := []struct {
		model, given string
		inputs       []invocations.Argument
		want         string // the sizes, or the error
	}{
		{"named", "", []invocations.Argument{file}, "batch=3"},
		{"named", "batch=2", []invocations.Argument{file}, "batch=2"},
		{"types", "", []invocations.Argument{of("", 4, 2), of("", 5, 2)},
			"the dimension n is 4 in the input in:put/1 and 5 in the input in_put_1"},
		{"names", "0.0=1", []invocations.Argument{of("0", 1, 2), of("", 4, 2)}, "0.0=1 seq len=4"},
		{"fixed", "", []invocations.Argument{file}, ""},
		{"named", "", []invocations.Argument{of("x", 7, 8)}, "batch=7"},
		{"unnamed", "", []invocations.Argument{file}, "x.0=3"},
		{"types", "", []invocations.Argument{of("in_put_1"), of("", 5, 2)}, "n=5"},
	}
	for _, c := range cases[:testsize.Of(5, len(cases))] {
		inv := invocations.Invocation{Arguments: c.inputs}
		inv.Artifact.Path = filepath.Join(folder, c.model+".onnx")
		if c.given != "" {
			inv.SetOption(optionDimensions, c.given)
		}
		InferInputs(&inv)
		o := executor.DescribeOptions{Cache: t.TempDir(), Options: inv.Artifact.Options}
		_, notes, err := in.importONNX(t.Context(), inv.Artifact.Path, o)
		notes.setSizes(inv.Artifact.Options)
		got := inv.Artifact.Options[optionDimensions]
		if err != nil {
			got = err.Error()
		}
		if err == nil && got != c.want || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.model, got, c.want)
		}
	}
	inv := invocations.Invocation{Arguments: []invocations.Argument{of("x", 1)}, Artifact: invocations.Artifact{Path: "m.mlir"}}
	if InferInputs(&inv); inv.Artifact.Options != nil {
		t.Errorf("MLIR has the options %v", inv.Artifact.Options)
	}
}

// TestONNXErrors: an error names the model and what to do, and nothing is left of an import that failed. The small size
// has each error once, the large one for more models.
func TestONNXErrors(t *testing.T) {
	folder, in := onnxModels(t)
	cache := t.TempDir()
	words := func(r remedy.Remedy) string {
		return strings.Join(slices.DeleteFunc([]string{string(r.Kind), r.Name, r.Value}, func(w string) bool { return w == "" }), " ")
	}
	cases := []struct{ model, sizes, want string }{
		{"types", "", "needs a size: in:put/1 (n, 2); in_put_1 (n, 2); flag (n, 2); s (); sizes n=1"},
		{"named", "bach=2", "no input has such an open dimension: x (batch, 8); did you mean batch?; instead bach batch"},
		{"named", "batch=none", `size batch=none of a dimension: "none" is no size`},
		{"named", "n=2", "x (batch, 8); open are batch; instead n batch"},
		{"garbage", "", "this is no ONNX model"},
		{"invalid", "", "it is not a valid model: "},
		{"custom", "", "onnx.Frobnicate"},
		{"named", "", "each open dimension needs a size: x (batch, 8); sizes batch=1"},
		{"unnamed", "", "needs a size: x (x.0, 8); sizes x.0=1"},
		{"fixed", "zebra=2", "size zebra=2 of a dimension: no input has such an open dimension: x (3, 8)"},
	}
	for _, c := range cases[:testsize.Of(5, len(cases))] {
		path := filepath.Join(folder, c.model+".onnx")
		_, err := describeONNX(in, path, cache, c.sizes)
		if err == nil || !strings.Contains(remedy.Told(err, words), c.want) || strings.Contains(err.Error(), "Traceback") {
			t.Errorf("%s %q: %v\nwant %s", c.model, c.sizes, err, c.want)
		}
	}
	if left, err := filepath.Glob(filepath.Join(cache, "iree", "*ing-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestONNXCache: an import is used again until the model changes. Weights in other files may change unseen, so such a
// model is imported each time.
func TestONNXCache(t *testing.T) {
	folder, in := onnxModels(t)
	o := executor.DescribeOptions{Cache: t.TempDir()}
	imported := func(model string, again bool) string {
		t.Helper()
		path := filepath.Join(folder, model)
		mlir, _, err := in.importONNX(t.Context(), path, o)
		if err != nil {
			t.Fatal(err)
		}
		before, err := os.Stat(mlir)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := in.importONNX(t.Context(), path, o); err != nil {
			t.Fatal(err)
		}
		if after, err := os.Stat(mlir); err != nil || os.SameFile(before, after) == again {
			t.Errorf("%s is imported again: %v, want %v", model, !again, again)
		}
		text, err := os.ReadFile(mlir)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	first := imported("fixed.onnx", false)
	o.Cache = t.TempDir()
	if second := imported("fixed.onnx", false); second != first {
		t.Error("the same model is imported as two texts")
	}
	inside := imported("external.onnx", true)
	data := filepath.Join(folder, "external.data")
	weights, err := os.ReadFile(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(data, bytes.Repeat([]byte{0}, len(weights)), 0o644); err != nil {
		t.Fatal(err)
	}
	if changed := imported("external.onnx", true); changed == inside {
		t.Error("weights in another file changed, and the import did not")
	}
}

// TestImporterFails: an importer that is not there, one that fails with many words, and one that is killed.
func TestImporterFails(t *testing.T) {
	model := writeSource(t, "m.onnx", "model")
	o := executor.DescribeOptions{Cache: t.TempDir()}
	for script, want := range map[string]string{
		"": "; install iree-onnx",
		"for i in 1 2 3 4 5 6 7 8 9; do echo line $i >&2; done; exit 1": "exit status 1; its last words:\n…\nline 2\nline 3",
		"echo the reason >&2; exit 3":                                   "m.onnx: the reason",
		"kill -9 $$":                                                    "the importer ended by signal: killed",
		"exit 0":                                                        ".making-",
	} {
		in := Installation{ONNX: t.TempDir()}
		if script != "" {
			in.Python = writeSource(t, "python", "#!/bin/sh\n"+script+"\n")
			if err := os.Chmod(in.Python, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		_, _, err := in.importONNX(t.Context(), model, o)
		if err == nil || !strings.Contains(remedy.Told(err, nil), want) {
			t.Errorf("%q: %v", script, err)
		}
	}
}

func TestOnlyONNXHasOpenDimensions(t *testing.T) {
	in := Installation{}
	_, err := describeONNX(in, writeSource(t, "tiny.mlir", tinyModule), t.TempDir(), "batch=2")
	if err == nil || !strings.Contains(err.Error(), "only ONNX models have open dimensions") {
		t.Error(err)
	}
}

// FuzzImportNotes reads notes of any content: an error or notes, and never a panic.
func FuzzImportNotes(f *testing.F) {
	f.Add([]byte(`{"opset": 11, "upgraded": 17, "external": false}`))
	f.Add([]byte(`{"opset": 7, "kept": "no adapter"}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		mlir := filepath.Join(t.TempDir(), "m.mlir")
		if err := os.WriteFile(notesFile(mlir), text, 0o600); err != nil {
			t.Fatal(err)
		}
		notes, err := readNotes(mlir)
		if err == nil && !strings.HasPrefix(notes.details(), "imported from ONNX, ") ||
			errors.Is(err, os.ErrNotExist) {
			t.Errorf("%q: %+v, %v", text, notes, err)
		}
	})
}
