package toolchain

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"zonemark/invocations/cpuinfo"
	"zonemark/invocations/files"
)

// Library is a shared library that is to be made of files.
type Library struct {
	Compiler Compiler
	Inputs   []Input // everything that the compiler reads, except files of the system and those that the flags name
	Flags    []string
	Read     []string // absolute paths of files and folders that the compiler may read, beside those of -I and -L
	Remedies Remedies
}

// Input is a file of which a library is made: source that is preprocessed, or static code.
type Input struct {
	Name string // base name, as flags refer to it
	Code []byte
}

// Make returns the path of the library in folder, which is made as well. It runs the compiler if the library is not
// there. The file is named after the hash of the code, the command line and the compiler's version. It appears at once
// and complete, so that several may make it side by side. A file that was changed since is made again.
func (l *Library) Make(ctx context.Context, folder string) (string, error) {
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

// hash returns the name of the result. The command line does not contain the paths of the package and of the output.
func (l *Library) hash() string {
	h := sha256.New()
	for _, part := range append(append([]string{l.Compiler.Version}, l.Compiler.Command...), l.Flags...) {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	fmt.Fprintf(h, "%s;", hostDependence(l.Flags))
	for _, in := range l.Inputs {
		fmt.Fprintf(h, "%d:", len(in.Code))
		h.Write(in.Code)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// run links copies of the inputs in a folder of its own, so that exactly the hashed bytes are linked, and moves the
// result to target.
func (l *Library) run(ctx context.Context, target string) error {
	folder, err := os.MkdirTemp(filepath.Dir(target), ".link-")
	if err != nil {
		return fmt.Errorf("%w; choose another cache folder", err)
	}
	defer os.RemoveAll(folder)
	for _, in := range l.Inputs {
		if err := os.WriteFile(filepath.Join(folder, in.Name), in.Code, 0o666); err != nil {
			return err
		}
	}
	const output = "linked.out"
	shared := "-shared"
	if runtime.GOOS == "darwin" {
		shared = "-dynamiclib"
	}
	arguments := append(
		append(l.Compiler.Command[1:len(l.Compiler.Command):len(l.Compiler.Command)], shared, "-o", output),
		l.Flags...)
	cmd := exec.CommandContext(ctx, l.Compiler.Command[0], arguments...)
	cmd.Dir = folder
	cmd.Env = append(cmd.Environ(), "LC_ALL=C") // Remedies searches the messages
	cmd.WaitDelay = patience
	var words bytes.Buffer
	cmd.Stdout, cmd.Stderr = &words, &words
	if err := l.Compiler.run(cmd, folder, append(includedFolders(l.Flags), l.Read...)); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", l.Compiler.Command[0], ctx.Err())
		}
		return l.Compiler.failure(err, words.String(), l.Remedies)
	}
	return files.PlaceSealed(filepath.Join(folder, output), target, 0o755)
}

// hostDependence returns the features of this CPU if the code is tuned for the CPU that compiles it, or else "". It
// prevents a cache on a shared disk from giving the code of one machine to another.
func hostDependence(flags []string) string {
	if !slices.ContainsFunc(flags, func(f string) bool { return strings.HasSuffix(f, "=native") }) {
		return ""
	}
	return strings.Join(slices.Sorted(maps.Keys(cpuinfo.CommonFeatures(cpuinfo.Processors()))), " ")
}
