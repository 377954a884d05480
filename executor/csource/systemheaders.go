package csource

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/executor/cfunction/declarations"
	"zonemark/invocations/remedy"
)

// systemHeaders is where the headers of the system lie.
const systemHeaders = "/usr/include"

// ofSystem adds to the error about a missing header that the system has one of that name.
func ofSystem(err error, path string) error {
	system := filepath.Join(systemHeaders, path)
	if _, missing := os.Stat(system); !errors.Is(err, fs.ErrNotExist) || filepath.IsAbs(path) || missing != nil {
		return err
	}
	return remedy.With(err, remedy.Remedy{Kind: remedy.Instead, Name: path, Value: system})
}

// systemHeader returns a header of the system that declares the functions that were asked for or, if none were, some
// that the library exports: one that is named like the library, or one of C. It returns "" if there is none.
func (f *file) systemHeader(ctx context.Context) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(f.path), "lib"), ".")
	for _, header := range []string{name + ".h", name + "lib.h", "math.h", "string.h", "stdlib.h", "unistd.h", "stdio.h"} {
		path := filepath.Join(systemHeaders, header)
		declared, _, err := f.readHeader(ctx, path, true)
		if err == nil && slices.ContainsFunc(declared, func(d declarations.Function) bool {
			return f.exported.Problem(d.Name) == "" && (len(f.asked) == 0 || slices.Contains(f.asked, d.Name))
		}) {
			return path
		}
	}
	return ""
}
