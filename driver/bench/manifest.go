package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/invocations/files"
)

// Manifest describes an export: its programs, their inputs and their expected outputs. The manifest of a model that is
// only described names no files.
type Manifest struct {
	Version        int    `json:"version"`
	Model          string `json:"model"`
	Config         string `json:"config"`
	Training       bool   `json:"training"`
	Layers         int    `json:"layers"` // 0: as the model was published
	Generative     bool   `json:"generative"`
	DType          string `json:"dtype"` // of weights and activations, as NumPy names it
	EmulatedFormat string `json:"emulated_format,omitempty"`
	Microbatch     int64  `json:"microbatch"` // batch size
	// Tokens is how many tokens an execution of a generative model makes; 0 for other models.
	Tokens       int64             `json:"tokens_per_iteration"`
	Parameters   int64             `json:"parameters"`
	WeightsBytes int64             `json:"weights_bytes"`
	FLOP         float64           `json:"flop,omitempty"` // of an execution of the device's module; 0: not known
	NotApplied   map[string]string `json:"not_applied,omitempty"`
	Accuracy     *Accuracy         `json:"accuracy,omitempty"` // of the emulated format
	Generator    map[string]string `json:"generator,omitempty"`
	Modules      []Module          `json:"modules"`
}

// Accuracy compares the results in an emulated format with float32 results without rounding.
type Accuracy struct {
	Cosine float64 `json:"cosine"`
	MaxAbs float64 `json:"max_abs"`
	MaxRel float64 `json:"max_rel"`
}

// The roles of modules tell where they run, in the order of execution.
const (
	RolePre    = "cpu-pre"
	RoleDevice = "device"
	RolePost   = "cpu-post"
)

// Module is one program.
type Module struct {
	Role      string    `json:"role"`
	Program   string    `json:"program"`  // name of a StableHLO file; empty if the model is only described
	Function  string    `json:"function"` // the entry point
	FLOP      float64   `json:"flop,omitempty"`
	Inputs    []Array   `json:"inputs"` // in the order of Function's arguments, weights first
	Outputs   []Array   `json:"outputs"`
	Tolerance Tolerance `json:"tolerance"`
}

// The kinds of inputs.
const (
	KindWeight   = "weight"
	KindInput    = "input"
	KindPrevious = "previous" // a result of the preceding module
)

// Array is an argument or a result of a module.
type Array struct {
	Name   string  `json:"name"`
	Kind   string  `json:"kind,omitempty"` // of an input
	DType  string  `json:"dtype"`
	Shape  []int64 `json:"shape"`
	File   string  `json:"file,omitempty"`   // name of a .npy file in the manifest's folder
	Output int     `json:"output,omitempty"` // index of the result, for KindPrevious
}

// Tolerance bounds the difference between results and those of JAX.
type Tolerance struct {
	Relative float64 `json:"relative"`
	Absolute float64 `json:"absolute"`
}

// Weights returns the number of leading inputs that are weights.
func (m *Module) Weights() int {
	i := slices.IndexFunc(m.Inputs, func(a Array) bool { return a.Kind != KindWeight })
	if i < 0 {
		return len(m.Inputs)
	}
	return i
}

// maxManifestBytes is far more than any manifest needs: a model has a few thousand arrays.
const maxManifestBytes = 64 << 20

// ReadManifest reads the manifest of an export. It does not open the files that the manifest names, which are in its
// folder.
func ReadManifest(path string) (*Manifest, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, fmt.Errorf("manifest of an export: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxManifestBytes+1))
	if err != nil {
		return nil, fmt.Errorf("manifest of an export: %w", err)
	}
	m, err := ParseManifest(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, module := range m.Modules {
		if module.Program == "" {
			return nil, fmt.Errorf("%s: the module %s has no program", path, module.Role)
		}
	}
	return m, nil
}

// ParseManifest parses a manifest and checks it: it must have one module for the device, at most one before and one
// after that, plain file names, and shapes without negative dimensions.
func ParseManifest(data []byte) (*Manifest, error) {
	if len(data) > maxManifestBytes {
		return nil, fmt.Errorf("larger than %d MiB: not a manifest of an export", maxManifestBytes>>20)
	}
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("not a manifest of an export: %w", err)
	}
	if m.Version != 1 {
		return nil, fmt.Errorf("a manifest of version %d, and this zonemark reads version 1", m.Version)
	}
	if m.Microbatch < 1 || m.Tokens < 0 || m.Parameters < 0 || m.WeightsBytes < 0 || !(m.FLOP >= 0) || m.Model == "" {
		return nil, errors.New("it has no model, or a count that is none: microbatch, tokens_per_iteration, " +
			"parameters, weights_bytes and flop are not negative")
	}
	return &m, m.checkModules()
}

// checkModules checks the order of the modules and each module by itself.
func (m *Manifest) checkModules() error {
	roles := []string{RolePre, RoleDevice, RolePost}
	before, device := -1, false
	for i := range m.Modules {
		module := &m.Modules[i]
		at := slices.Index(roles, module.Role)
		if at <= before {
			return fmt.Errorf("module %d has the role %q: want at most one each of %s, in this order",
				i, module.Role, strings.Join(roles, ", "))
		}
		before, device = at, device || module.Role == RoleDevice
		if err := module.check(i, m.Modules); err != nil {
			return fmt.Errorf("module %s: %w", module.Role, err)
		}
	}
	if !device {
		return errors.New("no module runs on the device")
	}
	return nil
}

// check checks module i of all.
func (m *Module) check(i int, all []Module) error {
	if m.Program != "" && !plainName(m.Program) {
		return fmt.Errorf("its program %q is not the name of a file beside the manifest", m.Program)
	}
	if m.Function == "" {
		return errors.New("it names no function")
	}
	if !(m.Tolerance.Relative >= 0) || math.IsInf(m.Tolerance.Relative, 0) || !(m.FLOP >= 0) {
		return errors.New("its tolerance or its flop is no number")
	}
	for j, a := range slices.Concat(m.Inputs, m.Outputs) {
		if a.File != "" && !plainName(a.File) {
			return fmt.Errorf("array %q: its file %q is not the name of a file beside the manifest", a.Name, a.File)
		}
		if slices.ContainsFunc(a.Shape, func(n int64) bool { return n < 0 }) {
			return fmt.Errorf("array %q has the shape %v", a.Name, a.Shape)
		}
		if j >= len(m.Inputs) {
			continue
		}
		if a.Kind != KindWeight && a.Kind != KindInput && a.Kind != KindPrevious {
			return fmt.Errorf("input %q is of kind %q: want %s, %s or %s",
				a.Name, a.Kind, KindWeight, KindInput, KindPrevious)
		}
		if a.Kind == KindPrevious && (i == 0 || a.Output < 0 || a.Output >= len(all[i-1].Outputs)) {
			return fmt.Errorf("input %q is result %d of the module before, but that module has no such result", a.Name, a.Output)
		}
	}
	return nil
}

// plainName reports whether a name denotes a file in the same folder on every operating system.
func plainName(name string) bool {
	return filepath.IsLocal(name) && !strings.ContainsAny(name, `/\:`) && name != "."
}
