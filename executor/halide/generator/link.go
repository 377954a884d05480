package generator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"zonemark/invocations/building"
)

const (
	libraryName = "pipelines"
	runtimeName = "runtime"
)

// Link makes a shared library of the objects of pipelines, whose functions have different names, and of Halide's
// runtime for a target, below cache, and returns its path. The runtime is made once for each target. Flags name further
// libraries.
func (t Toolchain) Link(ctx context.Context, objects []string, target, cache string, more ...string) (string, error) {
	target = t.resolve(target, false)
	support, err := t.Runtime(ctx, target, cache)
	if err != nil {
		return "", err
	}
	linker, flags, err := t.findLinker(ctx)
	if err != nil {
		return "", err
	}
	flags = append(slices.Clone(more), flags...)
	k := &key{}
	k.add("library", linker.version, strings.Join(linker.command, " "))
	k.add(flags...)
	inputs := append(objects[:len(objects):len(objects)], support)
	for _, path := range inputs {
		data, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(data)
		k.add(hex.EncodeToString(sum[:]))
	}
	library := libraryName + ".so"
	if runtime.GOOS == "darwin" {
		library = libraryName + ".dylib"
	}
	folder, err := cached(cache, *k, []string{library}, func(folder string) error {
		args := append(linker.command[1:len(linker.command):len(linker.command)], "-o", filepath.Join(folder, library))
		read := slices.Clone(inputs)
		for _, flag := range more {
			if library, is := strings.CutPrefix(flag, "-L"); is {
				read = append(read, library)
			}
		}
		_, err := t.run(ctx, program{
			path: linker.command[0], args: append(append(args, inputs...), flags...), dir: folder,
			Access: building.Access{Write: []string{folder}, Read: read, Programs: linker.command[1:]},
		})
		var failed *programError
		if errors.As(err, &failed) {
			if symbols := undefinedSymbols(failed.output); len(symbols) > 0 {
				return undefined("link the pipelines", symbols)
			}
			return fmt.Errorf("link the pipelines: %w; if a symbol is there twice, give each pipeline a function name of "+
				"its own", failed)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, library), nil
}

// findLinker returns what links shared libraries, and the flags that follow the inputs: a C compiler, or a linker
// alone. On Linux, the flags refuse undefined symbols, which would otherwise end a call.
func (t Toolchain) findLinker(ctx context.Context) (l compiler, flags []string, err error) {
	const none = "no C compiler and no linker was found (looked for $CC, cc, gcc, clang, ld and ld.lld), and pipelines " +
		"are linked into a shared library; install one (Debian, Ubuntu: apt install binutils)"
	l, err = t.findCompiler(ctx, ccVariable, none, "cc", "gcc", "clang")
	switch {
	case err == nil && runtime.GOOS == "darwin":
		return l, []string{"-dynamiclib"}, nil
	case err == nil:
		return l, []string{"-shared", "-Wl,-z,defs", "-lpthread", "-ldl", "-lm"}, nil
	case t.getenv(ccVariable) != "":
		return compiler{}, nil, err
	}
	l, err = t.findCompiler(ctx, "", none, "ld", "ld.lld")
	return l, []string{"-shared", "-z", "defs", "-lpthread", "-ldl", "-lm", "-lc"}, err
}

// Runtime returns the path of an object that holds Halide's runtime for a target, below cache. It is made once for each
// target.
func (t Toolchain) Runtime(ctx context.Context, target, cache string) (string, error) {
	if cache == "" {
		return "", errors.New("there is no cache to put the library into")
	}
	const object = runtimeName + ".o"
	k := &key{}
	k.add("runtime", t.Version, target)
	folder, err := cached(cache, *k, []string{object}, func(folder string) error {
		_, err := t.run(ctx, program{
			path: t.tool("gengen"),
			args: []string{"-r", runtimeName, "-o", folder, "-e", "object", "target=" + target},
			dir:  folder,

			Access: building.Access{Write: []string{folder}, Read: []string{t.Folder}, Temporary: true},
		})
		if err != nil {
			return fmt.Errorf("make Halide's runtime for the target %s: %w", target, err)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, object), nil
}
