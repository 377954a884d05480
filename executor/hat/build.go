package hat

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"zonemark/executor/compilerflags"
	"zonemark/executor/toolchain"
	"zonemark/invocations"
	"zonemark/invocations/building"
	"zonemark/invocations/remedy"
)

// Build compiles the C source of a package, or links its static library or object file, into a shared library below
// the cache, and returns its path. If the library of the package is shared already, Build returns its path.
func (r Runtime) Build(ctx context.Context, artifact invocations.Artifact, w building.Workshop) (string, error) {
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
	case !toolchain.IsStatic(lib):
		return lib, nil
	}
	code, err := os.ReadFile(lib)
	if errors.Is(err, os.ErrNotExist) {
		return "", p.missingLibrary()
	} else if err != nil {
		return "", fmt.Errorf("%s: link_target: %w; build the library or correct dependencies.link_target", p.Path, err)
	}
	compiler, err := toolchain.Find(ctx, r.getenv, w)
	if err != nil {
		return "", fmt.Errorf("%s: link %s: %w", p.Path, p.Depends.LinkTarget, err)
	}
	input := filepath.Base(lib)
	l := toolchain.Library{Compiler: compiler, Inputs: []toolchain.Input{{Name: input, Code: code}},
		Remedies: toolchain.LinkRemedies([]remedy.Remedy{{Kind: remedy.Act,
			Value: "name the library that defines the symbol in dependencies.dynamic"}},
			"put the file beside the package, or install it where the linker looks")}
	if err = toolchain.CheckPath(input); err != nil {
		return "", fmt.Errorf("%s: dependencies.link_target: %w", p.Path, err)
	}
	l.Read = p.dependencies()
	if toolchain.IsSource(lib) {
		l.Flags, err = p.compileFlags(input)
	} else {
		l.Flags, err = p.linkFlags(runtime.GOOS, input)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", p.Path, err)
	}
	target, err := l.Make(ctx, filepath.Join(w.Cache, Name))
	if err != nil {
		return "", fmt.Errorf("%s: link %s: %w", p.Path, p.Depends.LinkTarget, err)
	}
	return target, nil
}

// linkFlags returns the arguments that link the library of the package, with what it depends on.
func (p *Package) linkFlags(system, input string) ([]string, error) {
	var dependencies []string
	for _, d := range p.Depends.Dynamic {
		flags, err := p.dependencyFlags(d, system)
		if err != nil {
			return nil, fmt.Errorf("dependencies.dynamic: %w", err)
		}
		dependencies = append(dependencies, flags...)
	}
	if strings.EqualFold(p.Target.Required.CPU.Runtime, "openmp") {
		dependencies = append(dependencies, "-fopenmp")
	}
	return toolchain.LinkFlags(system, []string{input}, dependencies...), nil
}

// dependencies returns the folders of the files beside the package that are linked with its library. A link that leads out
// of the package's folder leads to no file of the package.
func (p *Package) dependencies() (folders []string) {
	root, err := filepath.Abs(filepath.Dir(p.Path))
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	for _, d := range p.Depends.Dynamic {
		file, missing := filepath.EvalSymlinks(p.resolve(d.TargetFile))
		if d.TargetFile == "" || err != nil || missing != nil {
			continue
		}
		if file, err = filepath.Abs(file); err == nil && strings.HasPrefix(file, root+string(filepath.Separator)) {
			folders = append(folders, filepath.Dir(file))
		}
	}
	return folders
}

// dependencyFlags links a file beside the package by its path. The linker looks other names up in its own folders.
func (p *Package) dependencyFlags(d SharedLibrary, system string) ([]string, error) {
	if d.TargetFile == "" {
		if d.Name == "" {
			return nil, nil
		}
		return libraryFlag("-l"+d.Name, d.Name)
	}
	if err := toolchain.CheckPath(d.TargetFile); err != nil {
		return nil, err
	}
	file, err := filepath.Abs(p.resolve(d.TargetFile))
	if _, statErr := os.Stat(file); err == nil && statErr == nil {
		return []string{file, "-Wl,-rpath," + filepath.Dir(file)}, toolchain.CheckPath(file)
	}
	if system == "linux" {
		return libraryFlag("-l:"+d.TargetFile, d.TargetFile)
	}
	return []string{d.TargetFile}, nil
}

// libraryFlag returns a flag that names a library, which the linker looks up.
func libraryFlag(flag, name string) ([]string, error) {
	if !compilerflags.Harmless(flag) {
		return nil, fmt.Errorf("%.80q is neither a file beside the package nor the name of a library; correct it", name)
	}
	return []string{flag}, nil
}
