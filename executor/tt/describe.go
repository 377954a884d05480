package tt

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"zonemark/executor"
	"zonemark/executor/pipelines"
	"zonemark/executor/tt/pjrt"
	"zonemark/executor/tt/stablehlo"
	"zonemark/invocations"
)

// Describe reads a program, or all of a folder in the order of their names. It reads text without a plugin. For
// bytecode and for MLIR's generic form the plugin compiles the program and reports its types. What it has compiled is
// kept below the cache, for executors that measure it.
func (r Runtime) Describe(path string, o executor.DescribeOptions) ([]invocations.Description, error) {
	opts, err := parseOptions(o.Options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r.compiled = compiledBelow(o.Cache)
	paths, err := executor.ArtifactsAt(path, "StableHLO program", "name a file *"+strings.Join(extensions(), ", *"),
		func(name string) bool { return slices.Contains(extensions(), strings.ToLower(filepath.Ext(name))) })
	if err != nil {
		return nil, err
	}
	var list []invocations.Description
	for _, path := range paths {
		d, err := r.describe(path, o.Options, opts)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list = append(list, d)
	}
	return list, nil
}

func (r Runtime) describe(path string, given map[string]string, o options) (invocations.Description, error) {
	d := invocations.Description{Artifact: invocations.Artifact{Path: path}}
	file, err := os.ReadFile(path)
	if err != nil {
		return d, err
	}
	if pipelines.Is(file) {
		return r.describePipeline(d, file, given)
	}
	d.Artifact.SHA256 = r.contentHash(file, o)
	f, details, err := r.describeProgram(file, o)
	if err != nil {
		return d, err
	}
	d.Functions, d.Details = []invocations.Function{f}, details
	return d, nil
}

// describeProgram returns the function of a program, and lines about it for "zonemark list".
func (r Runtime) describeProgram(program []byte, o options) (f invocations.Function, details []string, err error) {
	form, note := "StableHLO as text", ""
	sig, err := textSignature(program)
	if unread(err) {
		form = err.Error() + ", of which the plugin told the types"
		sig, note, err = r.askSignature(program, o, sig.replicas)
	}
	var refused *refusedError
	if errors.As(err, &refused) {
		return invocations.Function{Name: stablehlo.Entry, Refused: err.Error()}, nil, nil
	}
	if err != nil {
		return f, nil, err
	}
	f = describeFunction(sig)
	if note != "" {
		f.Note = strings.TrimPrefix(f.Note+"; "+note, "; ")
	}
	details = []string{form, "function " + f.Name + " " + f.Signature}
	if sig.partitions > 1 {
		details = append(details, fmt.Sprintf("split over %d devices (SPMD)", sig.partitions))
	}
	return f, details, nil
}

// contentHash returns the hash of a program and of the plugin that will compile it, as far as the plugin is known
// without reading all of it.
func (r Runtime) contentHash(program []byte, o options) string {
	h := sha256.New()
	if path, err := r.plugins.path(o.plugin); err == nil {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintf(h, "plugin %s %d\n", info.Name(), info.Size())
		}
	}
	if o.file != "" {
		if options, err := os.ReadFile(o.file); err == nil { // loading reports what is wrong
			fmt.Fprintf(h, "options %x\n", sha256.Sum256(options))
		}
	}
	h.Write(program)
	return hex.EncodeToString(h.Sum(nil))
}

// unread reports whether the error is that only a compiler can read a program.
func unread(err error) bool {
	return errors.Is(err, stablehlo.ErrBytecode) || errors.Is(err, stablehlo.ErrGenericForm)
}

// textSignature reads the signature of a program in text. Of a program that only a compiler can read, it returns the
// number of replicas.
func textSignature(program []byte) (signature, error) {
	parsed, err := stablehlo.Parse(program)
	if err != nil {
		if refused := refuseUnread(program, parsed); refused != nil && unread(err) {
			return signature{}, refused
		}
		return signature{replicas: parsed.Replicas}, err
	}
	sig := signature{partitions: parsed.Partitions, replicas: parsed.Replicas, shardy: parsed.Shardy}
	for _, v := range parsed.Arguments {
		sig.arguments = append(sig.arguments, fromText(v))
	}
	for _, v := range parsed.Results {
		sig.results = append(sig.results, fromText(v))
	}
	return sig, nil
}

// askSignature makes the plugin compile a program for so many replicas, unless it is kept, and reads the signature of
// the result. The note says what was wrong with a kept program.
func (r Runtime) askSignature(program []byte, o options, replicas int) (sig signature, note string, err error) {
	c, err := r.client(o)
	if err != nil {
		return sig, "", err
	}
	defer func() { err = errors.Join(err, r.clients.release(c)) }()
	plan, err := o.plan(c.Devices(), signature{replicas: replicas})
	if err != nil {
		return sig, "", err
	}
	e, how, err := r.compile(c, program, plan.options, o.uncached)
	if err != nil {
		return sig, "", err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	sig, err = compiledSignature(e, replicas)
	return sig, how.note, err
}

// compiledSignature returns the signature of a program that was compiled for so many replicas.
func compiledSignature(e *pjrt.Executable, replicas int) (signature, error) {
	optimized, format, err := e.OptimizedProgram()
	if err != nil {
		return signature{}, fmt.Errorf("the types of arguments are not to be had; give the program as text: %w", err)
	}
	told, err := pjrt.ProgramSignature(optimized, format)
	if err != nil {
		return signature{}, fmt.Errorf("the types of arguments are not to be had; give the program as text: %w", err)
	}
	sig := signature{replicas: replicas}
	for i, s := range told.Arguments {
		sig.arguments = append(sig.arguments, fromShape(fmt.Sprintf("argument %d", i), s))
	}
	for i, s := range told.Results {
		sig.results = append(sig.results, fromShape(fmt.Sprintf("result %d", i), s))
	}
	return sig, nil
}

// describeFunction returns the entry as a function that can be called.
func describeFunction(sig signature) invocations.Function {
	f := invocations.Function{Name: stablehlo.Entry, Signature: types(sig.arguments) + " -> " + types(sig.results)}
	var notes []string
	for _, v := range sig.arguments {
		if !v.known && f.Skip == "" {
			f.Skip = fmt.Sprintf("%s is of type %s, which zonemark cannot make", v.name, v.text)
		}
		if note := v.element.note(); v.known && note != "" && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
		f.Arguments = append(f.Arguments, v.argument(invocations.Input))
	}
	for _, v := range sig.results {
		f.Arguments = append(f.Arguments, v.argument(invocations.Output))
	}
	f.Note = strings.Join(notes, "; ")
	return f
}

func types(values []value) string {
	var list []string
	for _, v := range values {
		list = append(list, v.text)
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// argument returns a value as an argument. Open dimensions of its type are in the Extent.
func (v value) argument(usage invocations.Usage) invocations.Argument {
	a := invocations.Argument{Name: v.name, Usage: usage, Element: v.element.storage}
	if !v.known {
		a.Extent = invocations.AnyShape
		return a
	}
	dimensions := append([]int64{}, v.dimensions...)
	if v.element.pair {
		dimensions = append(dimensions, 2)
	}
	if !slices.Contains(dimensions, stablehlo.Open) {
		a.Shape = dimensions
		return a
	}
	var extent []string
	for _, n := range dimensions {
		if n == stablehlo.Open {
			extent = append(extent, invocations.OpenDimension)
			continue
		}
		extent = append(extent, strconv.FormatInt(n, 10))
	}
	a.Extent = strings.Join(extent, "x")
	return a
}
