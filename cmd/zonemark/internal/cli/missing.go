package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"zonemark/invocations/remedy"
	"zonemark/invocations/spelling"
)

// CheckExists returns an error if there is neither a file nor a folder at path. The error names the path and ends with
// what the user should name instead, or with a file that is named nearly so. Other errors, such as a path that may not be
// read, are left to whoever opens it.
func CheckExists(path, instead string) error {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		if near := nearFile(path); near != "" {
			return remedy.New(fmt.Sprintf("%s: there is no such file or folder; did you mean %s?", path, near),
				remedy.Remedy{Kind: remedy.Instead, Name: path, Value: near})
		}
		return fmt.Errorf("%s: there is no such file or folder; name %s", path, instead)
	}
	return nil
}

// mostNames is the number of files of a folder that are looked at.
const mostNames = 1000

// nearFile returns the file beside a missing one that has its name with an extension, or nearly its name; "" if there is
// none, or several have extensions.
func nearFile(path string) string {
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return ""
	}
	entries, _ := os.ReadDir(filepath.Dir(path)) // of a folder that cannot be read, nothing is near
	var names []string
	for _, e := range entries[:min(len(entries), mostNames)] {
		names = append(names, e.Name())
	}
	base, near, longer := filepath.Base(path), "", ""
	for _, name := range names {
		if strings.HasPrefix(name, base+".") {
			if longer != "" {
				return ""
			}
			longer = name
		}
	}
	if near = longer; near == "" { // what files have in common, such as an extension, makes no names near
		extension := filepath.Ext(base)
		var stems []string
		for _, name := range names {
			if filepath.Ext(name) == extension {
				stems = append(stems, strings.TrimSuffix(name, extension))
			}
		}
		if near = spelling.Nearest(strings.TrimSuffix(base, extension), stems); near == "" {
			return nearExtension(path, names)
		}
		near += extension
	}
	return filepath.Join(filepath.Dir(path), near)
}

// nearExtension returns the file of some names that has another extension than a missing one, and nearly so; "" if there is
// none.
func nearExtension(path string, names []string) string {
	stem := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) + "."
	near := spelling.Nearest(filepath.Base(path), slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !strings.HasPrefix(name, stem)
	}))
	if near == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(path), near)
}
