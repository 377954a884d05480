// Package pjrt drives plugins that export GetPjrtApi, through OpenXLA's PJRT C API (pjrt_c_api.h, versions 0.x): a
// client on a plugin's devices, programs that it compiles, buffers, executions. It knows nothing of timing, of options
// of artifacts or of where plugins come from.
//
// The argument structs in structs.go are those of version 0.81, the newest that the package was written against. An
// older plugin ignores the fields behind those that it knows. A newer plugin accepts the smaller size. Functions beyond
// the end of a plugin's table are absent, and using one gives an *AbsentError.
//
// Addresses of the plugin's memory are uintptr. Pointers to Go memory inside the structs are unsafe.Pointer, so that
// what they point to lives as long as the struct. Go's collector does not move it.
package pjrt

import (
	"fmt"
	"path/filepath"
	"unsafe"

	"zonemark/executor/dl"
)

// Plugin is a loaded PJRT plugin. Its methods may be called from any goroutine.
type Plugin struct {
	path         string
	major, minor int32
	functions    []uintptr   // the function table as far as this package knows it; 0 if absent
	inTable      int         // number of functions in the plugin's own table
	profiler     uintptr     // PLUGIN_Profiler_Api; 0 if there is none
	awaiting     implemented // Event_Await
	readiness    implemented // Buffer_ReadyEvent
}

// apiHeader is PJRT_Api up to its function pointers.
type apiHeader struct {
	structSize                   uintptr
	extension                    uintptr
	versionSize, versionExtended uintptr
	major, minor                 int32
}

// A table is accepted if its size lies within these bounds: the header alone, and twenty times the size in version
// 0.81.
const (
	headerBytes   = unsafe.Sizeof(apiHeader{})
	maxTableBytes = 20 << 10
)

// Open loads the plugin at path and initializes it. The plugin stays loaded until the process ends, because its threads
// may outlive its clients. The error names the path and what is wrong: no shared library, no GetPjrtApi, a version that
// is not 0.x.
func Open(path string) (*Plugin, error) {
	library, err := dl.OpenOwn(path)
	if err != nil {
		return nil, fmt.Errorf("plugin: %w", err)
	}
	get, err := library.Lookup("GetPjrtApi")
	if err != nil {
		_ = library.Close()
		return nil, fmt.Errorf("%s is not a PJRT plugin: it does not export GetPjrtApi: %w", path, err)
	}
	table := dl.Call(get)
	if table == 0 {
		return nil, fmt.Errorf("plugin %s: GetPjrtApi returned nothing", path)
	}
	p, err := readTable(path, at(table))
	if err != nil {
		return nil, err
	}
	if p.has(pluginInitialize) {
		args := pluginInitializeArgs{base: sized[pluginInitializeArgs]()}
		if err := p.call(pluginInitialize, unsafe.Pointer(&args)); err != nil {
			return nil, fmt.Errorf("plugin %s: %w", path, err)
		}
	}
	return p, nil
}

// readTable copies the known part of a plugin's function table.
func readTable(path string, table unsafe.Pointer) (*Plugin, error) {
	h := (*apiHeader)(table)
	if h.structSize < headerBytes || h.structSize > maxTableBytes {
		return nil, fmt.Errorf("plugin %s: its PJRT_Api says that it has %d bytes; it is no PJRT plugin, or one of a "+
			"version that zonemark does not know", path, h.structSize)
	}
	p := &Plugin{
		path:    path,
		major:   h.major,
		minor:   h.minor,
		inTable: int((h.structSize - headerBytes) / unsafe.Sizeof(uintptr(0))),
	}
	if p.major != 0 {
		return nil, fmt.Errorf("plugin %s: its PJRT API is version %d.%d and zonemark knows 0.x; take a plugin or a "+
			"zonemark that fits", path, p.major, p.minor)
	}
	p.profiler = findProfiler(h.extension)
	known := min(p.inTable, functionCount)
	p.functions = append(p.functions, unsafe.Slice((*uintptr)(unsafe.Add(table, headerBytes)), known)...)
	for _, f := range []function{errorMessage, errorDestroy} {
		if !p.has(f) {
			return nil, fmt.Errorf("plugin %s: %w", path, p.absent(f)) // without it no error can be read
		}
	}
	return p, nil
}

// at returns an address of the plugin's memory as a pointer.
func at(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// Path returns the file that the plugin was loaded from.
func (p *Plugin) Path() string { return p.path }

// Version returns the version of the API that the plugin was built with, "0.81".
func (p *Plugin) Version() string { return fmt.Sprintf("%d.%d", p.major, p.minor) }

// String names the plugin and its API for people.
func (p *Plugin) String() string {
	return fmt.Sprintf("%s (PJRT API %s, %d functions)", filepath.Base(p.path), p.Version(), p.inTable)
}

func (p *Plugin) has(f function) bool { return f.index < len(p.functions) && p.functions[f.index] != 0 }

func (p *Plugin) absent(f function) error {
	return &AbsentError{Function: f.String(), Version: p.Version(), Functions: p.inTable}
}

// call calls a function with its argument struct, whose first word is its size.
func (p *Plugin) call(f function, args unsafe.Pointer) error {
	if !p.has(f) {
		return p.absent(f)
	}
	if failed := dl.Call(p.functions[f.index], uintptr(args)); failed != 0 {
		return p.failure(f, failed)
	}
	return nil
}
