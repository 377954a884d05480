// Package dispatchplan describes what the dispatches of a module's functions are called with: how many workgroups,
// which constants, which parts of which buffers. An executable library does not contain this, so a plan is recorded
// from one run of the module. The package runs nothing.
package dispatchplan

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/invocations/files"
)

// Version is the version of the file format. Plans whose functions have nothing but dispatches are of version 1, so
// that they are read by older programs.
const (
	Version = 2
	oldest  = 1
)

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
	// Data is the path of the file with what the module holds, such as weights; relative as Module is. Empty: there is
	// none.
	Data string `json:"data,omitempty"`
	// Unrecorded are the functions of which no call was recorded.
	Unrecorded []Unrecorded `json:"unrecorded,omitempty"`
}

// Unrecorded says why no call of a function was recorded.
type Unrecorded struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
	// Shape is a type of an input, such as "16x4xf32", if the function leaves that to its caller, who gave none; else
	// empty.
	Shape string `json:"shape,omitempty"`
}

// Function describes what one call of an exported function does.
type Function struct {
	Name       string   `json:"name"`
	Inputs     []string `json:"inputs,omitempty"` // types that it was recorded with, "64x256xf32"
	Buffers    []Buffer `json:"buffers"`
	Dispatches []Step   `json:"dispatches"` // in order
	Outputs    []Range  `json:"outputs,omitempty"`
	// Results are the types of the outputs if the function does not declare all of them.
	Results []string `json:"results,omitempty"`
	// Setup is what is done when the module is loaded: it reads weights and computes constants.
	Setup []Operation `json:"setup,omitempty"`
	// After is done behind the last dispatch.
	After []Operation `json:"after,omitempty"`
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
	// Before is done before the call, behind the dispatch before it. It is no part of the call.
	Before []Operation `json:"before,omitempty"`
}

// Operation is something that is done with buffers beside the dispatches of a call: one of its fields is not nil.
type Operation struct {
	Fill     *Fill `json:"fill,omitempty"`
	Copy     *Copy `json:"copy,omitempty"`
	Load     *Load `json:"load,omitempty"`
	Dispatch *Step `json:"dispatch,omitempty"`
}

// Fill repeats a pattern.
type Fill struct {
	To      Range  `json:"to"`
	Pattern []byte `json:"pattern"`
}

// Copy copies as many bytes as From has.
type Copy struct {
	From Range `json:"from"`
	To   Range `json:"to"`
}

