package iree

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/executor"
	"zonemark/executor/iree/dimensions"
	"zonemark/executor/iree/targets"
	"zonemark/executor/iree/vmfb"
	"zonemark/executor/toolchain"
	"zonemark/invocations"
	"zonemark/invocations/files"
	"zonemark/invocations/remedy"
)

// importScript imports an ONNX model in a process of its own; see its head for the arguments.
//
//go:embed import_onnx.py
var importScript string

const (
	onnxExtension = ".onnx"
	// importRefused is the exit status of the script if the model cannot be imported.
	importRefused = 3
	// importLines is how much of the importer's last words an error quotes.
	importLines = 8
)

// IsONNX reports whether a file is, by its name, an ONNX model.
func IsONNX(name string) bool { return strings.EqualFold(filepath.Ext(name), onnxExtension) }

// importNotes is what is to be known of an import.
type importNotes struct {
	Opset    int64  `json:"opset"`    // version of the operator set of the model; 0 if it has none of ONNX's own
	Upgraded int64  `json:"upgraded"` // version that it was converted to; 0 if it was not
	Kept     string `json:"kept"`     // why it was not converted, though it is old
	External bool   `json:"external"` // weights are in other files
	Doubles  bool   `json:"doubles"`  // inputs or outputs are 64-bit floats
	// Inputs and Outputs are the names that the model has for them. MLIR has no such names as "data:0".
	Inputs  []string `json:"inputs"`
	Outputs []string `json:"outputs"`
	// Sizes are those of the open dimensions, as NAME=SIZE words: the given ones, and those that follow from inputs.
	Sizes []string `json:"sizes"`
	// Nodes are the names of the model's nodes by the lines of their operations in the MLIR.
	Nodes map[int]string `json:"nodes"`
}

// demotesF64 is the flag by which the compiler makes 32-bit floats of 64-bit ones, as it does if it is not told otherwise.
const demotesF64 = "iree-input-demote-f64-to-f32"

// keepDoubles returns the flags that compile an imported model. Where its inputs or outputs are 64-bit floats, the compiler
// is told to keep them: in a module with others, callers have 64-bit ones and code has 32-bit ones in the same memory.
func (n importNotes) keepDoubles(flagSets []targets.Flags) []targets.Flags {
	if !n.Doubles {
		return flagSets
	}
	flagSets = slices.Clone(flagSets)
	for i, flags := range flagSets {
		if !flags.Choose(demotesF64) {
			flagSets[i] = append(slices.Clone(flags), "--"+demotesF64+"=false")
		}
	}
	return flagSets
}

// rename gives the function of an imported module the names of the model.
func (n importNotes) rename(m *vmfb.Module) {
	if len(m.Functions) != 1 {
		return
	}
	f := &m.Functions[0]
	for _, side := range []struct {
		values []vmfb.Value
		names  []string
	}{{f.Arguments, n.Inputs}, {f.Results, n.Outputs}} {
		if len(side.values) != len(side.names) {
			continue
		}
		for i := range side.values {
			side.values[i].Name = side.names[i]
		}
	}
}

// details returns a line for "zonemark list".
func (n importNotes) details() string {
	line := fmt.Sprintf("imported from ONNX, operator set %d", n.Opset)
	switch {
	case n.Upgraded != 0:
		line += fmt.Sprintf(", upgraded to %d", n.Upgraded)
	case n.Kept != "":
		line += ", which cannot be upgraded: " + n.Kept
	}
	if n.Doubles {
		line += "; float64 is kept, unless --" + demotesF64 + " is given"
	}
	return line
}

// InferInputs adds to the options of a module the types of the inputs that an invocation gives, if it is an ONNX model,
// whose open dimensions follow from them, or if the calls of its dispatches are recorded.
func InferInputs(inv *invocations.Invocation) {
	if IsONNX(inv.Artifact.Path) || inv.Artifact.Options[OptionProvider] == ProviderDispatch {
		dimensions.Infer(inv, optionDimensions)
	}
}

// setSizes makes the sizes of a model's open dimensions the option of an artifact.
func (n importNotes) setSizes(options map[string]string) {
	words := dimensions.Settle(options[optionDimensions], n.Sizes)
	if delete(options, optionDimensions); words != "" {
		options[optionDimensions] = words
	}
}

