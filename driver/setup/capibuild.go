package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"zonemark/driver/setup/command"
	"zonemark/driver/setup/python"
	"zonemark/invocations/files"
)

// oldestCMake is the minor number of the oldest cmake 3 that the crate's build description supports.
const oldestCMake = 26

// The sizes of the pinned cmake and ninja on Linux.
const (
	cmakeDownloadBytes = 32_000_000
	cmakeDiskBytes     = 120_000_000
)

// buildTools are the programs that build the C runtime.
type buildTools struct {
	cargo    string
	compiler []string // the C compiler and its first arguments
	gcc      bool     // the compiler is GCC and accepts gccFlags
	cmake    string   // empty if none is new enough
	ninja    string
}

// findBuildTools finds the programs on PATH. The error names all missing programs at once. A missing cmake or ninja is
// not an error, since the method bring can install them.
func findBuildTools(o Options) (*buildTools, error) {
	t := &buildTools{cargo: command.LookUp("cargo"), compiler: strings.Fields(o.getenv("CC"))}
	var missing []string
	if len(t.compiler) == 0 {
		if path := command.LookUp("cc", "gcc", "clang"); path != "" {
			t.compiler = []string{path}
		}
	}
	if len(t.compiler) == 0 || command.LookUp(t.compiler[0]) == "" {
		missing = append(missing, "a C compiler (Debian, Ubuntu: apt install gcc libc6-dev)")
	}
	if o.getenv("CXX") == "" && command.LookUp("c++", "g++", "clang++") == "" {
		missing = append(missing, "a C++ compiler, which cmake insists on (Debian, Ubuntu: apt install g++)")
	}
	if t.cargo == "" {
		missing = append(missing, "cargo, which brings the source (Debian, Ubuntu: apt install cargo, or rustup)")
	} else if why := noToolchain(t.cargo); why != "" {
		missing = append(missing, why)
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf(
			"IREE's C runtime is built from source, which needs on PATH:\n  %s\nthe Python packages (\"zonemark "+
				"setup iree\") do without them",
			strings.Join(missing, "\n  "),
		)
	}
	t.gcc = isGCC(t.compiler)
	if path := command.LookUp("cmake"); path != "" && newCMake(path) {
		t.cmake, t.ninja = path, command.LookUp("ninja", "ninja-build")
	}
	return t, nil
}

// noToolchain returns what is missing if cargo is the stub of rustup and rustup has no toolchain; empty if cargo works.
// Other failures are left to the build, which shows them.
func noToolchain(cargo string) string {
	cmd := exec.Command(cargo, "--version")
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if cmd.Run() == nil || !strings.Contains(said.String(), "rustup") {
		return ""
	}
	return "a Rust toolchain: " + cargo + " is rustup's, and rustup has none (rustup default stable)"
}

// isGCC reports whether a compiler is GCC, not another compiler that calls itself so, and accepts gccFlags. It looks at
// the macros that the compiler defines.
func isGCC(compiler []string) bool {
	run := func(args ...string) (string, bool) {
		cmd := exec.Command(compiler[0], slices.Concat(compiler[1:], args)...)
		out, err := cmd.Output() // standard input is empty
		return string(out), err == nil
	}
	macros, ok := run("-dM", "-E", "-x", "c", "-")
	if !ok || !strings.Contains(macros, "#define __GNUC__ ") || strings.Contains(macros, "#define __clang__ ") {
		return false
	}
	_, ok = run(append(gccFlags(), "-S", "-x", "c", "-", "-o", "-")...)
	return ok
}

// newCMake reports whether a cmake is new enough.
func newCMake(path string) bool {
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		return false
	}
	_, version, _ := strings.Cut(string(out), "version ")
	major, lesser, ok := python.Minor(version)
	return ok && (major > 3 || major == 3 && lesser >= oldestCMake)
}

