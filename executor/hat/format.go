package hat

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/BurntSushi/toml"

	"zonemark/invocations/tomltext"
)

// maxPackageBytes limits the size of a .hat file. The largest real ones have a few hundred KiB.
const maxPackageBytes = 64 << 20

// Package is a decoded .hat file. It holds the tables of the HAT file format 0.0.41 that matter for calling functions.
// Other keys are legal and ignored.
type Package struct {
	Path      string      // the file, as the caller named it
	Functions []*Function // in file order
	Devices   map[string]*Function
	Target    Target
	Depends   Dependencies

	CompilerFlags string // compiled_with.flags; used when the link target is source
}

// Function is one entry of [functions] or [device_functions]. Its key is the symbol; HAT has no overloading.
type Function struct {
	Symbol           string      `toml:"-"` // the key
	Line             int         `toml:"-"` // of the table's header; 0 if unknown
	Name             string      `toml:"name"`
	Convention       string      `toml:"calling_convention"`
	Arguments        []Parameter `toml:"arguments"`
	Return           Parameter   `toml:"return"`
	Launches         string      `toml:"launches"`
	Provider         string      `toml:"provider"`
	Runtime          string      `toml:"runtime"`
	LaunchParameters []int64     `toml:"launch_parameters"`
}

// Parameter is an argument or a return value as the file states it. Shape, AffineMap and AffineOffset count elements.
type Parameter struct {
	Name         string  `toml:"name"`
	LogicalType  string  `toml:"logical_type"`  // affine_array, runtime_array, element, void
	DeclaredType string  `toml:"declared_type"` // C source
	ElementType  string  `toml:"element_type"`
	Usage        string  `toml:"usage"`
	Shape        []int64 `toml:"shape"`
	AffineMap    []int64 `toml:"affine_map"`
	AffineOffset int64   `toml:"affine_offset"`
	Size         string  `toml:"size"` // of a runtime_array: "M*K"
}

// Target is the target for which the package was generated.
type Target struct {
	Required struct {
		OS  string `toml:"os"` // windows, macos, linux
		CPU struct {
			Architecture string   `toml:"architecture"`
			Extensions   []string `toml:"extensions"` // LLVM feature strings with their sign, "+avx512f"
			Runtime      string   `toml:"runtime"`    // "openmp" or empty
		} `toml:"CPU"`
		GPU struct {
			Runtime string `toml:"runtime"`
			Model   string `toml:"model"`
		} `toml:"GPU"`
	} `toml:"required"`
}

// Dependencies holds the files that belong to the package. Paths are relative to its folder.
type Dependencies struct {
	LinkTarget string          `toml:"link_target"` // the library; empty for a source-only package
	Dynamic    []SharedLibrary `toml:"dynamic"`
}

// SharedLibrary is a library that the link target needs.
type SharedLibrary struct {
	Name       string `toml:"name"`
	Version    string `toml:"version"`
	TargetFile string `toml:"target_file"`
}

// document mirrors the TOML file. Pointers distinguish absent tables from empty ones.
type document struct {
	Description     *map[string]any      `toml:"description"`
	Functions       map[string]*Function `toml:"functions"`
	DeviceFunctions map[string]*Function `toml:"device_functions"`
	Target          *Target              `toml:"target"`
	Dependencies    *Dependencies        `toml:"dependencies"`
	CompiledWith    *compilation         `toml:"compiled_with"`
	Declaration     *map[string]any      `toml:"declaration"`
}

// compilation holds the used keys of [compiled_with].
type compilation struct {
	Flags string `toml:"flags"`
}

// ReadPackage reads and decodes the .hat file at path. Errors name the file, the line if it is known, and the remedy.
func ReadPackage(path string) (*Package, error) {
	data, err := readPackageFile(path)
	if err != nil {
		return nil, err
	}
	return DecodePackage(path, data)
}

