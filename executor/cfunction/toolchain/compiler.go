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
)

// IsSource reports whether a file is C source, judging by its name.
func IsSource(path string) bool { return strings.EqualFold(filepath.Ext(path), ".c") }

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

// Compiler is a C compiler.
type Compiler struct {
	Command []string // the program, then the arguments that $CC holds
	Version string   // the output of --version
}

// Find returns the compiler that $CC names, or else the first of cc, gcc and clang that is installed.
func Find(ctx context.Context, getenv func(name string) string) (Compiler, error) {
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
			return Compiler{}, fmt.Errorf(
				"%s --version: %w; set CC to a C compiler that works",
				strings.Join(command, " "),
				err,
			)
		}
		return Compiler{Command: append([]string{program}, command[1:]...), Version: string(version)}, nil
	}
	if own := getenv("CC"); own != "" {
		return Compiler{}, fmt.Errorf("the C compiler %q, which CC names, was not found; correct CC or unset it", own)
	}
	return Compiler{}, errors.New(
		"no C compiler was found (looked for $CC, cc, gcc and clang); install one, or link the package into a shared " +
			"library elsewhere",
	)
}

// patience is how long a compiler may take to end after it was told to.
const patience = 5 * time.Second

// Preprocess returns the output of the preprocessor for a file. It works in the file's folder, so that the output does
// not depend on where the folder is. remedy returns what to do about the compiler's messages.
func (c Compiler) Preprocess(
	ctx context.Context, path string, flags []string, remedy func(words string) string,
) ([]byte, error) {
	arguments := slices.Concat(c.Command[1:], flags, []string{"-E", filepath.Base(path)})
	cmd := exec.CommandContext(ctx, c.Command[0], arguments...)
	cmd.Dir = filepath.Dir(path)
	cmd.Env = append(cmd.Environ(), "LC_ALL=C")
	cmd.WaitDelay = patience
	var words bytes.Buffer
	cmd.Stderr = &words
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, failure(cmd, err, words.String(), remedy))
	}
	return text, nil
}

// failure returns the first lines of what the compiler said.
func failure(cmd *exec.Cmd, err error, words string, remedy func(words string) string) error {
	const shown = 12
	lines := strings.Split(strings.TrimSpace(words), "\n")
	if len(lines) > shown {
		lines = append(lines[:shown], fmt.Sprintf("… and %d lines more", len(lines)-shown))
	}
	return fmt.Errorf("%s: %w; %s:\n%s", filepath.Base(cmd.Args[0]), err, remedy(words), strings.Join(lines, "\n"))
}
