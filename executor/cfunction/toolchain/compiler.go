// Package toolchain makes shared libraries of C source and of static code, with the C compiler of the machine. It does
// not know what describes the functions of a library.
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
	"time"

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
	candidates := [][]string{{"cc"}, {"gcc"}, {"clang"}}
	if own := strings.Fields(getenv("CC")); len(own) > 0 {
		candidates = [][]string{own}
	}
	c, found, err := first(ctx, candidates)
	c.workshop = w
	if found || err != nil {
		return c, err
	}
	if own := getenv("CC"); own != "" {
		return Compiler{}, fmt.Errorf("the C compiler %q, which CC names, was not found; correct CC or unset it", own)
	}
	return Compiler{}, errors.New(
		"no C compiler was found (looked for $CC, cc, gcc and clang); install one, or link the package into a shared " +
			"library elsewhere",
	)
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

// patience is how long a compiler may take to end after it was told to.
const patience = 5 * time.Second

// Preprocess returns the output of the preprocessor for a file. It works in the file's folder, so that the output does
// not depend on where the folder is. The compiler may read there, and in the folders that -I names. remedies returns what
// to do about the compiler's messages.
func (c Compiler) Preprocess(ctx context.Context, path string, flags []string, remedies Remedies) ([]byte, error) {
	arguments := slices.Concat(c.Command[1:], flags, []string{"-E", filepath.Base(path)})
	cmd := exec.CommandContext(ctx, c.Command[0], arguments...)
	cmd.Dir = filepath.Dir(path)
	cmd.Env = append(cmd.Environ(), "LC_ALL=C")
	cmd.WaitDelay = patience
	var text, words bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &words
	folder, remove, err := c.workshop.Scratch()
	if err != nil {
		return nil, err
	}
	defer remove()
	absolute, err := filepath.Abs(cmd.Dir)
	if err != nil {
		return nil, err
	}
	read := append(includedFolders(flags), absolute)
	if err := c.run(cmd, folder, read); err != nil {
		return nil, fmt.Errorf("%s: %w", path, c.failure(err, words.String(), remedies))
	}
	return text.Bytes(), nil
}

// run runs the compiler, which writes to a folder.
func (c Compiler) run(cmd *exec.Cmd, folder string, read []string) error {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	return c.workshop.Confine.Run(cmd, building.Access{Write: []string{folder}, Read: read, Programs: c.Command[1:]})
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

// failure returns the first lines of what the compiler said, or why it was killed.
func (c Compiler) failure(err error, words string, remedies Remedies) error {
	const shown = 12
	name := filepath.Base(c.Command[0])
	lines := strings.Split(strings.TrimSpace(words), "\n")
	if len(lines) > shown {
		lines = append(lines[:shown], fmt.Sprintf("… and %d lines more", len(lines)-shown))
	}
	var killed *building.KilledError
	if errors.As(err, &killed) {
		return fmt.Errorf("%s: %w\n%s", name, err, strings.Join(lines, "\n"))
	}
	if how := platform.Killed(err, words); how != "" {
		return fmt.Errorf("%s was killed (%s), probably because memory ran out; that is no error of the source: try again when "+
			"there is more", name, how)
	}
	list := remedies(words)
	if strings.Contains(words, "Permission denied") {
		list = append(list, remedy.Remedy{Kind: remedy.Readable})
	}
	return remedy.With(fmt.Errorf("%s: %w:\n%s", name, err, strings.Join(lines, "\n")), list...)
}
