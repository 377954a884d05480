package hat

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"zonemark/driver/files"
	"zonemark/invocations"
)

// Build compiles the C source of a package, or links its static library or object file, into a shared library below
// cache, and returns its path. The file is named after the hash of the library's bytes, the command line and the
// compiler's version. It appears there at once and complete, so builds may run side by side. A
// file that was changed since is built again. If the library of the
// package is shared already, Build returns its path.
func (r Runtime) Build(ctx context.Context, artifact invocations.Artifact, cache string) (string, error) {
	p, err := ReadPackage(artifact.Path)
	if err != nil {
		return "", err
	}
	lib := p.Library()
	switch {
	case lib == "":
		return "", fmt.Errorf(
			"%s: dependencies.link_target is empty: the package has sources only and there is nothing to link",
			p.Path,
		)
	case !static(lib):
		return lib, nil
	}
	code, err := os.ReadFile(lib)
	if errors.Is(err, os.ErrNotExist) {
		return "", p.missingLibrary()
	} else if err != nil {
		return "", fmt.Errorf("%s: link_target: %w; build the library or correct dependencies.link_target", p.Path, err)
	}
	cc, err := findCompiler(ctx, r.getenv)
	if err != nil {
		return "", fmt.Errorf("%s: link %s: %w", p.Path, p.Depends.LinkTarget, err)
	}
	l := linkage{compiler: cc, input: filepath.Base(lib), code: code}
	if sourceCode(lib) {
		if l.flags, err = p.compileFlags(l.input); err != nil {
			return "", fmt.Errorf("%s: %w", p.Path, err)
		}
	} else {
		l.flags = p.linkFlags(runtime.GOOS, l.input)
	}
	target, err := l.make(ctx, cache)
	if err != nil {
		return "", fmt.Errorf("%s: link %s: %w", p.Path, p.Depends.LinkTarget, err)
	}
	return target, nil
}

// make returns the path of the result below cache. It runs the linker if the result is not there.
func (l *linkage) make(ctx context.Context, cache string) (string, error) {
	folder := filepath.Join(cache, "hat")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", fmt.Errorf("cache for linked libraries: %w; choose another cache folder", err)
	}
	target := filepath.Join(folder, l.hash()+sharedSuffix(runtime.GOOS))
	if files.Intact(target) {
		return target, nil
	}
	return target, l.run(ctx, target)
}

func sharedSuffix(system string) string {
	if system == "darwin" {
		return ".dylib"
	}
	return ".so"
}

// compiler is the C compiler that links.
type compiler struct {
	command []string // the program, then the arguments that $CC holds
	version string   // the output of --version
}

// findCompiler returns the compiler that $CC names, or else the first of cc, gcc and clang that is installed.
func findCompiler(ctx context.Context, getenv func(name string) string) (compiler, error) {
	candidates := [][]string{{"cc"}, {"gcc"}, {"clang"}}
	if own := strings.Fields(getenv("CC")); len(own) > 0 {
		candidates = [][]string{own}
	}
	for _, command := range candidates {
		program, err := exec.LookPath(command[0])
		if err != nil {
			continue
		}
		version, err := exec.CommandContext(ctx, program, append(command[1:len(command):len(command)], "--version")...).
			Output()
		if err != nil {
			return compiler{}, fmt.Errorf(
				"%s --version: %w; set CC to a C compiler that works",
				strings.Join(command, " "),
				err,
			)
		}
		return compiler{command: append([]string{program}, command[1:]...), version: string(version)}, nil
	}
	if own := getenv("CC"); own != "" {
		return compiler{}, fmt.Errorf("the C compiler %q, which CC names, was not found; correct CC or unset it", own)
	}
	return compiler{}, errors.New(
		"no C compiler was found (looked for $CC, cc, gcc and clang); install one, or link the package into a shared " +
			"library elsewhere",
	)
}

// linkFlags returns the arguments that follow the output. They take the whole archive, because nothing refers to its
// members. Where the linker can, they refuse undefined symbols, which would otherwise end the call.
func (p *Package) linkFlags(system, input string) []string {
	archive := strings.HasSuffix(strings.ToLower(input), ".a") || strings.HasSuffix(strings.ToLower(input), ".lib")
	var flags []string
	switch {
	case system == "darwin" && archive:
		flags = []string{"-Wl,-force_load," + input}
	case archive:
		flags = []string{"-Wl,--whole-archive", input, "-Wl,--no-whole-archive"}
	default:
		flags = []string{input}
	}
	if system != "darwin" {
		flags = append([]string{"-Wl,-z,defs"}, flags...)
	}
	for _, d := range p.Depends.Dynamic {
		flags = append(flags, p.dependencyFlags(d, system)...)
	}
	if strings.EqualFold(p.Target.Required.CPU.Runtime, "openmp") {
		flags = append(flags, "-fopenmp")
	}
	flags = append(flags, "-lm")
	if system == "linux" {
		flags = append(flags, "-lc")
	}
	return flags
}

