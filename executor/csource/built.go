package csource

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"zonemark/executor"
	"zonemark/executor/cfunction"
	"zonemark/executor/cfunction/exports"
	"zonemark/invocations/files"
)

// builtSuffix ends the names of files that hold a builtLibrary.
const builtSuffix = ".functions.json"

// builtLibrary is what is built of a C file or library: the library to load, and how its functions are called. The
// executor that measures may start no compiler, so it cannot read declarations again.
type builtLibrary struct {
	Library   string      `json:"library"` // absolute path
	Functions []signature `json:"functions"`
	// Constants are the enumerators of the user's own files.
	Constants map[string]int64 `json:"constants,omitempty"`
}

// writeBuilt writes what was built of a file into the cache, and returns its path.
func (f *file) writeBuilt(library, cache string) (path string, err error) {
	b := builtLibrary{Constants: f.constants}
	if b.Library, err = filepath.Abs(library); err != nil {
		return "", err
	}
	for _, c := range f.candidates {
		if c.declared != nil {
			b.Functions = append(b.Functions, c.signature)
		}
	}
	return b.write(cache)
}

// write writes the file into the cache, under the hash of its text, and returns its path.
func (b *builtLibrary) write(cache string) (string, error) {
	text, err := json.Marshal(b)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	path := filepath.Join(cache, Name, hex.EncodeToString(sum[:])+builtSuffix)
	if old, err := os.ReadFile(path); err == nil && string(old) == string(text) {
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return "", fmt.Errorf("cache for prototypes: %w; choose another cache folder", err)
	}
	if err := files.Write(path, 0o644, text); err != nil {
		return "", fmt.Errorf("cache for prototypes: %w; choose another cache folder", err)
	}
	return path, nil
}

// readBuilt reads what was built.
func readBuilt(path string) (*builtLibrary, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("what was built of C code: %w; build it again", err)
	}
	b := &builtLibrary{}
	if err := json.Unmarshal(text, b); err != nil || !strings.HasSuffix(path, builtSuffix) {
		return nil, fmt.Errorf("%s was not built by this version of zonemark; build it again, or use the one that wrote it",
			path)
	}
	return b, nil
}

// library returns the library to load, with the prototypes of its functions. of is the file that the user has named.
func (b *builtLibrary) library(of string) (*cfunction.Library, error) {
	switch _, err := os.Stat(b.Library); {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("%s: the library %s is missing; build it again", of, b.Library)
	case !filepath.IsAbs(b.Library):
		return nil, fmt.Errorf("%s: the path of the library %q is not absolute; build it again", of, b.Library)
	}
	if lib, err := exports.InspectFile(b.Library); err == nil {
		if problem := mismatch(lib, b.Library); problem != "" {
			return nil, &executor.UnsupportedError{Reason: problem}
		}
	}
	l := &cfunction.Library{Of: of, Other: libraryOf,
		File: cfunction.File{Path: b.Library, Name: b.Library, Remedy: "install what it needs", Own: true}}
	for i := range b.Functions {
		s := &b.Functions[i]
		f := cfunction.Function{Symbol: s.Symbol}
		if f.Err = errors.New(s.Problem); s.Problem == "" {
			f.Prototype, f.Err = s.prototype(b.Constants)
		}
		if f.Err != nil {
			f.Err = fmt.Errorf("%s: function %s: %w", of, s.Symbol, f.Err)
		}
		l.Functions = append(l.Functions, f)
	}
	return l, nil
}

// mismatch says why this machine cannot run a library. Returns "" if it can.
func mismatch(lib exports.Library, name string) string {
	what, made, here := lib.Mismatch(runtime.GOOS, runtime.GOARCH)
	if what == "" {
		return ""
	}
	return fmt.Sprintf("the library %s is for %s and this is %s; build it for this %s", name, made, here, what)
}

// Companions returns the path of the library that a file which Build has made names. It returns none for another
// file.
func Companions(path string) ([]string, error) {
	if !strings.HasSuffix(path, builtSuffix) {
		return nil, nil
	}
	b, err := readBuilt(path)
	if err != nil {
		return nil, err
	}
	return []string{b.Library}, nil
}

// Relocate changes the path of the library in a file that Build has made to what moved returns for it. Another file is
// left alone.
func Relocate(path string, moved func(library string) string) error {
	if !strings.HasSuffix(path, builtSuffix) {
		return nil
	}
	b, err := readBuilt(path)
	if err != nil {
		return err
	}
	b.Library = moved(b.Library)
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return files.Write(path, 0o644, text)
}
