package capi

import (
	"errors"
	"fmt"
	"unsafe"

	"zonemark/executor/dl"
)

// ParameterFile holds weights of a module that are stored outside the module: an IREE parameter archive (.irpa), a
// .gguf or a .safetensors file.
type ParameterFile struct {
	Scope string // namespace by which the module refers to the parameters; often empty
	Path  string
}

// parameterReads is how many reads of one provider may be under way:
// IREE_IO_PARAMETER_INDEX_PROVIDER_DEFAULT_MAX_CONCURRENT_OPERATIONS.
const parameterReads = 16

// Modes of iree_io_file_handle_open: read, shared with other readers.
const fileModeRead = 1<<0 | 1<<6

// parameterFunctions are the functions for parameter files, which not every build of the runtime exports.
type parameterFunctions struct {
	fileOpen        uintptr `c:"iree_io_file_handle_open"`
	fileRelease     uintptr `c:"iree_io_file_handle_release"`
	indexCreate     uintptr `c:"iree_io_parameter_index_create"`
	indexRelease    uintptr `c:"iree_io_parameter_index_release"`
	parse           uintptr `c:"iree_io_parse_file_index"`
	providerCreate  uintptr `c:"iree_io_parameter_index_provider_create"`
	providerRelease uintptr `c:"iree_io_parameter_provider_release"`
	compose         uintptr `c:"iree_io_parameters_module_create"`
}

func (l *Library) parameterFunctions() (f parameterFunctions, err error) {
	lookup := func(name string) (uintptr, error) { return l.optional(name, "read parameter files") }
	var missing *dl.MissingError
	if errors.As(dl.Fill(lookup, &f), &missing) {
		return f, missing.Err
	}
	return f, nil
}

// appendParameters makes the module io_parameters, with one provider for each scope, and appends it to the session. It
// does nothing if there are no files.
func (s *Session) appendParameters(files []ParameterFile) error {
	if len(files) == 0 {
		return nil
	}
	l := s.device.library
	f, err := l.parameterFunctions()
	if err != nil {
		return err
	}
	var scopes []string
	byScope := map[string][]string{}
	for _, file := range files {
		if _, seen := byScope[file.Scope]; !seen {
			scopes = append(scopes, file.Scope)
		}
		byScope[file.Scope] = append(byScope[file.Scope], file.Path)
	}
	providers := make([]uintptr, 0, len(scopes))
	defer func() {
		for _, p := range providers {
			dl.Call(f.providerRelease, p) // the module holds its own references
		}
	}()
	for _, scope := range scopes {
		p, err := s.parameterProvider(f, scope, byScope[scope])
		if err != nil {
			return err
		}
		providers = append(providers, p)
	}
	var module uintptr
	vm := dl.Call(l.api.instanceVM, s.device.instance)
	if err := l.check(dl.Call(f.compose, vm, uintptr(len(providers)), uintptr(unsafe.Pointer(&providers[0])), 0,
		l.api.allocatorLibcCtl, uintptr(unsafe.Pointer(&module)))); err != nil {
		return fmt.Errorf("parameter files: %w", err)
	}
	defer dl.Call(l.api.moduleRelease, module)
	if err := l.check(dl.Call(l.api.sessionAppend, s.session, module)); err != nil {
		return fmt.Errorf("parameter files: %w", err)
	}
	return nil
}

// parameterProvider makes the provider that serves one scope from the files. A later file may replace entries of an
// earlier one.
func (s *Session) parameterProvider(f parameterFunctions, scope string, paths []string) (uintptr, error) {
	l := s.device.library
	var index uintptr
	if err := l.check(dl.Call(f.indexCreate, 0, l.api.allocatorLibcCtl, uintptr(unsafe.Pointer(&index)))); err != nil {
		return 0, fmt.Errorf("parameter files: %w", err)
	}
	defer dl.Call(f.indexRelease, index)
	for _, path := range paths {
		if err := s.indexParameters(f, index, path); err != nil {
			return 0, fmt.Errorf("parameter file %s: %w", path, err)
		}
	}
	name := append([]byte(scope), 0) // not empty, so that it has an address
	var provider uintptr
	if err := l.check(dl.Call(f.providerCreate, uintptr(unsafe.Pointer(&name[0])), uintptr(len(scope)), index,
		parameterReads, 0, l.api.allocatorLibcCtl, uintptr(unsafe.Pointer(&provider)))); err != nil {
		return 0, fmt.Errorf("parameter scope %q: %w", scope, err)
	}
	return provider, nil
}

// indexParameters adds the entries of the file to the index, which keeps the file open.
func (s *Session) indexParameters(f parameterFunctions, index uintptr, path string) error {
	l := s.device.library
	name := append([]byte(path), 0)
	var handle uintptr
	if err := l.check(dl.Call(f.fileOpen, fileModeRead, uintptr(unsafe.Pointer(&name[0])), uintptr(len(path)), 0,
		l.api.allocatorLibcCtl, uintptr(unsafe.Pointer(&handle)))); err != nil {
		return err
	}
	defer dl.Call(f.fileRelease, handle)
	return l.check(dl.Call(f.parse, uintptr(unsafe.Pointer(&name[0])), uintptr(len(path)), handle, index, 0,
		l.api.allocatorLibcCtl))
}
