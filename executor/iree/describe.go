package iree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/executor"
	"zonemark/executor/iree/dimensions"
	"zonemark/executor/iree/functions"
	"zonemark/executor/iree/targets"
	"zonemark/executor/iree/vmfb"
	"zonemark/executor/pipelines"
	"zonemark/invocations"
	"zonemark/invocations/files"
)

const moduleExtension = ".vmfb"

// sourceExtensions returns the extensions of what is compiled: MLIR, as text and as bytecode, and ONNX models.
func sourceExtensions() []string { return []string{".mlir", ".mlirbc", onnxExtension} }

func isSource(name string) bool {
	return slices.Contains(sourceExtensions(), strings.ToLower(filepath.Ext(name)))
}

// isArtifact reports whether a file is, by its name, a module or what one is compiled from.
func isArtifact(name string) bool {
	return strings.EqualFold(filepath.Ext(name), moduleExtension) || isSource(name)
}

// Recognizes reports whether path is, by its name, a module or what one is compiled from, or a folder that holds one.
func Recognizes(path string) bool { return executor.HasArtifact(path, isArtifact) }

// Describe reads a module, or all modules of a folder in the order of their names. It compiles MLIR and ONNX models
// first. It loads no native code. If the options ask for single dispatches, the functions are the dispatches. What they
// are called with is then recorded from a run of the module by IREE's tools.
func (r Runtime) Describe(path string, o executor.DescribeOptions) ([]invocations.Description, error) {
	by, err := r.Installation.choose(o.Options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	list, err := r.Installation.describeAll(path, o, by)
	if err != nil {
		return nil, err
	}
	// The choice made here holds for the whole run: results of different ways of running must not mix, even if an
	// installation changes meanwhile.
	for i := range list {
		list[i].Artifact.Options[OptionProvider] = by.name()
	}
	return list, nil
}

// describeAll describes what is at path for a front end.
func (in Installation) describeAll(
	path string, o executor.DescribeOptions, by front,
) ([]invocations.Description, error) {
	in.confine = o.Confine
	paths, err := executor.ArtifactsAt(path, "IREE module", "name a .vmfb or .mlir file, or a folder with one", isArtifact)
	if err != nil {
		return nil, err
	}
	if sizes := dimensions.Given(o.Options[optionDimensions]); len(sizes) > 0 && !slices.ContainsFunc(paths, IsONNX) {
		return nil, fmt.Errorf("%s: dimension %s is given a size: only ONNX models have open dimensions", path,
			strings.Join(sizes, " "))
	}
	var list []invocations.Description
	describe := in.describe
	if pipelines.Named(path) {
		describe = in.describePipeline
	}
	for _, path := range paths {
		d, err := describe(context.Background(), path, o, by)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
}

func (in Installation) describe(
	ctx context.Context, path string, o executor.DescribeOptions, by front,
) (invocations.Description, error) {
	d := invocations.Description{Artifact: invocations.Artifact{Path: path, Options: maps.Clone(o.Options)}}
	if d.Artifact.Options == nil {
		d.Artifact.Options = map[string]string{}
	}
	if err := in.compileModules(ctx, d.Artifact.Options, o.Cache); err != nil {
		return d, err
	}
	o.Options = maps.Clone(d.Artifact.Options) // with what is told of inputs, which the artifact loses
	source, file := path, path
	var notes importNotes
	if IsONNX(path) {
		var mlir string
		var err error
		if mlir, notes, err = in.importONNX(ctx, path, o); err != nil {
			return d, err
		}
		source, d.Details = mlir, []string{notes.details()}
	}
	var flagSets []targets.Flags
	if isSource(source) {
		var err error
		if flagSets, err = in.targets(ctx, o.Options); err != nil {
			return d, err
		}
		flagSets = notes.keepDoubles(flagSets)
		if file, err = compileFor(ctx, source, o.Cache, flagSets, in); err != nil {
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
		if _, err = compileFor(ctx, source, o.Cache, flagSets, in); err == nil {
			m, err = vmfb.Read(file)
		}
	}
	if err != nil {
		return d, err
	}
	if d.Artifact.SHA256, err = in.contentHash(source, o, flagSets); err != nil {
		return d, err
	}
	notes.setSizes(d.Artifact.Options)
	if IsONNX(path) {
		notes.rename(m)
		if err := notes.nameDispatches(m, file); err != nil {
			return d, err
		}
	}
	d.Details = append(d.Details, details(m, Nodes(file))...)
	return by.describe(ctx, d, module{Module: m, file: file, foreign: wrongMachine(m, device(o.Options))}, o)
}

// compileModules compiles those of the modules that a module calls which are MLIR, and names the compiled ones in the
// options instead.
func (in Installation) compileModules(ctx context.Context, options map[string]string, cache string) error {
	list := moduleFiles(options)
	for i, path := range list {
		if !isSource(path) || IsONNX(path) {
			continue
		}
		file, err := compile(ctx, path, executor.DescribeOptions{Options: options, Cache: cache}, in)
		if err != nil {
			return fmt.Errorf("module that it calls: %w", err)
		}
		list[i] = file
	}
	if list != nil {
		options[optionModules] = strings.Join(list, ",")
	}
	return nil
}

// contentHash returns the hash of a module, or of everything that a compiled module depends on.
func (in Installation) contentHash(
	path string, o executor.DescribeOptions, flagSets []targets.Flags,
) (string, error) {
	h := sha256.New()
	if isSource(path) {
		fmt.Fprintf(h, "compile %q %q\n", o.Options[optionCompileFlags], in.Version)
		if OnDevice(o.Options) {
			fmt.Fprintf(h, "target %q\n", flagSets[0])
		}
	}
	if err := files.CopyTo(h, path); err != nil {
		return "", fmt.Errorf("IREE module: %w", err)
	}
	for _, module := range moduleFiles(o.Options) {
		fmt.Fprint(h, "\nmodule ")
		if err := files.CopyTo(h, module); err != nil {
			return "", fmt.Errorf("module that it calls: %w", err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// details returns what "zonemark list" shows of a module beside its functions. nodes are those that its dispatches were
// made of.
func details(m *vmfb.Module, nodes map[string]string) []string {
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
		lines = append(lines, "function "+f.Name+" "+functions.Signature(f))
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
			if node := nodes[x.Name]; node != "" {
				text += ", of node " + node
			}
			lines = append(lines, text)
		}
	}
	return lines
}

// wrongMachine explains that none of the native code in a module runs here. It returns "" if some does, or if the
// module has none.
func wrongMachine(m *vmfb.Module, device string) string {
	if len(m.Libraries) == 0 || !strings.HasPrefix(device, "local-") {
		return ""
	}
	var machines []string
	for _, l := range m.Libraries {
		if l.Machine == vmfb.Here {
			return ""
		}
		if !slices.Contains(machines, l.Machine) {
			machines = append(machines, l.Machine)
		}
	}
	return fmt.Sprintf("its dispatches are for %s and this machine is %s; compile it for this machine "+
		"(--iree-llvmcpu-target-triple)", strings.Join(machines, ", "), vmfb.Here)
}

// errNotBuilt reports MLIR that reached the executor without being compiled.
var errNotBuilt = errors.New("the module was not compiled; describe the artifact first")
