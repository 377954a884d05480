// Package dispatchplan describes what the dispatches of a module's functions are called with: how many workgroups,
// which constants, which parts of which buffers. An executable library does not contain this, so a plan is recorded
// from one run of the module. The package runs nothing.
package dispatchplan

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"zonemark/driver/files"
)

// Version is the version of the file format.
const Version = 1

// Extension ends the name of a plan: the plan of model.vmfb is model.dispatches.json.
const Extension = ".dispatches.json"

// Is reports whether the file at path is a plan, by its name.
func Is(path string) bool { return strings.HasSuffix(path, Extension) }

// Plan is a recorded module. As a file it is JSON.
type Plan struct {
	Version   int        `json:"version"`
	Module    string     `json:"module"`        // path of the .vmfb, relative to the plan unless it is absolute
	SHA256    string     `json:"module_sha256"` // hash of that file, in hexadecimal
	Functions []Function `json:"functions"`
}

// Function describes what one call of an exported function does.
type Function struct {
	Name       string   `json:"name"`
	Inputs     []string `json:"inputs,omitempty"` // types that it was recorded with, "64x256xf32"
	Buffers    []Buffer `json:"buffers"`
	Dispatches []Step   `json:"dispatches"` // in order
	Outputs    []Range  `json:"outputs,omitempty"`
	// Incomplete says why calling the dispatches in order does not compute what the function does. It is empty if it
	// does.
	Incomplete string `json:"incomplete,omitempty"`
}

// Buffer is memory that dispatches share.
type Buffer struct {
	Bytes int64 `json:"bytes"`
	Input *int  `json:"input,omitempty"` // position of the function's input that it holds at first
}

// Step is one call of an export.
type Step struct {
	Name       string    `json:"name"`
	Library    int       `json:"library"` // position among the libraries of the module
	Ordinal    int       `json:"ordinal"` // ordinal of the export
	Workgroups [3]uint32 `json:"workgroups"`
	Constants  []uint32  `json:"constants,omitempty"`
	Bindings   []Range   `json:"bindings"`
}

// Range is a part of a buffer.
type Range struct {
	Buffer int   `json:"buffer"` // position among the function's buffers
	Offset int64 `json:"offset,omitempty"`
	Bytes  int64 `json:"bytes"`
}

// Limits of what a plan may ask for.
const (
	maxFileBytes = 64 << 20
	maxBytes     = 1 << 46 // bytes of a buffer
)

// Read reads the plan at path.
func Read(path string) (*Plan, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("dispatch plan: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxFileBytes {
		return nil, fmt.Errorf("%s: not a regular file of at most %d bytes", path, maxFileBytes)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("dispatch plan: %w", err)
	}
	p, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// Parse reads a plan and checks that its references are valid.
func Parse(data []byte) (*Plan, error) {
	p := &Plan{}
	if err := json.Unmarshal(data, p); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("dispatch plan, byte %d: %w", syntax.Offset, err)
		}
		return nil, fmt.Errorf("dispatch plan: %w", err)
	}
	if p.Version != Version {
		return nil, fmt.Errorf("dispatch plan of version %d; this zonemark reads version %d: record it again",
			p.Version, Version)
	}
	for i := range p.Functions {
		if err := p.Functions[i].check(); err != nil {
			return nil, fmt.Errorf("dispatch plan, function %q: %w", p.Functions[i].Name, err)
		}
	}
	return p, nil
}

func (f *Function) check() error {
	for i, b := range f.Buffers {
		if b.Bytes < 0 || b.Bytes > maxBytes {
			return fmt.Errorf("buffer %d of %d bytes", i, b.Bytes)
		}
		if b.Input != nil && (*b.Input < 0 || *b.Input >= len(f.Inputs)) {
			return fmt.Errorf("buffer %d is input %d of %d", i, *b.Input, len(f.Inputs))
		}
	}
	within := func(r Range) error {
		if r.Buffer < 0 || r.Buffer >= len(f.Buffers) {
			return fmt.Errorf("buffer %d of %d", r.Buffer, len(f.Buffers))
		}
		size := f.Buffers[r.Buffer].Bytes
		if r.Offset < 0 || r.Bytes < 0 || r.Offset > size || r.Bytes > size-r.Offset {
			return fmt.Errorf("%d bytes from %d on of buffer %d, which has %d", r.Bytes, r.Offset, r.Buffer, size)
		}
		return nil
	}
	for _, d := range f.Dispatches {
		if d.Library < 0 || d.Ordinal < 0 || d.Ordinal > math.MaxInt32 {
			return fmt.Errorf("dispatch %s: export %d of library %d", d.Name, d.Ordinal, d.Library)
		}
		for i, r := range d.Bindings {
			if err := within(r); err != nil {
				return fmt.Errorf("dispatch %s, binding %d: %w", d.Name, i, err)
			}
		}
	}
	for i, r := range f.Outputs {
		if err := within(r); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	return nil
}

// ModulePath returns the path of the module of the plan that lies at path.
func (p *Plan) ModulePath(path string) string {
	if filepath.IsAbs(p.Module) {
		return p.Module
	}
	return filepath.Join(filepath.Dir(path), p.Module)
}

// Trim drops the buffers at the end that nothing refers to, such as those through which a host reads results.
func (f *Function) Trim() {
	used := 0
	for i, b := range f.Buffers {
		if b.Input != nil {
			used = i + 1
		}
	}
	for _, d := range f.Dispatches {
		for _, r := range d.Bindings {
			used = max(used, r.Buffer+1)
		}
	}
	for _, r := range f.Outputs {
		used = max(used, r.Buffer+1)
	}
	f.Buffers = f.Buffers[:used]
}

// Write writes the plan to a file in one step, so that nobody reads an incomplete one.
func (p *Plan) Write(path string) error {
	data, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		return fmt.Errorf("dispatch plan: %w", err)
	}
	if err := files.Write(path, 0o644, append(data, '\n')); err != nil {
		return fmt.Errorf("dispatch plan: %w", err)
	}
	return nil
}