// bring installs cmake and ninja into a private Python environment if those of the machine cannot be used.
func (t *buildTools) bring(ctx context.Context, w *Work, build string) error {
	if t.cmake != "" && t.ninja != "" {
		return nil
	}
	folder := filepath.Join(build, "tools")
	complete := filepath.Join(folder, "complete")
	if !files.IsFile(complete) {
		w.Options.say("bringing cmake and ninja, as there is no cmake 3.%d or later with ninja on PATH", oldestCMake)
		base, err := w.Options.baseFor(python.Newest)
		if err != nil {
			return fmt.Errorf(
				"neither cmake 3.%d or later with ninja, nor a Python to bring them, is there: %w",
				oldestCMake,
				err,
			)
		}
		set := wheels{
			requirements:  cmakeRequirements,
			downloadBytes: cmakeDownloadBytes,
			diskBytes:     cmakeDiskBytes,
			yourself:      fmt.Sprintf("or install cmake 3.%d or later and ninja", oldestCMake),
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		if _, err := set.install(ctx, &Work{Folder: folder, Options: w.Options, component: w.component, lock: w.lock},
			base); err != nil {
			return err
		}
		if err := os.WriteFile(complete, nil, 0o644); err != nil {
			return err
		}
	}
	programs := filepath.Dir(python.Of(filepath.Join(folder, environmentFolder)))
	t.cmake, t.ninja = filepath.Join(programs, "cmake"), filepath.Join(programs, "ninja")
	return nil
}

// capiFlags returns the flags that configure a runtime with the CPU drivers, position-independent code and visible
// functions. It leaves out the parts whose sources the crate lacks.
func capiFlags() []string {
	flags := []string{"-DCMAKE_BUILD_TYPE=Release", "-DIREE_RUNTIME_OPTIMIZATION_PROFILE="}
	for _, on := range []string{"CMAKE_POSITION_INDEPENDENT_CODE", "IREE_ENABLE_POSITION_INDEPENDENT_CODE",
		"IREE_HAL_DRIVER_LOCAL_SYNC", "IREE_HAL_DRIVER_LOCAL_TASK"} {
		flags = append(flags, "-D"+on+"=ON")
	}
	for _, off := range []string{
		"IREE_VISIBILITY_HIDDEN", "IREE_ENABLE_LIBBACKTRACE", "IREE_BUILD_COMPILER", "IREE_BUILD_PYTHON_BINDINGS",
		"IREE_HAL_DRIVER_DEFAULTS",
		"IREE_HAL_DRIVER_AMDGPU", "IREE_HAL_DRIVER_HIP", "IREE_HAL_DRIVER_NULL", "IREE_BUILD_TESTS",
		"IREE_BUILD_BENCHMARKS",
		"IREE_BUILD_SAMPLES",
		"IREE_BUILD_BINDINGS_TFLITE", "IREE_BUILD_BINDINGS_TFLITE_JAVA",
	} {
		flags = append(flags, "-D"+off+"=OFF")
	}
	return flags
}

// gccFlags returns the flags with which GCC inlines across the runtime. All functions of the runtime are exported, and
// the program that loads a shared library may replace exported functions, so that GCC does not inline calls among them
// by default. With these flags and those of capiLinkFlags it does so, even across files. That makes a call of a module
// with one small dispatch a fifth shorter. The object files also hold machine code, for linkers and archivers without
// support for link-time optimization. Other compilers inline within a file without such flags. To inline across files,
// they would need their own archiver and linker, for which zonemark does not look.
func gccFlags() []string {
	return []string{"-fno-semantic-interposition", "-fno-plt", "-flto", "-ffat-lto-objects"}
}

// capiLinkFlags returns the flags that make calls within the library direct. For objects that were compiled with
// gccFlags they also optimize across files.
func (t *buildTools) capiLinkFlags() []string {
	flags := []string{"-Wl,-Bsymbolic"}
	if t.gcc {
		flags = append(
			flags,
			"-O3",
			"-fPIC",
			"-fno-semantic-interposition",
			"-fno-plt",
			fmt.Sprintf("-flto=%d", runtime.NumCPU()),
		)
	}
	return flags
}

// buildCAPI configures, compiles and links, and returns the path of the shared library.
func (t *buildTools) buildCAPI(ctx context.Context, w *Work, source, build string) (string, error) {
	out := filepath.Join(build, "out")
	if err := t.configureCAPI(ctx, w, source, out); err != nil {
		return "", err
	}
	if err := t.compileCAPI(ctx, w, out); err != nil {
		return "", err
	}
	return t.linkCAPI(ctx, w, build, out)
}

// configureCAPI configures the build of the runtime in the folder out.
func (t *buildTools) configureCAPI(ctx context.Context, w *Work, source, out string) error {
	w.Options.say("configuring")
	configure := append(
		[]string{"-S", source, "-B", out, "-G", "Ninja", "-DCMAKE_MAKE_PROGRAM=" + t.ninja},
		capiFlags()...)
	if t.gcc {
		// This replaces the flags of the environment, so it begins with them. The runtime is all C.
		flags := strings.TrimSpace(w.Options.getenv("CFLAGS") + " " + strings.Join(gccFlags(), " "))
		configure = append(configure, "-DCMAKE_C_FLAGS="+flags)
	}
	if err := w.run(ctx, command.Command{Path: t.cmake, Args: configure}); err != nil {
		return fmt.Errorf("configure the C runtime: %w", err)
	}
	return nil
}

// compileCAPI compiles the configured runtime in the folder out.
func (t *buildTools) compileCAPI(ctx context.Context, w *Work, out string) error {
	w.Options.say("compiling")
	err := w.run(ctx, command.Command{
		Path: t.ninja,
		Args: append([]string{"-C", out, "eerie_runtime"}, parameterTargets()...),
		Line: func(line string) {
			if done, total, ok := parseNinja(line); ok {
				w.Options.progress(Progress{Component: w.component.Name, Step: "compiling", Done: done, Total: total})
			}
		},
	})
	if err != nil {
		return fmt.Errorf("compile the C runtime: %w", err)
	}
	return nil
}

// linkCAPI links the static libraries below out to a shared library in the folder build and returns its path.
func (t *buildTools) linkCAPI(ctx context.Context, w *Work, build, out string) (string, error) {
	archives, err := findArchives(out, "libeerie_runtime.a", "libflatcc_parsing.a")
	if err != nil {
		return "", err
	}
	w.Options.say("linking")
	library := filepath.Join(build, capiLibrary)
	parts, err := archivesBelow(filepath.Join(out, "iree", "runtime", "src", "iree"))
	if err != nil {
		return "", err
	}
	// The whole runtime is linked, since nothing in the library itself calls most of it. A missing symbol is an error
	// of the linker, and not of the first call. The readers of parameter files are in the runtime's own archives, not
	// in the crate's.
	link := slices.Concat(
		t.compiler[1:],
		[]string{"-shared", "-s", "-o", library, "-Wl,-soname," + capiLibrary, "-Wl,-z,defs"},
		t.capiLinkFlags(),
		[]string{"-Wl,--whole-archive", archives[0], "-Wl,--no-whole-archive"},
		parameterReaders(),
		[]string{"-Wl,--start-group"},
		parts,
		[]string{archives[1], "-Wl,--end-group", "-lm", "-lpthread", "-ldl"},
	)
	if err := w.run(ctx, command.Command{Path: t.compiler[0], Args: link}); err != nil {
		return "", fmt.Errorf("link the C runtime: %w", err)
	}
	return library, nil
}

// parameterTargets returns the parts of the runtime that read parameter files, which the crate's archive leaves out.
func parameterTargets() []string {
	return []string{
		"iree_modules_io_parameters_parameters",
		"iree_io_formats_parser_registry",
		"iree_io_parameter_index_provider",
	}
}

// parameterReaders returns linker flags that include the functions for parameter files, which nothing in the library
// calls.
func parameterReaders() (flags []string) {
	for _, function := range []string{"iree_io_parameters_module_create", "iree_io_parse_file_index",
		"iree_io_parameter_index_provider_create", "iree_io_parameter_index_create"} {
		flags = append(flags, "-Wl,-u,"+function)
	}
	return flags
}

// archivesBelow returns the paths of all static libraries below a folder.
func archivesBelow(folder string) (paths []string, err error) {
	err = filepath.WalkDir(folder, func(path string, e os.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".a" {
			paths = append(paths, path)
		}
		return err
	})
	return paths, err
}

// findArchives returns the paths of static libraries below a build folder, in the order of their names.
func findArchives(folder string, names ...string) ([]string, error) {
	found := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			found[e.Name()] = path
		}
		return err
	})
	paths := make([]string, len(names))
	for i, name := range names {
		if paths[i] = found[name]; paths[i] == "" {
			err = errors.Join(err, fmt.Errorf("the build made no %s", name))
		}
	}
	return paths, err
}

// parseNinja parses the progress of a build from a line of ninja's output, "[12/373] Building …".
func parseNinja(line string) (done, total int, ok bool) {
	m := regexp.MustCompile(`^\[(\d{1,9})/(\d{1,9})\] `).FindStringSubmatch(line)
	if m == nil {
		return 0, 0, false
	}
	done, _ = strconv.Atoi(m[1])
	total, _ = strconv.Atoi(m[2])
	return done, total, done <= total
}
