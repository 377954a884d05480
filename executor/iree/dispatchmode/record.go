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
	"zonemark/executor/iree/tensor"
	"zonemark/executor/iree/vmfb"
	"zonemark/invocations"
)

// recordTimeout limits a tool that records a run, which calls a function once, or reads it.
const recordTimeout = 5 * time.Minute

// Tool runs a tool of IREE's wheel in a folder, to its end, and returns what it prints. If it fails, the error holds what
// it printed on stderr.
type Tool func(ctx context.Context, folder, name string, args ...string) ([]byte, error)

// Recorder finds the plan of a module: one that exists, or by recording a run of the module.
type Recorder struct {
	Cache      string // folder below which plans are kept; empty: none is recorded
	Tool       Tool   // nil: IREE's tools are not installed
	Refused    error  // why the tools do not run the module; nil: nothing is known against it
	Parameters string // files with the module's parameters, [SCOPE=]PATH separated by commas; empty: none
}

// record runs each function of a module once under IREE's recorder and makes the plan of it. The problems say which
// functions could not be recorded, and why.
func (r *Recorder) record(
	ctx context.Context, m *vmfb.Module, file string,
) (p *dispatchplan.Plan, problems []string, err error) {
	p = &dispatchplan.Plan{Version: dispatchplan.Version}
	if r.Refused != nil { // the tools would repeat the message for each function
		return p, []string{fmt.Sprintf("%s: how its functions call their dispatches was not recorded: %v, or say "+
			"yourself how they are called: --param workgroups=…, --param bindings=…", file, r.Refused)}, nil
	}
	folder, err := os.MkdirTemp("", "zonemark-replay-")
	if err != nil {
		return nil, nil, fmt.Errorf("record the dispatches: %w", err)
	}
	defer os.RemoveAll(folder)
	run := recording{Recorder: r, module: m, file: file, folder: folder}
	for i := range m.Functions {
		f := &m.Functions[i]
		types, reason := recordedInputs(f)
		if reason != "" {
			problems = append(problems, fmt.Sprintf("%s: how %s calls its dispatches was not recorded: %s",
				file, f.Name, reason))
			continue
		}
		one, err := run.function(ctx, f, types)
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s: how %s calls its dispatches was not recorded: %v",
				file, f.Name, err))
			continue
		}
		p.Functions = append(p.Functions, *one)
	}
	return p, problems, nil
}

// recordedInputs returns the types of a function's inputs. reason says why they are not known.
func recordedInputs(f *vmfb.Function) (types []string, reason string) {
	for _, v := range f.Arguments {
		element, known := invocations.ParseMLIRName(v.Type.Element)
		if v.Type.Kind == vmfb.Opaque || !known || slices.Contains(v.Type.Shape, vmfb.Dynamic) {
			return nil, fmt.Sprintf("%s is %s, which leaves its shape to the caller", v.Name, v.Type.Text)
		}
		t := tensor.Tensor{Element: element, Shape: v.Type.Shape}
		types = append(types, t.Type())
	}
	return types, ""
}

// recording is a run of the tools on one module.
type recording struct {
	*Recorder
	module *vmfb.Module
	file   string // path of the module
	folder string
}

// recordedDevice is the device on which runs are recorded.
const recordedDevice = "local-sync"

func (r *recording) function(ctx context.Context, f *vmfb.Function, types []string) (*dispatchplan.Function, error) {
	replay := filepath.Join(r.folder, "run.ireereplay")
	os.Remove(replay)
	args := []string{
		"--module=" + r.file,
		"--function=" + f.Name,
		"--device=" + recordedDevice,
		"--device_replay_output=" + replay,
	}
	for range f.Results { // one flag for each result: it is not printed
		args = append(args, "--output=")
	}
	for i, t := range types {
		value := "=1"
		if element, _ := invocations.ParseMLIRName(f.Arguments[i].Type.Element); element.Float() {
			value = "=0.01" // neither zero nor large, so that no intermediate result is
		}
		if f.Arguments[i].Type.Kind == vmfb.Scalar { // the tool takes scalars without a type
			args = append(args, "--input="+strings.TrimPrefix(value, "="))
			continue
		}
		args = append(args, "--input="+t+value)
	}
	if r.Parameters != "" {
		for name := range strings.SplitSeq(r.Parameters, ",") {
			args = append(args, "--parameters="+name)
		}
	}
	if _, err := r.run(ctx, "iree-run-module", args...); err != nil {
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
	plan, err := dispatchplan.ReadReplay(bytes.NewReader(lines), file,
		func(e dispatchplan.Executable) (int, error) { return r.library(file, e) })
	if err != nil {
		return nil, err
	}
	return plan, r.finish(plan, f, types)
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
		if v.Type.Kind == vmfb.Tensor {
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
	if plan.Incomplete == "" {
		plan.Inputs = types
		return nil
	}
	plan.Inputs, plan.Outputs = nil, nil
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
	f, err := os.Open(r.file)
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
