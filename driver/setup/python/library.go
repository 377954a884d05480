package python

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"zonemark/driver/setup/command"
	"zonemark/invocations/files"
)

// Library returns the shared library of an interpreter, which executors load to run Python in their own process. If
// there is none, reason says so and what to do.
func (p Interpreter) Library() (path, reason string) {
	names := p.libraryNames()
	for _, folder := range p.libraryFolders() {
		for _, name := range names {
			if candidate := filepath.Join(folder, name); files.IsFile(candidate) {
				return candidate, ""
			}
		}
	}
	if runtime.GOOS == "linux" {
		known := loaderCache()
		for _, name := range names {
			if candidate := known[name]; candidate != "" && files.IsFile(candidate) {
				return candidate, ""
			}
		}
	}
	_, lesser, _ := Minor(p.Version)
	return "", fmt.Sprintf(
		"Python %s at %s has no shared library %s: install it (Debian, Ubuntu: apt install libpython3.%d), or name a "+
			"Python that was built with --enable-shared",
		p.Version,
		p.Executable,
		names[0],
		lesser,
	)
}

// libraryNames returns the names that the shared library of this interpreter may have, the most exact first.
// Configuration variables name a static library in many builds that have a shared one too.
func (p Interpreter) libraryNames() []string {
	var names []string
	add := func(name string) {
		if name != "" && !strings.HasSuffix(name, ".a") && !strings.HasSuffix(name, ".lib") &&
			!slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	major, lesser, _ := Minor(p.Version)
	version := p.Config["LDVERSION"] // includes the t of a free-threaded build
	if version == "" {
		version = fmt.Sprintf("%d.%d", major, lesser)
	}
	switch runtime.GOOS {
	case "windows":
		add(fmt.Sprintf("python%s.dll", strings.ReplaceAll(version, ".", "")))
	default:
		add(p.Config["INSTSONAME"])
		add(p.Config["LDLIBRARY"])
		add("libpython" + version + ".so.1.0")
		add("libpython" + version + ".so")
		add("libpython" + version + ".dylib")
	}
	return names
}

// libraryFolders returns the folders where the shared library of this interpreter may lie.
func (p Interpreter) libraryFolders() []string {
	folders := []string{p.Config["LIBDIR"]}
	if multiarch := p.Config["MULTIARCH"]; multiarch != "" && p.Config["LIBDIR"] != "" {
		folders = append(folders, filepath.Join(p.Config["LIBDIR"], multiarch))
	}
	folders = append(
		folders,
		filepath.Join(p.BasePrefix, "lib"),
		p.BasePrefix,
		p.Config["PYTHONFRAMEWORKPREFIX"],
		p.Config["LIBPL"],
	)
	// These are the folders beside the base interpreter, and those of builds that can be moved.
	if real, err := filepath.EvalSymlinks(p.Executable); err == nil {
		folders = append(folders, filepath.Dir(real), filepath.Join(filepath.Dir(filepath.Dir(real)), "lib"))
	}
	return slices.DeleteFunc(folders, func(folder string) bool { return !filepath.IsAbs(folder) })
}

// loaderCache returns the paths that the dynamic loader knows, by names. It is empty if ldconfig cannot be run.
func loaderCache() map[string]string {
	path := command.LookUp("ldconfig", "/sbin/ldconfig", "/usr/sbin/ldconfig")
	if path == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "-p").Output()
	if err != nil {
		return nil
	}
	return parseLoaderCache(string(out))
}

// parseLoaderCache reads the lines "NAME (KIND) => PATH" of ldconfig -p. Of several lines with one name, the first
// counts, as it does for the loader.
func parseLoaderCache(text string) map[string]string {
	known := map[string]string{}
	for line := range strings.Lines(text) {
		left, path, ok := strings.Cut(strings.TrimSpace(line), " => ")
		name, kind, _ := strings.Cut(left, " ")
		if !ok || name == "" || !filepath.IsAbs(path) || known[name] != "" ||
			runtime.GOARCH == "amd64" && !strings.Contains(kind, "x86-64") {
			continue
		}
		known[name] = path
	}
	return known
}
