package generator

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"zonemark/executor/toolchain"
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
	linker, err := toolchain.FindLinker(ctx, t.getenv, building.Workshop{})
	if err != nil {
		return "", err
	}
	flags := linker.Linking(slices.Concat(more, toolchain.LinkFlags(runtime.GOOS, nil, "-lpthread", "-ldl")))
	k := &toolchain.Key{}
	k.Add("library", linker.Version, strings.Join(linker.Command, " "))
	k.Add(flags...)
	inputs := append(objects[:len(objects):len(objects)], support)
	if err := k.AddFiles(inputs...); err != nil {
		return "", err
	}
	library := libraryName + ".so"
	if runtime.GOOS == "darwin" {
		library = libraryName + ".dylib"
	}
	folder, err := cached(cache, *k, []string{library}, func(folder string) error {
		args := slices.Concat(linker.Command, []string{toolchain.SharedFlag(runtime.GOOS), "-o",
			filepath.Join(folder, library)}, inputs, flags)
		read := slices.Clone(inputs)
		for _, flag := range more {
			if library, is := strings.CutPrefix(flag, "-L"); is {
				read = append(read, library)
			}
		}
		_, err := t.run(ctx, toolchain.Program{
			Command: args, Folder: folder,
			Access: building.Access{Write: []string{folder}, Read: read, Programs: linker.Command[1:]},
		})
		var failed *toolchain.FailedError
		if errors.As(err, &failed) {
			if symbols := undefinedSymbols(failed.Said); len(symbols) > 0 {
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

// Runtime returns the path of an object that holds Halide's runtime for a target, below cache. It is made once for each
// target.
func (t Toolchain) Runtime(ctx context.Context, target, cache string) (string, error) {
	if cache == "" {
		return "", errors.New("there is no cache to put the library into")
	}
	const object = runtimeName + ".o"
	k := &toolchain.Key{}
	k.Add("runtime", t.Version, target)
	folder, err := cached(cache, *k, []string{object}, func(folder string) error {
		_, err := t.run(ctx, toolchain.Program{
			Command: []string{t.tool("gengen"), "-r", runtimeName, "-o", folder, "-e", "object", "target=" + target},
			Folder:  folder,

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