// dependencyFlags links a file beside the package by its path. The linker looks other names up in its own folders.
func (p *Package) dependencyFlags(d SharedLibrary, system string) []string {
	if d.TargetFile == "" {
		if d.Name == "" {
			return nil
		}
		return []string{"-l" + d.Name}
	}
	file, err := filepath.Abs(p.resolve(d.TargetFile))
	if _, statErr := os.Stat(file); err == nil && statErr == nil {
		return []string{file, "-Wl,-rpath," + filepath.Dir(file)}
	}
	if system == "linux" {
		return []string{"-l:" + d.TargetFile}
	}
	return []string{d.TargetFile}
}

// linkage is one run of the linker.
type linkage struct {
	compiler compiler
	input    string // base name, as flags refer to it
	code     []byte
	flags    []string
	source   bool // the code is C, and not compiled yet
}

// compilerPatience is how long a compiler may take to end after it was told to.
const compilerPatience = 5 * time.Second

// hash returns the name of the result. The command line does not contain the paths of the package and of the output.
func (l *linkage) hash() string {
	h := sha256.New()
	for _, part := range append(append([]string{l.compiler.version}, l.compiler.command...), l.flags...) {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	fmt.Fprintf(h, "%s;%d:", hostDependence(l.flags), len(l.code))
	h.Write(l.code)
	return hex.EncodeToString(h.Sum(nil))
}

// run links a copy of the code in a folder of its own, so that exactly the hashed bytes are linked, and moves the
// result to target.
func (l *linkage) run(ctx context.Context, target string) error {
	folder, err := os.MkdirTemp(filepath.Dir(target), ".link-")
	if err != nil {
		return fmt.Errorf("%w; choose another cache folder", err)
	}
	defer os.RemoveAll(folder)
	if err := os.WriteFile(filepath.Join(folder, l.input), l.code, 0o666); err != nil {
		return err
	}
	const output = "linked.out"
	shared := "-shared"
	if runtime.GOOS == "darwin" {
		shared = "-dynamiclib"
	}
	arguments := append(
		append(l.compiler.command[1:len(l.compiler.command):len(l.compiler.command)], shared, "-o", output),
		l.flags...)
	cmd := exec.CommandContext(ctx, l.compiler.command[0], arguments...)
	cmd.Dir = folder
	cmd.Env = append(cmd.Environ(), "LC_ALL=C") // linkError searches the messages
	cmd.WaitDelay = compilerPatience
	if words, err := cmd.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", cmd.Args[0], ctx.Err())
		}
		if l.source {
			return compileError(filepath.Base(cmd.Args[0]), err, string(words))
		}
		return linkError(filepath.Base(cmd.Args[0]), err, string(words))
	}
	return files.PlaceSealed(filepath.Join(folder, output), target, 0o755)
}

// compileError returns the first lines of what the compiler said of a C file.
func compileError(name string, err error, words string) error {
	remedy := "correct the source"
	switch {
	case strings.Contains(words, "undefined reference"), strings.Contains(words, "Undefined symbols"):
		remedy = "name the library that defines the symbol, with --cflags -lNAME"
	case strings.Contains(words, ".h: No such file"), strings.Contains(words, ".h' file not found"):
		remedy = "name the folder of the header, with --cflags -IFOLDER"
	}
	return fmt.Errorf("%s: %w; %s:\n%s", name, err, remedy, firstLines(words))
}

// firstLines returns the first lines of a compiler's output.
func firstLines(words string) string {
	const shown = 12
	lines := strings.Split(strings.TrimSpace(words), "\n")
	if len(lines) > shown {
		lines = append(lines[:shown], fmt.Sprintf("… and %d lines more", len(lines)-shown))
	}
	return strings.Join(lines, "\n")
}

// linkError returns the first lines of the compiler's output and what they usually mean.
func linkError(name string, err error, words string) error {
	remedy := "correct the library or set CC to another compiler"
	switch {
	case strings.Contains(words, "-fPIC"), strings.Contains(words, "-fpic"):
		remedy = "compile the code with -fPIC"
	case strings.Contains(words, "undefined reference"),
		strings.Contains(words, "undefined symbol"),
		strings.Contains(words, "Undefined symbols"):
		remedy = "name the library that defines the symbol in dependencies.dynamic"
	case strings.Contains(words, "file format not recognized"),
		strings.Contains(words, "incompatible"),
		strings.Contains(words, "wrong format"):
		remedy = "build the library for this machine"
	case strings.Contains(words, "cannot find"):
		remedy = "put the file beside the package, or install it where the linker looks"
	}
	return fmt.Errorf("%s: %w; %s:\n%s", name, err, remedy, firstLines(words))
}
