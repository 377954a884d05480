package hat

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"zonemark/driver/files"
)

// preprocess returns the output of the preprocessor for a file. It works in the file's folder, so that the output does
// not depend on where the folder is.
func (f *cFile) preprocess(ctx context.Context, path string, more ...string) ([]byte, error) {
	arguments := slices.Concat(f.compiler.command[1:], f.flags.compile, more, []string{"-E", filepath.Base(path)})
	cmd := exec.CommandContext(ctx, f.compiler.command[0], arguments...)
	cmd.Dir = filepath.Dir(path)
	cmd.Env = append(cmd.Environ(), "LC_ALL=C")
	cmd.WaitDelay = compilerPatience
	var words bytes.Buffer
	cmd.Stderr = &words
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, compileError(filepath.Base(cmd.Args[0]), err, words.String()))
	}
	return text, nil
}

// hash returns the hash of what is measured. The lines of a preprocessed source that name files are left out.
func (f *cFile) hash() string {
	h := sha256.New()
	for line := range bytes.Lines(f.code) {
		if !sourceCode(f.path) || !lineMarker(line) {
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
func (f *cFile) compile(ctx context.Context, cache string) (string, error) {
	name := filepath.Base(f.path)
	input := strings.TrimSuffix(name, filepath.Ext(name)) + ".i"
	l := linkage{compiler: f.compiler, input: input, code: f.code, source: true}
	l.flags = append(slices.Clone(f.flags.compile), input)
	if runtime.GOOS == "linux" {
		l.flags = append(l.flags, "-Wl,-z,defs")
	}
	l.flags = append(append(l.flags, f.flags.link...), "-lm")
	target, err := l.make(ctx, cache)
	if err != nil {
		return "", fmt.Errorf("%s: %w", f.path, err)
	}
	return target, nil
}

// link makes a shared library of an archive or object file.
func (f *cFile) link(ctx context.Context, cache string) (string, error) {
	if len(f.compiler.command) == 0 {
		return "", fmt.Errorf("%s: static code is linked by a C compiler, and none was found; install one", f.path)
	}
	l := linkage{compiler: f.compiler, input: filepath.Base(f.path), code: f.code}
	l.flags = f.pkg.linkFlags(runtime.GOOS, l.input)
	target, err := l.make(ctx, cache)
	if err != nil {
		return "", fmt.Errorf("%s: %w", f.path, err)
	}
	return target, nil
}

// writePackage writes the package of a library into the cache, under the hash of its text, and returns its path.
func (f *cFile) writePackage(library, cache string) (string, error) {
	p := *f.pkg
	p.Depends.LinkTarget = library
	text := p.text("")
	sum := sha256.Sum256([]byte(text))
	path := filepath.Join(cache, "hat", hex.EncodeToString(sum[:])+packageSuffix)
	if old, err := os.ReadFile(path); err == nil && string(old) == text {
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return "", fmt.Errorf("cache for packages: %w; choose another cache folder", err)
	}
	if err := files.Write(path, 0o644, []byte(text)); err != nil {
		return "", fmt.Errorf("cache for packages: %w; choose another cache folder", err)
	}
	return path, nil
}
