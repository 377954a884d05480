package generator

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/executor/compilerflags"
	"zonemark/executor/toolchain"
	"zonemark/invocations/building"
	"zonemark/invocations/lazyregexp"
	"zonemark/invocations/remedy"
	"zonemark/invocations/shellwords"
)

// buildScript lists and runs the generators of a Python file.
//
//go:embed build.py
var buildScript string

// scriptRequest is what buildScript reads.
type scriptRequest struct {
	Source      string   `json:"source"`
	Answer      string   `json:"answer"`
	Arguments   []string `json:"arguments"`
	Unscheduled bool     `json:"unscheduled"`
}

// opened is a source whose files were read, and compiled if it is in C++.
type opened struct {
	t          Toolchain
	path       string // absolute
	files      []sourceFile
	further    further
	flags      compilerflags.Given
	words      []string // the flags, as they were given
	stubs      []stub   // of the generators that the source calls
	executable string   // of a C++ source
	cache      string
	weights    string // file of the scheduler; empty: none
}

// executableNeeded reports whether the generator is compiled.
func (o *opened) executableNeeded() bool { return !isPython(o.path) }

// open reads and compiles the source of a request.
func (t Toolchain) open(ctx context.Context, r Request, cache string) (*opened, error) {
	path := r.Source
	if !IsSource(path) {
		return nil, fmt.Errorf("%s: not a generator's source; its name ends in .cpp, .cc, .cxx or .py", path)
	}
	if cache == "" {
		return nil, fmt.Errorf("%s: a generator must be built, and there is no cache to put the pipeline into", path)
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	o := &opened{t: t, path: absolute, cache: cache, words: r.Flags}
	if o.flags, err = flagsOf(r.Flags); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if o.files, err = readSources(absolute, o.flags.Headers); err != nil {
		return nil, fmt.Errorf("generator: %w", err)
	}
	if err := o.sort(r.Further); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", path, optionSource, err)
	}
	if o.executableNeeded() {
		o.stubs = o.stubsOf()
		if o.executable, err = o.compile(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return o, nil
}

// addTo adds what the source is made of to a key.
func (o *opened) addTo(k *toolchain.Key) {
	k.Add(o.t.Version, fmt.Sprint(len(o.files)))
	for _, f := range o.files {
		name, err := filepath.Rel(filepath.Dir(o.path), f.path)
		if err != nil {
			name = f.path
		}
		k.Add(name, f.contents)
	}
	if o.executable != "" {
		k.Add(filepath.Base(filepath.Dir(o.executable)))
	}
}

// list returns the generators of the source. Having none is an error.
func (o *opened) list(ctx context.Context) (list []Generator, err error) {
	if o.executable != "" {
		list, err = o.listCPlusPlus(ctx)
	} else {
		list, err = o.listPython(ctx)
	}
	if err == nil && len(list) == 0 {
		err = o.noGenerator()
	}
	return list, err
}

// noGenerator returns the error of a source without generators: what to do with other C++ and Python.
func (o *opened) noGenerator() error {
	err := fmt.Errorf("%s: it has no generator; a Python generator is a class below @hl.generator(name=\"NAME\"), "+
		"a C++ one is registered by HALIDE_REGISTER_GENERATOR", o.path)
	var contents string
	for _, f := range o.files {
		if f.path == o.path {
			contents = f.contents
		}
	}
	prototypes := firstGroups(exportedAsC(), contents)
	switch {
	case isPython(o.path):
		return remedy.With(err, remedy.Remedy{Kind: remedy.Act,
			Value: "measure the whole script: zonemark run -- python3 " + filepath.Base(o.path)})
	case len(prototypes) > 0:
		for i := range prototypes {
			prototypes[i] = strings.Join(strings.Fields(prototypes[i]), " ")
		}
		name, _, _ := strings.Cut(prototypes[0], "(")
		name = name[strings.LastIndexAny(name, " *")+1:]
		return remedy.With(err, remedy.Remedy{Kind: remedy.Call, Name: name, Value: strings.Join(prototypes, "\n")})
	}
	declare := "declare a function extern \"C\" to measure it as one of C"
	if names := firstGroups(definedInCXX(), contents); len(names) > 0 {
		base, extension := filepath.Base(o.path), filepath.Ext(o.path)
		declared := shellwords.Line(strings.TrimSuffix(base, extension) + "_c" + extension)
		declare += fmt.Sprintf(":\n  sed 's/^[A-Za-z].*[ *]%s(/extern \"C\" &/' %s >%s && zonemark run %s", names[0],
			shellwords.Line(base), declared, declared)
	}
	return remedy.With(err, remedy.Remedy{Kind: remedy.Act, Value: declare})
}

// definedInCXX is a function of C++ that could be called as one of C.
var definedInCXX = lazyregexp.New(`(?m)^(?:(?:const|unsigned|signed|void|bool|char|short|int|long|float|double|\w+_t)` +
	`[\s*]+)+(\w+)\([^;{}()<>&]*\)\s*\{`)

// exportedAsC is a function of C++ that is called as one of C.
var exportedAsC = lazyregexp.New(`extern\s+"C"\s+([^;{}()"]+\([^;{}()]*\))\s*\{`)

// names returns the names of the generators.
func (o *opened) names(ctx context.Context) (names []string, err error) {
	list, err := o.list(ctx)
	for _, g := range list {
		names = append(names, g.Name)
	}
	return names, err
}

// scratch makes a folder of its own for what a generator tells of itself. The caller removes it.
func (o *opened) scratch() (folder string, remove func(), err error) {
	root := filepath.Join(o.cache, cacheFolder)
	if err = os.MkdirAll(root, 0o777); err == nil {
		folder, err = os.MkdirTemp(root, ".listing-")
	}
	if err != nil {
		return "", nil, fmt.Errorf("cache for built pipelines: %w; choose another cache folder", err)
	}
	return folder, func() { os.RemoveAll(folder) }, nil
}

// access returns what a generator may use that writes to a folder.
func (o *opened) access(folder string) building.Access {
	return building.Access{
		Write: []string{folder}, Temporary: true,
		Read: append([]string{filepath.Dir(o.path), o.t.Folder, o.weights}, o.flags.Libraries...),
	}
}

func (o *opened) listPython(ctx context.Context) ([]Generator, error) {
	folder, remove, err := o.scratch()
	if err != nil {
		return nil, err
	}
	defer remove()
	answer := filepath.Join(folder, "answer")
	if _, err := o.script(ctx, folder, scriptRequest{Source: o.path, Answer: answer}); err != nil {
		return nil, o.explain(ctx, err, nil, "")
	}
	text, err := os.ReadFile(answer)
	if err != nil {
		return nil, fmt.Errorf("%s: it ended before its generators could be listed; a generator must not end Python",
			o.path)
	}
	var list []Generator
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s: the list of its generators: %w", o.path, err)
	}
	return list, nil
}

// script runs buildScript and returns what it printed. The interpreter ignores the user's
// variables and packages and writes no compiled files beside the source.
func (o *opened) script(ctx context.Context, folder string, r scriptRequest) (output string, err error) {
	input, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	return o.t.run(ctx, toolchain.Program{
		Command: []string{o.t.Python, "-I", "-B", "-c", buildScript}, Folder: folder, Input: input,
		Access: o.access(folder),
	})
}

// start runs the program of a compiled generator.
func (o *opened) start(ctx context.Context, folder string, args ...string) (string, error) {
	return o.t.run(ctx, toolchain.Program{
		Command: slices.Concat([]string{o.executable}, args), Folder: folder, Access: o.access(folder),
	})
}

// pipelineName is the name of the files of a pipeline, without what each kind adds.
const pipelineName = "pipeline"

// outputFile is a kind of file that Halide makes of a pipeline.
type outputFile struct {
	emit   string // Halide's name of the kind
	suffix string
	wanted bool
	path   func(*Pipeline) *string
}

// files returns the kinds of files and which are asked for.
func (p *plan) files() []outputFile {
	object := ".o"
	if slices.Contains(strings.Split(p.target, "-"), "windows") {
		object = ".obj"
	}
	o := p.Outputs
	return []outputFile{
		{"object", object, o.Object || o.Library, func(p *Pipeline) *string { return &p.Object }},
		{"schedule", ".schedule.h", o.Schedule, func(p *Pipeline) *string { return &p.Schedule }},
		{"featurization", ".featurization", o.Featurization, func(p *Pipeline) *string { return &p.Featurization }},
		{"stmt", ".stmt", o.Statements, func(p *Pipeline) *string { return &p.Statements }},
		{"assembly", ".s", o.Assembly, func(p *Pipeline) *string { return &p.Assembly }},
	}
}

// build makes the files of one generator.
func (o *opened) build(ctx context.Context, p *plan, name string) (Pipeline, error) {
	made := Pipeline{Generator: name, Function: p.Function}
	if made.Function == "" {
		made.Function = name
	}
	k := &toolchain.Key{}
	k.Add("pipeline", p.target, p.scheduler.name, p.weights, made.Generator, made.Function)
	o.addTo(k)
	k.AddMap(p.GeneratorParams)
	k.AddMap(p.namedByContents())
	var emit, want []string
	for _, f := range p.files() {
		if f.wanted {
			emit, want = append(emit, f.emit), append(want, pipelineName+f.suffix)
		}
	}
	k.Add(emit...)
	folder, err := cached(o.cache, *k, want, func(folder string) error {
		return o.generate(ctx, p, made, folder, strings.Join(emit, ","))
	})
	if err != nil {
		return Pipeline{}, err
	}
	for _, f := range p.files() {
		if f.wanted {
			*f.path(&made) = filepath.Join(folder, pipelineName+f.suffix)
		}
	}
	return made, nil
}

// namedByContents returns the parameters of the scheduler without the path of the weights, whose contents count.
func (p *plan) namedByContents() map[string]string {
	kept := map[string]string{}
	for name, value := range p.params {
		if name != weightsParameter {
			kept[name] = value
		}
	}
	return kept
}

// generate runs a generator.
func (o *opened) generate(ctx context.Context, p *plan, made Pipeline, folder, emit string) error {
	args := []string{"-g", made.Generator, "-f", made.Function, "-n", pipelineName, "-o", folder, "-e", emit}
	if p.scheduler.halide != "" {
		args = append(args, "-p", o.t.Plugin(p.scheduler.name))
	}
	args = append(args, "target="+p.target+"-"+noRuntime)
	if p.scheduler.halide != "" {
		args = append(args, "autoscheduler="+p.scheduler.halide)
	}
	args = append(args, assignments("autoscheduler.", p.params)...)
	args = append(args, assignments("", p.GeneratorParams)...)
	unscheduled := p.scheduler.name == None
	var said string
	var err error
	if o.executable == "" {
		said, err = o.script(ctx, folder, scriptRequest{Source: o.path, Arguments: args, Unscheduled: unscheduled})
	} else {
		if unscheduled {
			args = append(args, "autoscheduler="+unscheduledName)
		}
		said, err = o.start(ctx, folder, args...)
	}
	switch {
	case err != nil:
		return o.explain(ctx, err, p, made.Generator)
	case strings.Contains(said, unreadWeights):
		return fmt.Errorf("%s: scheduler %s could not read %s and has used random weights instead: %s", o.path,
			p.scheduler.name, p.params[weightsParameter], toolchain.FirstLines(said))
	}
	return nil
}

// unreadWeights is in what a plugin prints before it goes on with random weights.
const unreadWeights = "error in reading weights"

// assignments returns the entries of a map as PREFIXNAME=VALUE, in the order of their names.
func assignments(prefix string, values map[string]string) (list []string) {
	for name, value := range values {
		list = append(list, prefix+name+"="+value)
	}
	slices.Sort(list)
	return list
}

// explain returns the error of a generator that failed: what is wrong, where, and what to do.
func (o *opened) explain(ctx context.Context, err error, p *plan, name string) error {
	at := o.path
	if name != "" {
		at += ": generator " + name
	}
	var failed *toolchain.FailedError
	if !errors.As(err, &failed) {
		return fmt.Errorf("%s: %w", at, err)
	}
	d := diagnose(failed.Said)
	if d.kind == notUnderstood {
		if err := refusal(at, failed.Said); err != nil {
			return err
		}
	}
	var text string
	switch d.kind {
	case noGenerator:
		return unknown(fmt.Sprintf("%s: it has no generator", o.path), d.subject, d.known)
	case noParameter:
		known, _, err := o.parameters(ctx, name)
		if err == nil && len(known) == 0 && o.executable != "" {
			return fmt.Errorf("%s: it has no parameter %q; it has none", at, d.subject)
		}
		return unknown(at+": it has no parameter", d.subject, known)
	case noTarget:
		return fmt.Errorf("%s: Halide does not know the target %q%s", at, p.target, misspelt(p.target, d.known))
	case noEstimate:
		return remedy.With(
			fmt.Errorf("%s: scheduler %s needs estimates of all sizes and scalars: %s", at, p.scheduler.name, d.text),
			remedy.Remedy{Kind: remedy.Act, Value: "call set_estimates in the generator"},
			remedy.Remedy{Kind: remedy.Choose, Name: "scheduler", Value: "none or manual"})
	case noGPU:
		text = fmt.Sprintf("scheduler %s makes schedules for GPUs only: %s; choose a target with a GPU, such as "+
			"host-cuda, or another scheduler", p.scheduler.name, d.text)
	case noValue:
		text = d.text
		for _, name := range slices.Sorted(maps.Keys(p.GeneratorParams)) {
			if p.GeneratorParams[name] == d.subject {
				text += fmt.Sprintf(" (parameter %s=%s)", name, d.subject)
			}
		}
	case otherError:
		text = d.text
	default:
		return fmt.Errorf("%s: %w", at, failed)
	}
	return lacking(fmt.Errorf("%s: %s%s", at, text, d.printed), d.text)
}

// parameters returns the names of the parameters of a generator, and of those that inputs and outputs of one in C++ may
// have.
func (o *opened) parameters(ctx context.Context, name string) (known, ofPorts []string, err error) {
	if o.executable != "" {
		return o.parametersInStub(ctx, name)
	}
	list, err := o.list(ctx)
	for _, g := range list {
		if g.Name == name {
			for _, p := range g.Parameters {
				known = append(known, p.Name)
			}
		}
	}
	return known, nil, err
}
