// Package program makes a real program of each configuration of an operation sweep: StableHLO as text, inputs with
// seeded contents, and the result that a reference in Go expects, so that results are checked before they are timed. It
// knows what operations compute; it starts nothing and measures nothing.
//
// Blocks become shapes by one rule. A tile is 32 × 32 elements, a ublock ub_r × ub_c tiles, an mblock mb_r × mb_c
// ublocks, and each core of a grid of grid_size_r × grid_size_c has one mblock, for each of t. So an operand is a
// tensor of t × (grid_size_r·mb_r·ub_r·32) × (grid_size_c·mb_c·ub_c·32) elements. Configurations whose products are
// equal have one program; the inner blocks of matrix products are a loop of their own.
//
// Programs compute as the registers of a device do, real numbers in float32 and integers in 32 bits, and convert
// operands and results from and to their data formats. A format that the device does not have is emulated if that is
// asked for; else the configuration is refused. It never becomes another format.
package program

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"

	"zonemark/driver/sweep/operations"
	"zonemark/invocations"
	"zonemark/invocations/files"
)

// Program is what measures a configuration.
type Program struct {
	// Invocation has its name, runtime, artifact, arguments, what is expected, and the FLOP and bytes of a call. How it
	// is measured is left to the caller.
	Invocation invocations.Invocation
	// NotApplied are the variables that have no effect on the program, with the reasons.
	NotApplied []NotApplied
	// Bytes are those of the inputs and of the output, by the names of the operands, as the program has them in memory.
	Bytes map[string]int64
}

// Build makes the program of a configuration, with its files in folder, which must be there: NAME.stablehlo or
// NAME.mlir, NAME.inputN.npy and NAME.expected.npy. The name is of the operation and of a hash of the contents:
// configurations with equal programs share files, and what is there is not made again. The paths in the invocation are
// absolute. The error is a *Refusal if the target cannot apply the configuration.
func (t *Target) Build(c *operations.Configuration, folder string) (*Program, error) {
	replaced, options, err := t.formats(c)
	if err != nil {
		return nil, err
	}
	folder, err = filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	effective := *c
	if replaced {
		effective = c.WithFormat(operations.Bfp8B, operations.Float16B)
	}
	d, err := define(&effective)
	if err != nil {
		return nil, &Refusal{NotApplied{string(c.Type), err.Error()}}
	}
	if replaced {
		d.tolerance = convertedTolerance
	}
	text := d.program()
	name := c.Operation + "-" + d.hash(text)
	if err := d.write(folder, name, text, t.Extension()); err != nil {
		return nil, fmt.Errorf("test %d of %s: %w", c.Index, c.Operation, err)
	}
	p := &Program{NotApplied: t.unapplied(c), Bytes: map[string]int64{}}
	p.Invocation = d.invocation(c, filepath.Join(folder, name), t)
	p.Invocation.Artifact.Options = t.artifactOptions(append(options, t.fidelityOption(c)...))
	for i, operand := range c.Inputs() {
		p.Bytes[operand] = int64(d.inputs[min(i, len(d.inputs)-1)].bytes())
	}
	p.Bytes["output"] = int64(product(d.shape)) * elementType(storage(d.format)).Size()
	return p, nil
}

// convertedTolerance is for results that Tenstorrent's compiler computes in Bfp8_b.
const convertedTolerance = 0.05

// artifactOptions adds options of the compiler to those of the target.
func (t *Target) artifactOptions(compiler []string) map[string]string {
	options := maps.Clone(t.Options)
	if len(compiler) == 0 {
		return options
	}
	if options == nil {
		options = map[string]string{}
	}
	if own := options[compileOptions]; own != "" {
		compiler = append([]string{own}, compiler...)
	}
	options[compileOptions] = strings.Join(compiler, " ")
	return options
}

// program returns the text of the program.
func (d *definition) program() string {
	m := &module{}
	var arguments []value
	for _, in := range d.inputs {
		arguments = append(arguments, m.fresh(in.shape, storage(in.format)))
	}
	return m.function(arguments, d.emit(m, arguments))
}

// contentsVersion changes when the inputs of an unchanged program do.
const contentsVersion = 1

// hash identifies the files of a program: text, formats, ranges and tables of the inputs.
func (d *definition) hash(text string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d\n%s", contentsVersion, text)
	for _, in := range d.inputs {
		fmt.Fprintln(h, in.format, in.span, in.values)
	}
	fmt.Fprintln(h, d.format, d.tolerance)
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// write makes the files. The expected result comes last: where it is, the others are.
func (d *definition) write(folder, name, text, extension string) error {
	path := filepath.Join(folder, name)
	if !files.IsFile(path + extension) {
		if err := files.Write(path+extension, fileMode, []byte(text)); err != nil {
			return err
		}
	}
	if files.IsFile(path + expectedFile) {
		return nil
	}
	in, err := d.contents(name)
	if err != nil {
		return err
	}
	for i, values := range in {
		a := array{d.inputs[i].shape, storage(d.inputs[i].format), values}
		if err := files.Write(path+inputFile(i), fileMode, a.npy()); err != nil {
			return err
		}
	}
	a := array{d.shape, storage(d.format), d.reference(in)}
	return files.Write(path+expectedFile, fileMode, a.npy())
}

const (
	expectedFile = ".expected.npy"
	fileMode     = 0o644
)

func inputFile(i int) string { return fmt.Sprintf(".input%d.npy", i) }

// contents draws the inputs. The name of the program is the seed.
func (d *definition) contents(name string) ([][]float64, error) {
	r := rand.New(rand.NewChaCha8(sha256.Sum256([]byte(name))))
	all := make([][]float64, len(d.inputs))
	for i := range d.inputs {
		in := &d.inputs[i]
		if all[i] = in.values; all[i] == nil {
			all[i] = make([]float64, in.count())
			in.span.fill(r, all[i], in.format)
		}
	}
	if d.settle != nil {
		return all, d.settle(r, all)
	}
	return all, nil
}

func (in *input) bytes() int { return in.count() * int(elementType(storage(in.format)).Size()) }

// invocation describes the program to the driver.
func (d *definition) invocation(c *operations.Configuration, path string, t *Target) invocations.Invocation {
	v := invocations.Invocation{
		Name: Name(c), Runtime: t.Runtime, Artifact: invocations.Artifact{Path: path + t.Extension()}, Function: "main",
		FLOP:   d.flop,
		Verify: invocations.Verification{Expected: []string{"@" + path + expectedFile}, Tolerance: d.tolerance},
	}
	for i := range d.inputs {
		in := &d.inputs[i]
		v.Arguments = append(v.Arguments, invocations.Argument{
			Name: strconv.Itoa(i), Usage: invocations.Input,
			Contents: invocations.Contents{Fill: invocations.FillFile, Path: path + inputFile(i)},
		})
		v.Bytes += float64(in.bytes())
	}
	v.Bytes += float64(product(d.shape)) * float64(elementType(storage(d.format)).Size())
	return v
}

// Name returns the name of the invocation of a configuration, which no other one of a sweep has: "exp/17".
func Name(c *operations.Configuration) string { return fmt.Sprintf("%s/%d", c.Operation, c.Index) }