// importONNX imports an ONNX model as MLIR below the cache and returns the path of that. The file is named after the
// hash of the model, the sizes of open dimensions and the versions of what imports it. Models with weights in other
// files are imported anew each time.
func (in Installation) importONNX(
	ctx context.Context, path string, o executor.DescribeOptions,
) (mlir string, notes importNotes, err error) {
	sizes, err := dimensions.Sizes(o.Options[optionDimensions])
	switch {
	case err != nil:
		return "", notes, err
	case in.Python == "" || in.ONNX == "":
		return "", notes, remedy.With(
			fmt.Errorf("%s: ONNX models are imported by a package of IREE's, which is not installed", path),
			remedy.Remedy{Kind: remedy.Install, Name: "iree-onnx"},
			remedy.Remedy{Kind: remedy.Act, Value: "import the model elsewhere and name the .mlir"})
	case o.Cache == "":
		return "", notes, fmt.Errorf("%s: ONNX models must be imported, and there is no cache to put the MLIR into", path)
	}
	h := sha256.New()
	if err := files.CopyTo(h, path); err != nil {
		return "", notes, err
	}
	fmt.Fprintf(h, "\x00%q\x00%q\x00%q\x00%q", sizes, in.Version, in.ONNX, importScript)
	mlir = filepath.Join(o.Cache, "iree", hex.EncodeToString(h.Sum(nil))+".mlir")
	if notes, err := readNotes(mlir); err == nil && !notes.External && files.Intact(mlir) {
		return mlir, notes, nil
	}
	err = toolchain.Renew(mlir, 0o644, func(scratch string) (string, error) {
		return in.runImporter(ctx, path, mlir, sizes, scratch)
	})
	if err != nil {
		return "", notes, err
	}
	notes, err = readNotes(mlir)
	return mlir, notes, err
}

// notesFile returns the path of the notes about an import.
func notesFile(mlir string) string { return mlir + ".json" }

func readNotes(mlir string) (n importNotes, err error) {
	text, err := os.ReadFile(notesFile(mlir))
	if err != nil {
		return n, err
	}
	if err := json.Unmarshal(text, &n); err != nil {
		return n, fmt.Errorf("%s: %w; remove it, and it is made anew", notesFile(mlir), err)
	}
	return n, nil
}

// runImporter imports into files of a folder, moves the notes into place, and returns where the MLIR is.
func (in Installation) runImporter(ctx context.Context, path, mlir string, sizes []string, folder string) (string, error) {
	output := filepath.Join(folder, "model.mlir")
	args := []string{in.Python, "-I", "-c", importScript, in.ONNX, path, output, notesFile(output)}
	needed := &toolchain.Beginning{}
	_, err := in.run(ctx, toolchain.Program{Command: append(args, sizes...), Output: needed}, folder, path)
	if err != nil {
		return "", missingSizes(importError(path, err), needed.Bytes())
	}
	if err := os.Rename(notesFile(output), notesFile(mlir)); err != nil {
		return "", fmt.Errorf("cache for imported models: %w", err)
	}
	return output, nil
}

// missingSizes adds to an error of the importer that the sizes which it needs can be given, or which dimension was
// meant.
func missingSizes(err error, needed []byte) error {
	var n struct {
		Sizes   []string  `json:"sizes"`
		Instead [2]string `json:"instead"` // the name that no dimension has, and the one that was meant, if any
	}
	switch {
	case json.Unmarshal(needed, &n) != nil: // something else was printed
	case len(n.Sizes) > 0:
		return remedy.With(err, remedy.Remedy{Kind: remedy.Sizes, Value: strings.Join(n.Sizes, "\n")})
	case n.Instead[1] != "":
		return remedy.With(err, remedy.Remedy{Kind: remedy.Instead, Name: n.Instead[0], Value: n.Instead[1]})
	}
	return err
}

// importError returns why the importer failed.
func importError(path string, err error) error {
	var failed *toolchain.FailedError
	var exit *exec.ExitError
	if !errors.As(err, &failed) || !errors.As(err, &exit) {
		return fmt.Errorf("%s: the importer: %w", path, err)
	}
	if exit.ExitCode() == importRefused {
		return fmt.Errorf("%s: %s", path, toolchain.Diagnostics(failed.Said))
	}
	what := "the importer ended by " + exit.String()
	if text := toolchain.LastLines(failed.Said, importLines); text != "" {
		return fmt.Errorf("%s: ONNX import failed, and %s; its last words:\n%s", path, what, text)
	}
	return fmt.Errorf("%s: ONNX import failed: %s", path, what)
}

// fromONNX returns an error about the MLIR of an imported model as one about the model.
func fromONNX(path, mlir string, err error) error {
	if path == mlir {
		return err
	}
	return fmt.Errorf("%s: it is imported as %w", path, err)
}
