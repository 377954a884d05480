package halide

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"zonemark/executor/halide/metadata"
	"zonemark/executor/toolchain"
	"zonemark/invocations"
	"zonemark/invocations/building"
	"zonemark/invocations/remedy"
)

// Build links an archive or an object file into a shared library below cache, and returns its path. The file is named
// after the hash of the contents, the command line and the linker's version. A shared library needs
// no building. The generators of a source are built into a library that holds their pipelines.
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
	linker, err := toolchain.FindLinker(ctx, r.getenv, w)
	if err != nil {
		return "", fmt.Errorf("%s: %w", artifact.Path, err)
	}
	input := "pipelines.o"
	if f.Form == metadata.Archive {
		input = "pipelines.a"
	}
	library := toolchain.Library{
		Compiler: linker,
		Inputs:   []toolchain.Input{{Name: input, Code: code}},
		Flags:    toolchain.LinkFlags(runtime.GOOS, []string{input}, "-lpthread", "-ldl"),
		Remedies: linkRemedies,
	}
	path, err := library.Make(ctx, filepath.Join(w.Cache, Name))
	if err != nil {
		return "", fmt.Errorf("%s: link it into a shared library: %w", artifact.Path, err)
	}
	return path, nil
}

// linkRemedies returns what the messages of a linker ask for.
func linkRemedies(words string) []remedy.Remedy {
	undefined := "put what defines the symbol into the archive"
	if strings.Contains(words, "halide_") {
		undefined = "it lacks Halide's runtime: build it without the target feature no_runtime, or link it with a runtime " +
			"into a shared library"
	}
	return toolchain.LinkRemedies([]remedy.Remedy{{Kind: remedy.Act, Value: undefined}},
		"install the development files of the C library")(words)
}
