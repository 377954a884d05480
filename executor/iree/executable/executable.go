// Package executable calls dispatches of IREE's executable libraries, the native code inside a module. It uses the
// interface that they have with the runtime (iree/hal/local/executable_library.h), without a runtime. It knows nothing
// of modules, of files other than libraries, or of how long a call takes.
package executable

import (
	"errors"
	"fmt"
	"unsafe"

	"zonemark/executor/dl"
	"zonemark/executor/platform"
)

const (
	queryFunction  = "iree_hal_executable_library_query"
	localPageBytes = 4096
	maxExports     = 1 << 16
	maxName        = 1 << 12
)

// Library is a loaded library.
type Library struct {
	Version uint32 // version of the interface, 6 for 0.6
	Exports []Export

	handle      dl.Library
	environment []byte // off the Go heap, since the library keeps a pointer to it
}

// Export is one dispatch.
type Export struct {
	Name             string // may be empty
	Function         uintptr
	Constants        int // 32-bit push constants
	Bindings         int // buffers
	LocalMemoryBytes int64
	SourceFile       string // empty if it is not known
	SourceLine       int

	dynamicSize bool // the caller gives the size of a workgroup
}

// Interfaces returns the versions of the interface that can be called, the newest first: n of "0.n".
func Interfaces() []uint32 { return []uint32{6, 5} }

// Open loads the library at path. It calls the library's query function with the versions 0.6 and 0.5; a library
// answers only one of them.
func Open(path string) (*Library, error) {
	handle, err := dl.OpenOwn(path)
	if err != nil {
		return nil, err
	}
	l := &Library{handle: handle}
	if err := l.query(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), l.Close())
	}
	return l, nil
}

func (l *Library) query() error {
	query, err := l.handle.Lookup(queryFunction)
	if err != nil {
		return fmt.Errorf("not an executable library of IREE: %w", err)
	}
	if l.environment, err = platform.Alloc(int(unsafe.Sizeof(environment{}))); err != nil {
		return err
	}
	for _, version := range Interfaces() {
		table := dl.Call(query, uintptr(version), l.environmentAddress())
		if table == 0 {
			continue
		}
		at := *(*unsafe.Pointer)(unsafe.Pointer(&table)) // foreign memory, which the collector does not move
		if got := (*(**header)(at)).version; got != version {
			return fmt.Errorf("it was asked for interface version 0.%d and answered with 0.%d; compile the module "+
				"again with a newer iree-compile", version, got)
		}
		l.Version = version
		if version == 5 {
			return l.read5((*library5)(at))
		}
		return l.read6((*library6)(at))
	}
	return errors.New("it answers neither interface version 0.6 nor 0.5, the ones that zonemark speaks; compile the " +
		"module again with iree-compile 3.8 or later")
}

func (l *Library) read6(t *library6) error {
	if err := supported(t.imports.count, t.constants, t.count); err != nil {
		return err
	}
	for i := range int(t.count) {
		e := Export{Function: at(t.functions, i), Name: nameAt(t.names, i)}
		if t.attrs != nil {
			a := at(t.attrs, i)
			e.Constants, e.Bindings = int(a.constants), int(a.bindings)
			e.LocalMemoryBytes = localPageBytes * int64(a.localPages)
			e.dynamicSize = a.flags&dynamicWorkgroupSize != 0
		}
		e.locate(t.locations, i)
		l.Exports = append(l.Exports, e)
	}
	return nil
}

func (l *Library) read5(t *library5) error {
	if err := supported(t.imports.count, t.constants, t.count); err != nil {
		return err
	}
	for i := range int(t.count) {
		e := Export{Function: at(t.functions, i), Name: nameAt(t.names, i)}
		if t.attrs != nil {
			a := at(t.attrs, i)
			e.Constants, e.Bindings = int(a.constants), int(a.bindings)
			e.LocalMemoryBytes = localPageBytes * int64(a.localPages)
		}
		e.locate(t.locations, i)
		l.Exports = append(l.Exports, e)
	}
	return nil
}

// supported refuses libraries that need more from a runtime than buffers.
func supported(imports, constants, exports uint32) error {
	switch {
	case exports > maxExports:
		return fmt.Errorf("it claims %d dispatches, which no library has", exports)
	case imports > 0:
		return fmt.Errorf("it calls %d functions of the runtime, which is not there; run the whole module instead",
			imports)
	case constants > 0:
		return fmt.Errorf("it takes %d constants that the module computes at load time; run the whole module instead",
			constants)
	}
	return nil
}

// at returns element i of a table in foreign memory.
func at[T any](table *T, i int) T {
	return *(*T)(unsafe.Add(unsafe.Pointer(table), i*int(unsafe.Sizeof(*table))))
}

func nameAt(names **byte, i int) string {
	if names == nil {
		return ""
	}
	p := at(names, i)
	if p == nil {
		return ""
	}
	n := 0
	for n < maxName && *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

func (e *Export) locate(locations *location, i int) {
	if locations == nil {
		return
	}
	if l := at(locations, i); l.path != nil && l.pathLength < maxName {
		e.SourceFile, e.SourceLine = string(unsafe.Slice(l.path, l.pathLength)), int(l.line)
	}
}

func (l *Library) environmentAddress() uintptr {
	return uintptr(unsafe.Pointer(unsafe.SliceData(l.environment)))
}

// Close unloads the library. Its dispatches must not be called afterwards.
func (l *Library) Close() error {
	err := l.handle.Close()
	if l.environment != nil {
		err = errors.Join(err, platform.Free(l.environment))
		l.environment = nil
	}
	return err
}
