// Package vmfb reads IREE modules (.vmfb) without a runtime: what a module exports and imports, and which executable
// libraries are in it. It executes nothing of the file. It knows nothing of invocations or of how modules are run.
package vmfb

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Module is the content of a file.
type Module struct {
	Name         string // namespace of its functions, usually "module"
	Version      uint32 // version of the module, set by its author
	Bytecode     BytecodeVersion
	Dependencies []Dependency
	Imports      []string   // functions of other modules that it calls, fully qualified
	Functions    []Function // exported functions that a caller may call, in file order
	Formats      []string   // formats of executables that it can choose between, "embedded-elf-x86_64"
	Libraries    []Library  // executable libraries in the file, in file order
}

// BytecodeVersion is the version of the instructions of a module. A runtime runs its own major version, with any minor
// version up to its own.
type BytecodeVersion struct{ Major, Minor uint16 }

func (v BytecodeVersion) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// Dependency is another module that must be loaded, such as hal.
type Dependency struct {
	Name           string
	MinimumVersion uint32
	Optional       bool
}

// Function is one exported function.
type Function struct {
	Name              string
	CallingConvention string // "0rr_r": version, arguments, results; see iree/vm/module.h
	Attributes        map[string]string
	// Declaration is in MLIR's words, "sync func @f(%input0: tensor<4xf32>) -> …"; empty if the module has none.
	Declaration string
	Arguments   []Value
	Results     []Value
}

// Value is an argument or a result of a function.
type Value struct {
	Name string // name in the declaration, without the sigil: "input0"
	Type Type
}

// ErrNotModule reports a file that is not an IREE module at all.
var ErrNotModule = errors.New("not an IREE module: neither a ZIP archive nor a flatbuffer")

// maxFlatbuffer limits the part of a module that is read into memory: offsets inside it are signed 32-bit numbers.
const maxFlatbuffer = 1<<31 - 1

// Read reads the module at path. Errors name the path.
func Read(path string) (*Module, error) {
	info, err := os.Stat(path) // before it is opened: opening a pipe would wait for a writer
	if err != nil {
		return nil, fmt.Errorf("IREE module: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("IREE module: %w", err)
	}
	defer f.Close()
	m, err := Parse(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i := range m.Libraries {
		m.Libraries[i].File = path
	}
	return m, nil
}

// Call adds the libraries of a module that this one calls, behind its own.
func (m *Module) Call(called *Module) {
	for _, l := range called.Libraries {
		l.Of = called.Name
		m.Libraries = append(m.Libraries, l)
	}
}

// Parse reads a module of size bytes.
func Parse(r io.ReaderAt, size int64) (*Module, error) {
	var magic [12]byte
	n, err := r.ReadAt(magic[:], 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	head := string(magic[:n])
	switch {
	case strings.HasPrefix(head, "PK\x03\x04"):
		return parseArchive(r, size)
	case len(head) == 12 && (head[4:8] == identifier || head[8:12] == identifier):
		return parseBare(r, size)
	}
	return nil, ErrNotModule
}

// parseBare reads a module that is not in an archive: the flatbuffer, followed by the data that it refers to.
func parseBare(r io.ReaderAt, size int64) (*Module, error) {
	m := &Module{}
	segments, length, err := m.parseFlatbuffer(r, size)
	if err != nil {
		return nil, err
	}
	for _, s := range segments {
		data := s.embedded
		at := alignExternal(length) + s.external
		switch {
		case s.externalBytes == 0:
		case s.external < 0 || s.externalBytes < 0 || at > size || s.externalBytes > size-at:
			return nil, fmt.Errorf("data of %d bytes at byte %d reaches beyond the file's %d bytes: it is truncated; "+
				"copy or compile it again", s.externalBytes, at, size)
		default:
			data = io.NewSectionReader(r, at, s.externalBytes)
		}
		if err := m.addLibrary(fmt.Sprintf("rodata %d", s.ordinal), data); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// alignExternal returns where the data after a flatbuffer of n bytes begins.
func alignExternal(n int64) int64 {
	const alignment = 64
	return (n + alignment - 1) / alignment * alignment
}

// Function finds an exported function.
func (m *Module) Function(name string) (*Function, bool) {
	for i := range m.Functions {
		if m.Functions[i].Name == name {
			return &m.Functions[i], true
		}
	}
	return nil, false
}

// VersionError reports a module that was made for a runtime of another version.
type VersionError struct {
	Module, Runtime BytecodeVersion
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("its bytecode has version %s and the runtime runs version %s; compile it again with the "+
		"iree-compile that belongs to the runtime", e.Module, e.Runtime)
}

// Check compares the module's bytecode with what a runtime runs; the error is a *VersionError.
func (m *Module) Check(runtime BytecodeVersion) error {
	if m.Bytecode.Major == runtime.Major && m.Bytecode.Minor <= runtime.Minor {
		return nil
	}
	return &VersionError{m.Bytecode, runtime}
}