// readPackageFile reads a regular file of limited size. A FIFO would block and a device would never end.
func readPackageFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("HAT package: %w; check the path", err)
	case err != nil:
		return nil, fmt.Errorf("HAT package: %w; make sure that it is a readable file and no loop of symbolic links",
			err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file (%s); name a .hat file", path, info.Mode().Type())
	case info.Size() > maxPackageBytes:
		return nil, fmt.Errorf("%s has %d MiB, more than the %d MiB allowed for a .hat file; is it the library "+
			"instead of its description?",
			path, info.Size()>>20, maxPackageBytes>>20)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("HAT package: %w; check its permissions", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPackageBytes+1))
	if err != nil {
		return nil, fmt.Errorf("HAT package: %w", err)
	}
	return data, nil
}

// DecodePackage decodes the text of a .hat file. path is used for messages and to resolve the files that the package
// names. A function that cannot be called is no error here. It is reported when it is described or prepared, so that
// the other functions can run.
func DecodePackage(path string, data []byte) (*Package, error) {
	switch {
	case len(data) > maxPackageBytes:
		return nil, fmt.Errorf("%s: more than %d MiB, which no .hat file has", path, maxPackageBytes>>20)
	case len(bytes.TrimSpace(data)) == 0:
		return nil, fmt.Errorf("%s: the file is empty; generate the package again", path)
	}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return nil, fmt.Errorf("%s: byte %d is zero, so this is a binary file and not the TOML text of a .hat file",
			path, i)
	}
	var doc document
	meta, err := toml.Decode(string(data), &doc)
	if err != nil {
		return nil, decodeError(path, err)
	}
	if err := doc.complete(path); err != nil {
		return nil, err
	}
	p := &Package{
		Path:          path,
		Devices:       doc.DeviceFunctions,
		Target:        *doc.Target,
		Depends:       *doc.Dependencies,
		CompilerFlags: doc.CompiledWith.Flags,
	}
	lines := functionLines(string(data))
	for _, key := range functionOrder(meta) {
		f := doc.Functions[key]
		if f == nil {
			continue
		}
		f.Symbol, f.Line = key, lines[key]
		p.Functions = append(p.Functions, f)
	}
	return p, p.checkLinkTarget()
}

// decodeError adds the remedy to the TOML reader's message, which holds the line.
func decodeError(path string, err error) error {
	var syntax toml.ParseError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%s:%d: %w; if the file looks cut off there, generate the package again",
			path, syntax.Position.Line, err)
	}
	return fmt.Errorf("%s: %w; correct the type of that key", path, err)
}

// checkLinkTarget refuses a package whose library is a package, above all itself.
func (p *Package) checkLinkTarget() error {
	if p.Depends.LinkTarget == "" {
		return nil
	}
	lib := p.Library()
	self, err1 := os.Stat(p.Path)
	target, err2 := os.Stat(lib)
	if err1 == nil && err2 == nil && os.SameFile(self, target) {
		return fmt.Errorf("%s: dependencies.link_target %q is the package itself; name the library (.so, .a, .o)",
			p.Path, p.Depends.LinkTarget)
	}
	if filepath.Ext(lib) == packageSuffix {
		return fmt.Errorf("%s: dependencies.link_target %q is a .hat file; name the library (.so, .a, .o)",
			p.Path, p.Depends.LinkTarget)
	}
	return nil
}

// Library returns the path of the link target, or "" for a source-only package.
func (p *Package) Library() string { return p.resolve(p.Depends.LinkTarget) }

// resolve returns the path of a file that the package names, relative to the package's folder.
func (p *Package) resolve(name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(p.Path), filepath.FromSlash(name))
}

// functionOrder returns the keys of [functions] in the order in which they first appear in the file. A Go map does not
// keep that order.
func functionOrder(meta toml.MetaData) []string {
	var order []string
	seen := map[string]bool{}
	for _, key := range meta.Keys() {
		if len(key) >= 2 && key[0] == "functions" && !seen[key[1]] {
			seen[key[1]] = true
			order = append(order, key[1])
		}
	}
	return order
}

// functionLines returns the line of each function's table header.
func functionLines(text string) map[string]int {
	lines := map[string]int{}
	line, from := 1, 0
	for _, s := range tomltext.Statements(text) {
		if s.Header && len(s.Key) >= 2 && s.Key[0] == "functions" && lines[s.Key[1]] == 0 {
			for ; from < s.Start; from++ {
				if text[from] == '\n' {
					line++
				}
			}
			lines[s.Key[1]] = line
		}
	}
	return lines
}
