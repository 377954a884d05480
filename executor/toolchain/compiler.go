// Package toolchain runs programs that build, tells what they say, and keeps what they make. With the C compiler of the
// machine, it makes shared libraries of C source and of static code; it does not know what describes their functions.
package toolchain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/executor/platform"
	"zonemark/invocations/building"
	"zonemark/invocations/remedy"
)

// IsSource reports whether a file is C source, judging by its name.
func IsSource(path string) bool { return strings.EqualFold(filepath.Ext(path), ".c") }

// IsCXX reports whether a file is C++ source, judging by its name.
func IsCXX(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".cc", ".cpp", ".cxx":
		return true
	}
	return false
}

// IsStatic reports whether a file must be compiled or linked before it can be loaded, judging by its name.
func IsStatic(path string) bool {
	if IsSource(path) {
		return true
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".a", ".o", ".lib", ".obj":
		return true
	}
	return false
}

// Compiler is a compiler of C or C++.
type Compiler struct {
	Command []string // the program, then the arguments that $CC holds
	Version string   // the output of --version

	workshop building.Workshop
}

// Find returns the compiler that $CC names, or else the first of cc, gcc and clang that is installed. The workshop confines
// it when it compiles.
func Find(ctx context.Context, getenv func(name string) string, w building.Workshop) (Compiler, error) {
	c, err := Choose(ctx, getenv, "CC", "no C compiler was found (looked for $CC, cc, gcc and clang); install one, or link "+
		"the package into a shared library elsewhere", "cc", "gcc", "clang")
	c.workshop = w
	return c, err
}

// FindLinker is like Find, for what is linked only: a linker alone will do.
func FindLinker(ctx context.Context, getenv func(name string) string, w building.Workshop) (Compiler, error) {
	c, err := Choose(ctx, getenv, "CC", "no C compiler and no linker was found (looked for $CC, cc, gcc, clang, ld and "+
		"ld.lld); install one (Debian, Ubuntu: apt install binutils), or link it into a shared library elsewhere",
		"cc", "gcc", "clang", "ld", "ld.lld")
	c.workshop = w
	return c, err
}

// Choose returns the program that a variable names, or else the first of the candidates that is installed. none is the
// error if there is none.
func Choose(ctx context.Context, getenv func(name string) string, variable, none string, candidates ...string) (
	Compiler, error) {
	var commands [][]string
	for _, name := range candidates {
		commands = append(commands, []string{name})
	}
	own := getenv(variable)
	if command := strings.Fields(own); len(command) > 0 {
		commands = [][]string{command}
	}
	c, found, err := first(ctx, commands)
	switch {
	case found, err != nil:
		return c, err
	case own != "":
		language := map[string]string{"CC": "C", "CXX": "C++"}[variable]
		return Compiler{}, fmt.Errorf("the %s compiler %q, which %s names, was not found; correct %s or unset it", language,
			own, variable, variable)
	}
	return Compiler{}, errors.New(none)
}

// CXX returns the C++ compiler that belongs to a C compiler: g++-12 to gcc-12, clang++ to clang, c++ to cc. If $CXX
// names one, it is that.
func (c Compiler) CXX(ctx context.Context, getenv func(name string) string) (Compiler, error) {
	command := strings.Fields(getenv("CXX"))
	if len(command) == 0 {
		folder, name := filepath.Split(c.Command[0])
		command = append([]string{folder + cxxName(name)}, c.Command[1:]...)
	}
	compiler, found, err := first(ctx, [][]string{command})
	compiler.workshop = c.workshop
	if err == nil && !found {
		err = fmt.Errorf("the C++ compiler %q was not found; install it, or set CXX to another one", command[0])
	}
	return compiler, err
}

// cxxName returns the name of the C++ compiler that belongs to the C compiler of a name.
func cxxName(cc string) string {
	for _, pair := range [][2]string{{"clang", "clang++"}, {"gcc", "g++"}, {"icx", "icpx"}, {"cc", "c++"}} {
		if before, after, found := strings.Cut(cc, pair[0]); found {
			return before + pair[1] + after
		}
	}
	return cc
}

