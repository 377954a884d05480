package dispatchmode

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"zonemark/executor/iree/dispatchplan"
	"zonemark/executor/iree/functions"
	"zonemark/executor/iree/vmfb"
	"zonemark/invocations"
)

// recordTimeout limits a tool that records a run, which calls a function once, or reads it.
const recordTimeout = 5 * time.Minute

// Tool runs a tool of IREE's wheel in a folder, to its end, and returns what it prints. If it fails, the error holds
// what it printed on stderr.
type Tool func(ctx context.Context, folder, name string, args ...string) ([]byte, error)

// Recorder finds the plan of a module: one that exists, or by recording a run of the module.
type Recorder struct {
	Cache      string // folder below which plans are kept; empty: none is recorded
	Tool       Tool   // nil: IREE's tools are not installed
	Refused    error  // why the tools do not run the module; nil: nothing is known against it
	Parameters string // files with the module's parameters, [SCOPE=]PATH separated by commas; empty: none
	Inputs     []Input
	Called     []string // paths of the modules that the module calls, each before those that call it
}

// record runs each function of a module once under IREE's recorder and makes the plan of it. What the module holds,
// such as weights, it keeps in data. The problems say which functions could not be recorded, and why.
func (r *Recorder) record(
	ctx context.Context, m *vmfb.Module, file string, data *os.File,
) (p *dispatchplan.Plan, problems []string, err error) {
	p = &dispatchplan.Plan{Version: 1}
	if r.Refused != nil { // the tools would repeat the message for each function
		p.Unrecorded = []dispatchplan.Unrecorded{{Name: "*", Reason: r.Refused.Error()}}
		problem := fmt.Sprintf("%s: how its functions call their dispatches was not recorded: %v", file, r.Refused)
		return p, []string{problem}, nil
	}
	folder, err := os.MkdirTemp("", "zonemark-replay-")
	if err != nil {
		return nil, nil, fmt.Errorf("record the dispatches: %w", err)
	}
	defer os.RemoveAll(folder)
	run := recording{
		Recorder: r, module: m, file: file, folder: folder, data: keeper{file: data, places: map[string]int64{}},
	}
	for i := range m.Functions {
		f := &m.Functions[i]
		types, missing := r.types(f)
		var one *dispatchplan.Function
		if missing.Reason == "" {
			if one, err = run.function(ctx, f, types); err != nil {
				missing.Reason = err.Error()
			}
		}
		if missing.Reason != "" {
			missing.Name = f.Name
			problems = append(problems, fmt.Sprintf("%s: how %s calls its dispatches was not recorded: %s",
				file, f.Name, missing.Reason))
			p.Unrecorded = append(p.Unrecorded, missing)
			continue
		}
		if p.Functions = append(p.Functions, *one); !one.Plain() {
			p.Version = dispatchplan.Version
		}
	}
	return p, problems, nil
}

// recording is a run of the tools on one module.
type recording struct {
	*Recorder
	module *vmfb.Module
	file   string // path of the module
	folder string
	data   keeper
}

// recordedDevice is the device on which runs are recorded.
const recordedDevice = "local-sync"

func (r *recording) function(ctx context.Context, f *vmfb.Function, types []string) (*dispatchplan.Function, error) {
	replay := filepath.Join(r.folder, "run.ireereplay")
	os.Remove(replay)
	args, err := ToolFlags(append(slices.Clone(r.Called), r.file), r.Parameters)
	if err != nil {
		return nil, err
	}
	args = append(args, "--function="+f.Name, "--device="+recordedDevice, "--device_replay_output="+replay)
	output := "" // it is not printed
	if !declared(f) {
		output = "-"
		args = append(args, "--output_max_element_count=1")
	}
	for range f.Results {
		args = append(args, "--output="+output)
	}
	for i, t := range types {
		value := "=1"
		if a, err := invocations.ParseTensor(t); err == nil && a.Element.Float() {
			value = "=0.01" // neither zero nor large, so that no intermediate result is
		}
		if f.Arguments[i].Type.Kind == vmfb.Scalar { // the tool takes scalars without a type
			args = append(args, "--input="+strings.TrimPrefix(value, "="))
			continue
		}
		if a, _ := functions.Argument(f.Arguments[i], invocations.Input); a.Usage == invocations.InputOutput {
			t = "&" + t
		}
		args = append(args, "--input="+t+value)
	}
	printed, err := r.run(ctx, "iree-run-module", args...)
	if err != nil {
		return nil, err
	}
	lines, err := r.run(ctx, "iree-dump-replay", "--format=jsonl", replay)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(replay)
	if err != nil {
		return nil, fmt.Errorf("recorded run: %w", err)
	}
	defer file.Close()
	plan, err := dispatchplan.ReadReplay(dispatchplan.Replay{
		Lines: bytes.NewReader(lines), File: file, Keep: r.data.keep,
		Library: func(e dispatchplan.Executable) (int, error) { return r.library(file, e) },
	})
	if err != nil {
		return nil, err
	}
	if !declared(f) {
		plan.Results = printedTypes(printed)
	}
	return plan, r.finish(plan, f, types)
}

