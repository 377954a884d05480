package halidecases

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"zonemark/driver/halide"
	"zonemark/invocations"
	"zonemark/invocations/files"
)

// addContents gives an invocation the inputs and scalars of a benchmark and the outputs that its reference computes.
// The arrays are files in a folder below, which is named after the seed: the id of an invocation holds their names.
func addContents(inv *invocations.Invocation, b halide.Benchmark, below string) error {
	seed := inv.Measure.Seed
	folder := filepath.Join(below, strconv.FormatUint(seed, 10))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("arguments of %s: %w; set ZONEMARK_HOME to a folder that can be written", b.Name, err)
	}
	inputs := b.Random(seed)
	outputs, err := b.Reference(inputs)
	if err != nil {
		return err
	}
	for i, input := range b.Inputs {
		path := filepath.Join(folder, input.Name+".npy")
		if err := writeArray(path, inputs[i]); err != nil {
			return err
		}
		inv.Arguments = append(inv.Arguments, invocations.Argument{
			Name: input.Name, Contents: invocations.Contents{Fill: invocations.FillFile, Path: path},
		})
	}
	for i, output := range b.Outputs {
		path := filepath.Join(folder, output.Name+"-expected.npy")
		if err := writeArray(path, outputs[i]); err != nil {
			return err
		}
		inv.Verify.Expected = append(inv.Verify.Expected, "@"+path)
	}
	inv.Parameters = map[string]string{}
	for _, s := range b.Scalars {
		inv.Parameters[s.Name] = strconv.FormatFloat(s.Value, 'f', -1, 64)
	}
	return nil
}

// writeArray writes an array to a file that does not hold it yet. Another run may read the file at the same time.
func writeArray(path string, a halide.Array) error {
	var text bytes.Buffer
	if err := a.WriteNPY(&text); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if there, err := os.ReadFile(path); err == nil && bytes.Equal(there, text.Bytes()) {
		return nil
	}
	return files.Write(path, 0o644, text.Bytes())
}