// Load reads a part of a file.
type Load struct {
	To     Range  `json:"to"`
	File   string `json:"file,omitempty"` // absolute path; empty: the plan's own data
	Offset int64  `json:"offset,omitempty"`
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
	data, err := files.ReadStranger(path, maxFileBytes)
	var long *files.TooLongError
	if errors.Is(err, fs.ErrInvalid) || errors.As(err, &long) {
		return nil, fmt.Errorf("%s: not a regular file of at most %d bytes", path, maxFileBytes)
	}
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
	if p.Version < oldest || p.Version > Version {
		return nil, fmt.Errorf("dispatch plan of version %d; this zonemark reads versions %d to %d: record it again",
			p.Version, oldest, Version)
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
	for i := range f.Dispatches {
		if err := f.Dispatches[i].check(within); err != nil {
			return err
		}
	}
	if err := checkAll(f.Setup, within); err != nil {
		return fmt.Errorf("setup: %w", err)
	}
	if err := checkAll(f.After, within); err != nil {
		return fmt.Errorf("after the dispatches: %w", err)
	}
	if len(f.Results) > 0 && len(f.Results) != len(f.Outputs) {
		return fmt.Errorf("%d types of %d outputs", len(f.Results), len(f.Outputs))
	}
	for i, r := range f.Outputs {
		if err := within(r); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	return nil
}

func (d *Step) check(within func(Range) error) error {
	if d.Library < 0 || d.Ordinal < 0 || d.Ordinal > math.MaxInt32 {
		return fmt.Errorf("dispatch %s: export %d of library %d", d.Name, d.Ordinal, d.Library)
	}
	for i, r := range d.Bindings {
		if err := within(r); err != nil {
			return fmt.Errorf("dispatch %s, binding %d: %w", d.Name, i, err)
		}
	}
	if err := checkAll(d.Before, within); err != nil {
		return fmt.Errorf("before dispatch %s: %w", d.Name, err)
	}
	return nil
}

func checkAll(list []Operation, within func(Range) error) error {
	for i := range list {
		if err := list[i].check(within); err != nil {
			return fmt.Errorf("operation %d: %w", i, err)
		}
	}
	return nil
}

func (o *Operation) check(within func(Range) error) error {
	kinds := 0
	for _, is := range []bool{o.Fill != nil, o.Copy != nil, o.Load != nil, o.Dispatch != nil} {
		if is {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		return fmt.Errorf("it is %d things; want one", kinds)
	case o.Dispatch != nil && len(o.Dispatch.Before) > 0:
		return errors.New("a dispatch of it has operations of its own")
	case o.Dispatch != nil:
		return o.Dispatch.check(within)
	case o.Copy != nil && o.Copy.From.Bytes != o.Copy.To.Bytes:
		return fmt.Errorf("%d bytes are copied to %d", o.Copy.From.Bytes, o.Copy.To.Bytes)
	case o.Copy != nil:
		return errors.Join(within(o.Copy.From), within(o.Copy.To))
	case o.Fill != nil && len(o.Fill.Pattern) == 0:
		return errors.New("a pattern of no bytes")
	case o.Fill != nil:
		return within(o.Fill.To)
	case o.Load.Offset < 0:
		return fmt.Errorf("byte %d of a file", o.Load.Offset)
	}
	return within(o.Load.To)
}

// ranges returns the parts of buffers that the operation uses.
func (o *Operation) ranges() []Range {
	switch {
	case o.Fill != nil:
		return []Range{o.Fill.To}
	case o.Copy != nil:
		return []Range{o.Copy.From, o.Copy.To}
	case o.Load != nil:
		return []Range{o.Load.To}
	}
	return o.Dispatch.Bindings
}

// operations returns all that is done beside the dispatches.
func (f *Function) operations() []Operation {
	list := slices.Concat(f.Setup, f.After)
	for i := range f.Dispatches {
		list = append(list, f.Dispatches[i].Before...)
	}
	return list
}

// Plain reports whether the function has nothing but dispatches and declared results.
func (f *Function) Plain() bool { return len(f.operations()) == 0 && len(f.Results) == 0 }

// Files returns the paths of the files that the plan at path reads, beside the module.
func (p *Plan) Files(path string) (list []string) {
	if p.Data != "" {
		list = append(list, p.DataPath(path))
	}
	for i := range p.Functions {
		for _, o := range p.Functions[i].operations() {
			if o.Load != nil && o.Load.File != "" && !slices.Contains(list, o.Load.File) {
				list = append(list, o.Load.File)
			}
		}
	}
	return list
}

// Move replaces the absolute paths in the plan.
func (p *Plan) Move(moved func(file string) string) {
	for _, path := range []*string{&p.Module, &p.Data} {
		if filepath.IsAbs(*path) {
			*path = moved(*path)
		}
	}
	for i := range p.Functions {
		for _, o := range p.Functions[i].operations() { // copies, whose pointers lead to the plan's own
			if o.Load != nil && filepath.IsAbs(o.Load.File) {
				o.Load.File = moved(o.Load.File)
			}
		}
	}
}

// DataPath returns the path of the data of the plan that lies at path.
func (p *Plan) DataPath(path string) string {
	if filepath.IsAbs(p.Data) {
		return p.Data
	}
	return filepath.Join(filepath.Dir(path), p.Data)
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
	for _, o := range f.operations() {
		for _, r := range o.ranges() {
			used = max(used, r.Buffer+1)
		}
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
