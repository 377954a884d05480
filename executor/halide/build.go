package halide

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"zonemark/executor/halide/metadata"
	"zonemark/executor/platform"
	"zonemark/invocations"
	"zonemark/invocations/building"
	"zonemark/invocations/files"
)

// Build links an archive or an object file into a shared library below cache, and returns its path. The file is named
// after the hash of the contents, the command line and the linker's version. It appears there at once and complete, so
// builds may run side by side. A shared library needs no building. The generators of a source are built into a library
// that holds their pipelines.
func (r Runtime) Build(ctx context.Context, artifact invocations.Artifact, w building.Workshop) (string, error) {
	if FromGenerator(artifact.Path) {
		out, err := r.build(ctx, artifact.Path, artifact.Options, w)
		return out.Library, err
	}
	code, err := os.ReadFile(artifact.Path)
	if err != nil {
		return "", fmt.Errorf("%w; build it, or correct the path", err)
	}
	f, err := metadata.Parse(code)
	if err != nil {
		return "", fmt.Errorf("%s: %w", artifact.Path, err)
	}
	if f.Form == metadata.Shared {
		return artifact.Path, nil
	}
	l, err := r.findLinker(ctx, f.Form)
	if err != nil {
		return "", fmt.Errorf("%s: %w", artifact.Path, err)
	}
	folder := filepath.Join(w.Cache, Name)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", fmt.Errorf("cache for linked libraries: %w; choose another cache folder", err)
	}
	target := filepath.Join(folder, l.hash(code)+".so")
	if files.Intact(target) {
		return target, nil
	}
	if err := l.run(ctx, code, target, w.Confine); err != nil {
		return "", fmt.Errorf("%s: link it into a shared library: %w", artifact.Path, err)
	}
	return target, nil
}

// linker is a program that links, with its arguments except for the output.
type linker struct {
	command []string // the program, then the arguments
	version string   // the output of --version
	input   string   // name of the file that the arguments name
}

const linkedName = "linked.so"

// findLinker returns the C compiler that $CC names, or the first of cc, gcc, clang and ld that is installed. The whole
// archive is taken, because nothing refers to its members. Undefined symbols are refused: they would end a call.
func (r Runtime) findLinker(ctx context.Context, form metadata.Form) (*linker, error) {
	candidates := [][]string{{"cc"}, {"gcc"}, {"clang"}, {"ld"}}
	if own := strings.Fields(r.getenv("CC")); len(own) > 0 {
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
			return nil, fmt.Errorf("%s --version: %w; set CC to a C compiler that works",
				strings.Join(command, " "), err)
		}
		prefix := "-Wl,"
		if command[0] == "ld" {
			prefix = ""
		}
		l := &linker{version: string(version), input: "pipelines.o"}
		l.command = append([]string{program}, command[1:]...)
		l.command = append(l.command, "-shared", "-o", linkedName)
		if prefix == "" {
			l.command = append(l.command, "-z", "defs")
		} else {
			l.command = append(l.command, prefix+"-z,defs")
		}
		if form == metadata.Archive {
			l.input = "pipelines.a"
			l.command = append(l.command, prefix+"--whole-archive", l.input, prefix+"--no-whole-archive")
		} else {
			l.command = append(l.command, l.input)
		}
		l.command = append(l.command, "-lpthread", "-ldl", "-lm", "-lc")
		return l, nil
	}
	if own := r.getenv("CC"); own != "" {
		return nil, fmt.Errorf("the C compiler %q, which CC names, was not found; correct CC or unset it", own)
	}
	return nil, errors.New("no linker was found (looked for $CC, cc, gcc, clang and ld); install one, or link it " +
		"into a shared library elsewhere")
}

// hash returns the name of the result.
func (l *linker) hash(code []byte) string {
	h := sha256.New()
	for _, part := range append([]string{l.version}, l.command...) {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	fmt.Fprintf(h, "%d:", len(code))
	h.Write(code)
	return hex.EncodeToString(h.Sum(nil))
}

// run links a copy of the code in a folder of its own, so that exactly the hashed bytes are linked, and moves the
// result to target.
func (l *linker) run(ctx context.Context, code []byte, target string, confine building.Confine) error {
	folder, err := filepath.Abs(filepath.Dir(target))
	if err == nil {
		folder, err = os.MkdirTemp(folder, ".link-")
	}
	if err != nil {
		return fmt.Errorf("%w; choose another cache folder", err)
	}
	defer os.RemoveAll(folder)
	if err := os.WriteFile(filepath.Join(folder, l.input), code, 0o666); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, l.command[0], l.command[1:]...)
	cmd.Dir = folder
	cmd.Env = append(cmd.Environ(), "LC_ALL=C") // linkError searches the messages
	cmd.WaitDelay = 5 * time.Second
	var words bytes.Buffer
	cmd.Stdout, cmd.Stderr = &words, &words
	if err := confine.Run(cmd, building.Access{Write: []string{folder}, Programs: l.command[1:]}); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", l.command[0], ctx.Err())
		}
		return linkError(filepath.Base(l.command[0]), err, words.String())
	}
	return files.PlaceSealed(filepath.Join(folder, linkedName), target, 0o755)
}

// linkError returns the first lines of the linker's output and what they usually mean.
func linkError(name string, err error, words string) error {
	if how := platform.Killed(err, words); how != "" {
		return fmt.Errorf("%s was killed (%s), probably because memory ran out; that is no error of the pipeline: try again "+
			"when there is more", name, how)
	}
	const shown = 8
	lines := strings.Split(strings.TrimSpace(words), "\n")
	if len(lines) > shown {
		lines = append(lines[:shown], fmt.Sprintf("… and %d lines more", len(lines)-shown))
	}
	remedy := "build the pipeline again, or set CC to another compiler"
	switch {
	case strings.Contains(words, "halide_") && strings.Contains(words, "undefined"):
		remedy = "it lacks Halide's runtime: build it without the target feature no_runtime, or link it with a " +
			"runtime into a shared library"
	case strings.Contains(words, "undefined"):
		remedy = "put what defines the symbol into the archive"
	case strings.Contains(words, "-fPIC"):
		remedy = "compile the code with -fPIC"
	case strings.Contains(words, "file format not recognized"), strings.Contains(words, "incompatible"):
		remedy = "build it for this machine (target=host)"
	}
	return fmt.Errorf("%s: %w; %s:\n%s", name, err, remedy, strings.Join(lines, "\n"))
}
