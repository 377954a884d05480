package iree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"zonemark/executor"
	"zonemark/executor/iree/vmfb"
	"zonemark/invocations"
)

const moduleExtension = ".vmfb"

// sourceExtensions returns the extensions of what is compiled: MLIR, as text and as bytecode, and ONNX models.
func sourceExtensions() []string { return []string{".mlir", ".mlirbc", onnxExtension} }

func isModule(name string) bool { return strings.EqualFold(filepath.Ext(name), moduleExtension) }

func isSource(name string) bool {
	return slices.Contains(sourceExtensions(), strings.ToLower(filepath.Ext(name)))
}

// Recognizes reports whether path is, by its name, a module or what one is compiled from, or a folder that holds one.
func Recognizes(path string) bool {
	if isModule(path) || isSource(path) {
		return true
	}
	entries, err := os.ReadDir(path)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return !e.IsDir() && (isModule(e.Name()) || isSource(e.Name()))
	})
}

// Describe reads a module, or all modules of a folder in the order of their names. It compiles MLIR and ONNX models
// first. It loads no native code. If the options ask for single dispatches, the functions are the dispatches. What they are called with is
// then recorded from a run of the module by IREE's tools.
func (r Runtime) Describe(path string, o executor.DescribeOptions) ([]invocations.Description, error) {
	way, err := r.Installation.choose(o.Options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	list, err := r.Installation.describeAll(path, o, way.name())
	if err != nil {
		return nil, err
	}
	// The choice made here holds for the whole run: results of different ways of running must not mix, even if an
	// installation changes meanwhile.
	for i := range list {
		list[i].Artifact.Options = maps.Clone(o.Options)
		if list[i].Artifact.Options == nil {
			list[i].Artifact.Options = map[string]string{}
		}
		list[i].Artifact.Options[OptionProvider] = way.name()
	}
	if way.name() == ProviderDispatch && o.Options[OptionProvider] != ProviderDispatch {
		for i := range list {
			list[i].Warnings = append(list[i].Warnings, list[i].Artifact.Path+": no IREE runtime is installed, so "+
				"its dispatches are called one by one, without one; \"zonemark setup iree\" installs one")
		}
	}
	return list, nil
}

// describeAll describes what is at path for a way of running.
func (in Installation) describeAll(
	path string, o executor.DescribeOptions, way string,
) ([]invocations.Description, error) {
	paths, err := executor.ArtifactsAt(path, "IREE module", "name a .vmfb or .mlir file, or a folder with one",
		func(name string) bool { return isModule(name) || isSource(name) })
	if err != nil {
		return nil, err
	}
	if sizes := o.Options[optionDimensions]; sizes != "" && !slices.ContainsFunc(paths, IsONNX) {
		return nil, fmt.Errorf("%s: --dim %s: only ONNX models have open dimensions", path, sizes)
	}
	var list []invocations.Description
	for _, path := range paths {
		d, err := in.describe(context.Background(), path, o, way)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
}

func (in Installation) describe(
	ctx context.Context, path string, o executor.DescribeOptions, way string,
) (invocations.Description, error) {
	d := invocations.Description{Artifact: invocations.Artifact{Path: path}}
	source, file := path, path
	if IsONNX(path) {
		mlir, notes, err := in.importONNX(ctx, path, o)
		if err != nil {
			return d, err
		}
		source, d.Details = mlir, []string{notes.details()}
	}
	var targets []compilerFlags
	if isSource(source) {
		var err error
		if targets, err = in.targets(ctx, o.Options); err != nil {
			return d, err
		}
		if file, err = compileFor(ctx, source, o.Cache, targets, in); err != nil {
			return d, fromONNX(path, source, err)
		}
		said, err := compileWarnings(file)
		if err != nil {
			return d, err
		}
		if said != "" {
			d.Warnings = append(d.Warnings, fmt.Sprintf("%s: the compiler says:\n%s", path, said))
		}
		d.Artifact.Built = file
	}
	m, err := vmfb.Read(file)
	if err != nil && isSource(source) && os.Remove(file) == nil { // the cached module is damaged: make it again, once
		if _, err = compileFor(ctx, source, o.Cache, targets, in); err == nil {
			m, err = vmfb.Read(file)
		}
	}
	if err != nil {
		return d, err
	}
	if d.Artifact.SHA256, err = in.contentHash(source, o, targets); err != nil {
		return d, err
	}
	d.Details = append(d.Details, details(m)...)
	skip := wrongMachine(m, device(o.Options))
	if way == ProviderDispatch {
		return in.describeDispatches(ctx, d, m, file, o, skip)
	}
	for i := range m.Functions {
		d.Functions = append(d.Functions, describeFunction(&m.Functions[i], skip))
	}
	if len(m.Functions) == 0 {
		d.Warnings = append(d.Warnings, fmt.Sprintf("%s: the module exports no functions", path))
	}
	return d, nil
}

// contentHash returns the hash of a module, or of everything that a compiled module depends on.
func (in Installation) contentHash(
	path string, o executor.DescribeOptions, targets []compilerFlags,
) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("IREE module: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if isSource(path) {
		fmt.Fprintf(h, "compile %q %q\n", o.Options[optionCompileFlags], in.Version)
		if OnDevice(o.Options) {
			fmt.Fprintf(h, "target %q\n", targets[0])
		}
	}
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// details returns what "zonemark list" shows of a module beside its functions.
func details(m *vmfb.Module) []string {
	line := fmt.Sprintf("module %s, bytecode %s", m.Name, m.Bytecode)
	for i, d := range m.Dependencies {
		if line += ", "; i == 0 {
			line += "needs "
		}
		line += fmt.Sprintf("%s %d", d.Name, d.MinimumVersion)
		if d.Optional {
			line += " (optional)"
		}
	}
	lines := []string{line}
	if len(m.Formats) > 0 {
		lines = append(lines, "target "+strings.Join(m.Formats, ", "))
	}
	for i := range m.Functions {
		f := &m.Functions[i]
		lines = append(lines, "function "+f.Name+" "+signature(f))
	}
	for _, l := range m.Libraries {
		version := "of an interface that is known when it is loaded"
		if l.ABI != 0 {
			version = fmt.Sprintf("interface 0.%d", l.ABI)
		}
		lines = append(lines, fmt.Sprintf("library %s for %s, %s", l.Name, l.Machine, version))
		for _, x := range l.Dispatches {
			text := fmt.Sprintf("  dispatch %s, %d bindings, %d constants", x.Name, x.Bindings, x.Constants)
			if x.LocalMemoryBytes > 0 {
				text += fmt.Sprintf(", %d bytes of local memory", x.LocalMemoryBytes)
			}
			lines = append(lines, text)
		}
	}
	return lines
}

// describeFunction returns a function as it can be called. skip is the reason that holds for the whole module.
func describeFunction(f *vmfb.Function, skip string) invocations.Function {
	out := invocations.Function{Name: f.Name, Signature: signature(f), Skip: skip}
	for _, v := range f.Arguments {
		a, problem := argument(v, invocations.Input)
		if problem != "" && out.Skip == "" {
			out.Skip = problem
		}
		out.Arguments = append(out.Arguments, a)
	}
	for _, v := range f.Results {
		a, _ := argument(v, invocations.Output)
		out.Arguments = append(out.Arguments, a)
	}
	if f.Attributes["iree.abi.model"] != "" && out.Skip == "" {
		out.Skip = "it is called with fences (" + f.Attributes["iree.abi.model"] +
			"), which zonemark does not make; compile the module with synchronous functions"
	}
	return out
}

// signature returns the types of a function, without names.
func signature(f *vmfb.Function) string {
	types := func(values []vmfb.Value) string {
		var list []string
		for _, v := range values {
			list = append(list, v.Type.Text)
		}
		return "(" + strings.Join(list, ", ") + ")"
	}
	return types(f.Arguments) + " -> " + types(f.Results)
}

// argument turns a value into an argument. The Extent holds what its type leaves open; problem says why it cannot be
// filled.
func argument(v vmfb.Value, usage invocations.Usage) (a invocations.Argument, problem string) {
	a = invocations.Argument{Name: v.Name, Usage: usage}
	if v.Type.Kind == vmfb.Opaque {
		if !strings.HasPrefix(v.Type.Text, "!hal.buffer_view") && !strings.HasPrefix(v.Type.Text, "!vm.ref") &&
			!strings.HasPrefix(v.Type.Text, "tensor<") {
			problem = fmt.Sprintf("%s is of type %s, which zonemark cannot make", v.Name, v.Type.Text)
		}
		a.Extent = invocations.AnyShape
		return a, problem
	}
	element, known := invocations.ParseMLIRName(v.Type.Element)
	if !known {
		problem = fmt.Sprintf("%s has elements of type %s, which zonemark cannot fill", v.Name, v.Type.Element)
	}
	a.Element = element
	if v.Type.Kind == vmfb.Scalar {
		a.ByValue = true
		return a, problem
	}
	if !slices.Contains(v.Type.Shape, vmfb.Dynamic) {
		a.Shape = v.Type.Shape
		return a, problem
	}
	var dims []string
	for _, n := range v.Type.Shape {
		if n == vmfb.Dynamic {
			dims = append(dims, invocations.OpenDimension)
			continue
		}
		dims = append(dims, strconv.FormatInt(n, 10))
	}
	a.Extent = strings.Join(dims, "x")
	return a, problem
}

// wrongMachine explains that none of the native code in a module runs here. It returns "" if some does, or if the
// module has none.
func wrongMachine(m *vmfb.Module, device string) string {
	if len(m.Libraries) == 0 || !strings.HasPrefix(device, "local-") {
		return ""
	}
	var machines []string
	for _, l := range m.Libraries {
		if l.Machine == machineHere {
			return ""
		}
		if !slices.Contains(machines, l.Machine) {
			machines = append(machines, l.Machine)
		}
	}
	return fmt.Sprintf("its dispatches are for %s and this machine is %s; compile it for this machine "+
		"(--iree-llvmcpu-target-triple)", strings.Join(machines, ", "), machineHere)
}

// machineHere is the processor of this machine, as package vmfb names it.
const machineHere = runtime.GOARCH

// errNotBuilt reports MLIR that reached the executor without being compiled.
var errNotBuilt = errors.New("the module was not compiled; describe the artifact first")
