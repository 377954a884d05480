package generator

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"zonemark/executor/toolchain"
)

// unscheduledHeader is included before a C++ generator.
//
//go:embed unscheduled.h
var unscheduledHeader string

// unscheduledName is the name of the autoscheduler in unscheduledHeader.
const unscheduledName = "zonemark_unscheduled"

// executableName is the name of a compiled generator in its folder.
const executableName = "generator"

// findCXX returns the C++ compiler.
func (t Toolchain) findCXX(ctx context.Context) (toolchain.Compiler, error) {
	return toolchain.Choose(ctx, t.getenv, cxxVariable, "no C++ compiler was found (looked for $CXX, c++, g++ and clang++), "+
		"and a C++ generator needs one; install one (Debian, Ubuntu: apt install g++), or write the generator in Python, "+
		"which needs none", "c++", "g++", "clang++")
}

// findCC returns the C compiler.
func (t Toolchain) findCC(ctx context.Context) (toolchain.Compiler, error) {
	return toolchain.Choose(ctx, t.getenv, ccVariable, "no C compiler was found (looked for $CC, cc, gcc and clang); "+
		"install one", "cc", "gcc", "clang")
}

// cxxFlags are the first flags of the C++ compiler for a generator.
func (t Toolchain) cxxFlags() []string {
	return append([]string{"-std=c++17", "-O1", "-fno-rtti", "-rdynamic"}, t.includes()...)
}

// compile makes a program of a C++ generator and returns its path.
func (o *opened) compile(ctx context.Context) (string, error) {
	cxx, err := o.t.findCXX(ctx)
	if err != nil {
		return "", err
	}
	libraries := o.t.libraries()
	stubs, err := o.makeStubs(ctx)
	if err != nil {
		return "", err
	}
	before := slices.Concat(o.t.cxxFlags(), stubs, o.flags.Compile)
	whole := []string{"-Wl,--whole-archive", "-lHalide_GenGen", "-Wl,--no-whole-archive"}
	if runtime.GOOS == "darwin" {
		whole = []string{"-Wl,-force_load," + filepath.Join(libraries, "libHalide_GenGen.a")}
	}
	after := slices.Concat([]string{"-L" + libraries}, whole,
		[]string{"-lHalide", "-lpthread", "-ldl", "-Wl,-rpath," + libraries}, o.flags.Link)
	k := &toolchain.Key{}
	k.Add("executable", cxx.Version, strings.Join(cxx.Command, " "), unscheduledHeader)
	k.Add(before...)
	k.Add(after...)
	o.addTo(k)
	folder, err := cached(o.cache, *k, []string{executableName}, func(folder string) error {
		header := filepath.Join(folder, "unscheduled.h")
		if err := os.WriteFile(header, []byte(unscheduledHeader), 0o644); err != nil {
			return err
		}
		args := slices.Concat(before, []string{"-include", header, o.path}, o.further.generator,
			[]string{"-o", filepath.Join(folder, executableName)}, after)
		return o.compileIn(ctx, cxx, o.path, folder, args, stubs...)
	})
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, executableName), nil
}

// listCPlusPlus returns the generators that a compiled source names when it is started without arguments, but for those
// that it calls by their stubs.
func (o *opened) listCPlusPlus(ctx context.Context) (list []Generator, err error) {
	folder, remove, err := o.scratch()
	if err != nil {
		return nil, err
	}
	defer remove()
	_, err = o.start(ctx, folder)
	var failed *toolchain.FailedError
	if !errors.As(err, &failed) {
		return nil, errors.Join(fmt.Errorf("%s: it does not list its generators", o.path), err)
	}
	for _, name := range availableGenerators(failed.Said) {
		if !o.called(name) {
			list = append(list, Generator{Name: name})
		}
	}
	return list, nil
}

// parametersInStub returns the names of the parameters of a compiled generator, and of those that its inputs and outputs
// may have, such as in.type. It tells them in a stub, which is a C++ header that sets each parameter.
func (o *opened) parametersInStub(ctx context.Context, name string) (parameters, ofPorts []string, err error) {
	folder, remove, err := o.scratch()
	if err != nil {
		return nil, nil, err
	}
	defer remove()
	args := []string{"-g", name, "-o", folder, "-n", pipelineName, "-e", "cpp_stub", "target=" + hostTarget}
	if _, err := o.start(ctx, folder, args...); err != nil {
		return nil, nil, err
	}
	stub, err := os.ReadFile(filepath.Join(folder, pipelineName+".stub.h"))
	typed := firstGroups(stubTyped(), string(stub))
	for _, port := range firstGroups(stubPort(), string(stub)) {
		ofPorts = append(ofPorts, port+".dim", port+".size")
		if !slices.Contains(typed, port) {
			ofPorts = append(ofPorts, port+".type")
		}
	}
	return firstGroups(stubParameter(), string(stub)), ofPorts, err
}