// first returns the first compiler that is installed.
func first(ctx context.Context, candidates [][]string) (c Compiler, found bool, err error) {
	for _, command := range candidates {
		program, err := exec.LookPath(command[0])
		if err != nil {
			continue
		}
		version, err := exec.CommandContext(ctx, program, append(command[1:len(command):len(command)], "--version")...).
			Output()
		if err != nil {
			return Compiler{}, false, fmt.Errorf("%s --version: %w; set CC or CXX to a compiler that works",
				strings.Join(command, " "), err)
		}
		return Compiler{Command: append([]string{program}, command[1:]...), Version: string(version)}, true, nil
	}
	return Compiler{}, false, nil
}

// CheckName returns an error for the name of a file that a compiler would take for a flag, or for a file of flags.
func CheckName(name string) error {
	if strings.HasPrefix(name, "-") || strings.HasPrefix(name, "@") {
		return fmt.Errorf("%.80q: a compiler takes this name for flags; rename the file", name)
	}
	return nil
}

// CheckPath returns an error for a path that a linker would take for something else: flags, or a list.
func CheckPath(path string) error {
	if strings.ContainsFunc(path, func(c rune) bool { return c == ',' || c < ' ' }) {
		return fmt.Errorf("%.80q: a linker takes the comma or line break in this path for its end; rename the file or folder",
			path)
	}
	return errors.Join(CheckName(path), CheckName(filepath.Base(path)))
}

// Preprocess returns the output of the preprocessor for a file. It works in the file's folder, so that the output does
// not depend on where the folder is. The compiler may read there, and in the folders that -I names. remedies returns what
// to do about the compiler's messages.
func (c Compiler) Preprocess(ctx context.Context, path string, flags []string, remedies Remedies) ([]byte, error) {
	scratch, remove, err := c.workshop.Scratch()
	if err != nil {
		return nil, err
	}
	defer remove()
	if scratch, err = filepath.Abs(scratch); err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	p := c.program(folder, scratch, append(includedFolders(flags), folder),
		slices.Concat(flags, []string{"-E", filepath.Base(path)}))
	var text bytes.Buffer
	p.Output = &text
	if _, err := p.Run(ctx, c.workshop.Confine); err != nil {
		return nil, fmt.Errorf("%s: %w", path, withRemedies(err, remedies))
	}
	return text.Bytes(), nil
}

// program returns the compiler with arguments, to run in a folder and to write to another one. Its messages are in
// English: Remedies searches them.
func (c Compiler) program(folder, written string, read, arguments []string) Program {
	return Program{
		Command:     slices.Concat(c.Command, arguments),
		Folder:      folder,
		Environment: []string{"LC_ALL=C"},
		Access:      building.Access{Write: []string{written}, Read: read, Programs: c.Command[1:]},
	}
}

// includedFolders returns the absolute folders in which flags have the compiler look for headers and libraries.
func includedFolders(flags []string) (folders []string) {
	for _, flag := range flags {
		if path := strings.TrimPrefix(strings.TrimPrefix(flag, "-I"), "-L"); path != flag && filepath.IsAbs(path) {
			folders = append(folders, path)
		}
	}
	return folders
}

// Remedies returns what to do about the messages of a compiler.
type Remedies func(words string) []remedy.Remedy

// withRemedies returns the error of a compiler with the first lines of what it said and what to do, or why it was killed.
func withRemedies(err error, remedies Remedies) error {
	var failed *FailedError
	if !errors.As(err, &failed) {
		return err
	}
	if how := platform.Killed(failed.Err, failed.Said); how != "" {
		return errors.New(failed.killed(how))
	}
	err = fmt.Errorf("%s: %w:\n%s", failed.Name, failed.Err, FirstLines(failed.Said))
	var killed *building.KilledError
	if errors.As(err, &killed) { // its limit of memory has
		return err
	}
	list := remedies(failed.Said)
	if strings.Contains(failed.Said, "Permission denied") {
		list = append(list, remedy.Remedy{Kind: remedy.Readable})
	}
	return remedy.With(err, list...)
}
