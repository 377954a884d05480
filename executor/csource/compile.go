package csource

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"zonemark/executor/cfunction/toolchain"
)

// preprocess returns the output of the preprocessor for a file.
func (f *file) preprocess(ctx context.Context, path string, more ...string) ([]byte, error) {
	return f.compiler.Preprocess(ctx, path, slices.Concat(f.flags.compile, more), compileRemedy)
}

// compileRemedy returns what to do about the messages of a compiler of a C file.
func compileRemedy(words string) string {
	switch {
	case strings.Contains(words, "undefined reference"), strings.Contains(words, "Undefined symbols"):
		return "name the library that defines the symbol, with --cflags -lNAME"
	case strings.Contains(words, ".h: No such file"), strings.Contains(words, ".h' file not found"):
		return "name the folder of the header, with --cflags -IFOLDER"
	}
	return "correct the source"
}

// hash returns the hash of what is measured. The lines of a preprocessed source that name files are left out.
func (f *file) hash() string {
	h := sha256.New()
	for line := range bytes.Lines(f.code) {
		if !toolchain.IsSource(f.path) || !lineMarker(line) {
			h.Write(line)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// lineMarker reports whether a line of a preprocessed source names a line of a file, as # 12 "file.h" does. Other lines
// with a number sign are pragmas.
func lineMarker(line []byte) bool {
	return len(line) > 2 && line[0] == '#' && line[1] == ' ' && line[2] >= '0' && line[2] <= '9'
}

// compile makes a shared library of the preprocessed source, so that exactly the hashed text is compiled.
func (f *file) compile(ctx context.Context, cache string) (string, error) {
	name := filepath.Base(f.path)
	input := strings.TrimSuffix(name, filepath.Ext(name)) + ".i"
	l := toolchain.Library{Compiler: f.compiler, Input: input, Code: f.code, Remedy: compileRemedy}
	l.Flags = append(slices.Clone(f.flags.compile), input)
	if runtime.GOOS == "linux" {
		l.Flags = append(l.Flags, "-Wl,-z,defs")
	}
	l.Flags = append(append(l.Flags, f.flags.link...), "-lm")
	target, err := l.Make(ctx, filepath.Join(cache, Name))
	if err != nil {
		return "", fmt.Errorf("%s: %w", f.path, err)
	}
	return target, nil
}

// link makes a shared library of an archive or object file.
func (f *file) link(ctx context.Context, cache string) (string, error) {
	if len(f.compiler.Command) == 0 {
		return "", fmt.Errorf("%s: static code is linked by a C compiler, and none was found; install one", f.path)
	}
	l := toolchain.Library{Compiler: f.compiler, Input: filepath.Base(f.path), Code: f.code,
		Remedy: toolchain.LinkRemedy("link it into a shared library that names what defines the symbol",
			"install it where the linker looks")}
	l.Flags = toolchain.LinkFlags(runtime.GOOS, l.Input)
	target, err := l.Make(ctx, filepath.Join(cache, Name))
	if err != nil {
		return "", fmt.Errorf("%s: %w", f.path, err)
	}
	return target, nil
}