// ToolFlags returns the flags by which IREE's tools, which run in another folder, load modules and files of parameters,
// [SCOPE=]PATH separated by commas.
func ToolFlags(modules []string, parameters string) (flags []string, err error) {
	for _, path := range modules {
		if path, err = filepath.Abs(path); err != nil {
			return nil, fmt.Errorf("module: %w", err)
		}
		flags = append(flags, "--module="+path)
	}
	if parameters == "" {
		return flags, nil
	}
	for one := range strings.SplitSeq(parameters, ",") {
		scope, path, scoped := strings.Cut(one, "=")
		if !scoped {
			path = one
		}
		if path, err = filepath.Abs(path); err != nil {
			return nil, fmt.Errorf("parameters: %w", err)
		}
		if scoped {
			path = scope + "=" + path
		}
		flags = append(flags, "--parameters="+path)
	}
	return flags, nil
}

func (r *recording) run(ctx context.Context, name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	return r.Tool(ctx, r.folder, name, args...)
}

// finish puts names and types into a recorded function and reports whether its inputs and outputs were all recognized.
func (r *recording) finish(plan *dispatchplan.Function, f *vmfb.Function, types []string) error {
	plan.Name = f.Name
	plan.Trim()
	for i := range plan.Dispatches {
		d := &plan.Dispatches[i]
		if exports := r.module.Libraries[d.Library].Dispatches; d.Ordinal < len(exports) {
			d.Name = exports[d.Ordinal].Name
		}
	}
	buffers := 0 // inputs that are in buffers, not scalars
	for _, v := range f.Arguments {
		if v.Type.Kind != vmfb.Scalar {
			buffers++
		}
	}
	if plan.Incomplete == "" && (len(plan.Inputs) != buffers || buffers != len(types)) {
		plan.Incomplete = fmt.Sprintf("%d of %d inputs were recognized among its buffers", len(plan.Inputs), len(types))
	}
	if plan.Incomplete == "" && len(plan.Outputs) != len(f.Results) {
		plan.Incomplete = fmt.Sprintf("%d of %d results were recognized among its buffers",
			len(plan.Outputs), len(f.Results))
	}
	if plan.Incomplete == "" && len(plan.Results) > 0 && len(plan.Results) != len(f.Results) {
		plan.Incomplete = fmt.Sprintf("the types of %d of %d results are known", len(plan.Results), len(f.Results))
	}
	if plan.Incomplete == "" {
		plan.Inputs = types
		return nil
	}
	plan.Inputs, plan.Outputs, plan.Results = nil, nil, nil
	for i := range plan.Buffers {
		plan.Buffers[i].Input = nil
	}
	return nil
}

// library returns the position of the module's library that has the same bytes as an executable of the recorded run.
func (r *recording) library(file io.ReaderAt, e dispatchplan.Executable) (int, error) {
	for i, l := range r.module.Libraries {
		if l.Machine != vmfb.Here {
			continue
		}
		same, err := r.same(io.NewSectionReader(file, e.Offset, e.Length), &l)
		if err != nil {
			return 0, err
		}
		if same {
			return i, nil
		}
	}
	return 0, errors.New("the run used an executable that is not in the module")
}

// same reports whether a part of a recorded run has the bytes of a library of the module.
func (r *recording) same(part *io.SectionReader, l *vmfb.Library) (bool, error) {
	if l.Bytes != part.Size() {
		return false, nil
	}
	f, err := os.Open(l.File)
	if err != nil {
		return false, err
	}
	defer f.Close()
	a, err := readerHash(part)
	if err != nil {
		return false, err
	}
	b, err := readerHash(io.NewSectionReader(f, l.Offset, l.Bytes))
	return a == b, err
}

// modulesHash returns the SHA-256 of a module in hexadecimal: of its file, and of those that hold libraries which it
// calls.
func modulesHash(m *vmfb.Module, file string) (string, error) {
	hash, err := fileHash(file)
	seen := map[string]bool{}
	for i := range m.Libraries {
		l := &m.Libraries[i]
		if err != nil || l.Of == "" || seen[l.File] {
			continue
		}
		seen[l.File] = true
		var called string
		called, err = fileHash(l.File)
		sum := sha256.Sum256([]byte(hash + called))
		hash = hex.EncodeToString(sum[:])
	}
	return hash, err
}

// fileHash returns the SHA-256 of a file in hexadecimal.
func fileHash(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("IREE module: %w", err)
	}
	defer f.Close()
	return readerHash(f)
}

func readerHash(r io.Reader) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
