package setup

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// capiLibrary is the shared library of IREE's C runtime that is built.
const capiLibrary = "libiree_runtime.so"

func capiComponent() Component { return capi().component() }

func capi() library {
	return library{file: capiLibrary, variable: CAPIVariable, row: Component{
		Name:    "iree-capi",
		Version: ireeVersion,
		Summary: "IREE's C runtime as a shared library, built from source with cargo, cmake and a C compiler",
		Plan: fmt.Sprintf("building IREE's C runtime %s from the Rust crate %s %s (about 10 MB to download, 2 to 5 minutes, "+
			"250 MB on disk while it builds, 2 MB afterwards)", ireeVersion, capiCrate, capiCrateVersion),
		Install: installCAPI,
	}}
}

// FindCAPI returns the path of the shared library of IREE's C runtime: $ZONEMARK_IREE_CAPI, or the one that zonemark
// built. It builds nothing: the error is a *NotInstalledError if there is none.
func FindCAPI(o Options) (string, error) { return capi().find(o) }

func installCAPI(ctx context.Context, w *Work) (m Manifest, err error) {
	build := filepath.Join(w.Folder, "build")
	defer func() {
		if err != nil && ctx.Err() == nil { // an interrupted build continues later, a failed one would fail again
			err = errors.Join(err, removeAll(build))
		}
	}()
	if runtime.GOOS != "linux" {
		return Manifest{}, fmt.Errorf(
			"the C runtime is built on Linux only, and this is %s: use the Python packages (\"zonemark setup "+
				"iree\"), or name a library of your own by $%s",
			runtime.GOOS,
			CAPIVariable,
		)
	}
	t, err := findBuildTools(w.Options)
	if err != nil {
		return Manifest{}, err
	}
	if err := os.MkdirAll(build, 0o755); err != nil {
		return Manifest{}, err
	}
	source, err := fetchCAPISource(ctx, w, t, build)
	if err != nil {
		return Manifest{}, err
	}
	if err := t.bring(ctx, w, build); err != nil {
		return Manifest{}, err
	}
	built, err := t.buildCAPI(ctx, w, source, build)
	if err != nil {
		return Manifest{}, err
	}
	if err := checkCAPI(built); err != nil {
		return Manifest{}, err
	}
	library, err := describeFile(built)
	if err != nil {
		return Manifest{}, err
	}
	if err := os.Rename(built, filepath.Join(w.Folder, capiLibrary)); err != nil {
		return Manifest{}, err
	}
	crate := Artifact{Name: capiCrate + "-" + capiCrateVersion + ".crate", SHA256: capiCrateSHA256}
	return Manifest{Artifacts: []Artifact{library, crate}}, removeAll(build)
}

// capiFunctions returns functions that executors need, one of each part of the runtime.
func capiFunctions() []string {
	return []string{
		"iree_allocator_libc_ctl", "iree_runtime_instance_create",
		"iree_runtime_session_append_bytecode_module_from_file", "iree_runtime_call_invoke",
		"iree_vm_invoke", "iree_hal_buffer_view_allocate_buffer_copy",
		"iree_hal_device_profiling_begin", "iree_status_to_string",
	}
}

// checkCAPI returns an error if a shared library does not export IREE's C API.
func checkCAPI(path string) error {
	f, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	exported := map[string]bool{}
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && elf.ST_BIND(s.Info) != elf.STB_LOCAL {
			exported[s.Name] = true
		}
	}
	missing := slices.DeleteFunc(capiFunctions(), func(name string) bool { return exported[name] })
	if len(missing) > 0 {
		return fmt.Errorf(
			"%s does not export %s: it is not the whole C runtime of IREE",
			path,
			strings.Join(missing, ", "),
		)
	}
	return nil
}
