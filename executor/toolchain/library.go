package toolchain

import (
	"context"
	"crypto/sha256"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"zonemark/invocations/cpuinfo"
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
// there. The file is named after the hash of the code, the command line and the compiler's version. A file that was
// changed since is made again.
func (l *Library) Make(ctx context.Context, folder string) (string, error) {
	path := filepath.Join(folder, l.name()+sharedSuffix(runtime.GOOS))
	return path, Keep(path, 0o755, func(scratch string) (string, error) { return l.link(ctx, scratch) })
}

func sharedSuffix(system string) string {
	if system == "darwin" {
		return ".dylib"
	}
	return ".so"
}

// name returns the name of the result. The command line does not contain the paths of the package and of the output.
func (l *Library) name() string {
	k := &Key{}
	k.Add(l.Compiler.Version, hostDependence(l.Flags))
	k.Add(l.Compiler.Command...)
	k.Add(l.Flags...)
	for _, in := range l.Inputs {
		sum := sha256.Sum256(in.Code)
		k.Add(string(sum[:]))
	}
	return k.Name()
}

// link links copies of the inputs in a folder, so that exactly the hashed bytes are linked, and returns the result's path.
func (l *Library) link(ctx context.Context, folder string) (string, error) {
	for _, in := range l.Inputs {
		if err := os.WriteFile(filepath.Join(folder, in.Name), in.Code, 0o666); err != nil {
			return "", err
		}
	}
	const output = "linked.out"
	arguments := slices.Concat([]string{SharedFlag(runtime.GOOS), "-o", output}, l.Compiler.Linking(l.Flags))
	p := l.Compiler.program(folder, folder, slices.Concat(includedFolders(l.Flags), l.Read), arguments)
	if _, err := p.Run(ctx, l.Compiler.workshop.Confine); err != nil {
		return "", withRemedies(err, l.Remedies)
	}
	return filepath.Join(folder, output), nil
}

// hostDependence returns the features of this CPU if the code is tuned for the CPU that compiles it, or else "". It
// prevents a cache on a shared disk from giving the code of one machine to another.
func hostDependence(flags []string) string {
	if !slices.ContainsFunc(flags, func(f string) bool { return strings.HasSuffix(f, "=native") }) {
		return ""
	}
	return strings.Join(slices.Sorted(maps.Keys(cpuinfo.CommonFeatures(cpuinfo.Processors()))), " ")
}
