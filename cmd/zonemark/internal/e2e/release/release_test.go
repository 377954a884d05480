package release

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/invocations/testneeds"
	"zonemark/invocations/testsize"
)

// releaseTag is the tag that the test gives to the revision that it releases.
const releaseTag = "v0.98.7"

// TestRelease releases the committed state of this checkout under a tag. It installs the wheel and asks the archive's
// program, the wheel's and a journal for the version. It releases for two platforms, twice, and compares the bytes.
func TestRelease(t *testing.T) {
	t.Parallel()
	if !testsize.Large() {
		t.Skip("builds the program for two platforms, twice")
	}
	venv := newVirtualEnvironment(t)
	clone := taggedClone(t)
	host := runtime.GOOS + "/" + runtime.GOARCH
	other := "linux/arm64"
	if host == other {
		other = "linux/amd64"
	}
	targets := []string{host, other}
	release := func() string {
		folder := filepath.Join(t.TempDir(), "dist")
		cmd := venv.command(t, "python")
		cmd = &exec.Cmd{Path: filepath.Join(clone, ".github", "release.sh"), Env: cmd.Env, Dir: t.TempDir(),
			Args: append([]string{"release.sh", "--output", folder, "--python", filepath.Join(string(venv), "python")},
				targets...)}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return folder
	}
	dist := release()
	names := compareFolders(t, dist, release())
	archive := fmt.Sprintf("zonemark-%s-%s-%s", releaseTag, runtime.GOOS, runtime.GOARCH)
	wheels := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return filepath.Ext(name) != ".whl" })
	if len(names) != 2*len(targets)+1 || len(wheels) != len(targets) || !slices.Contains(names, archive+".tar.gz") ||
		!slices.Contains(names, "SHA256SUMS") {
		t.Fatalf("the release holds %v", names)
	}
	checkSums(t, dist, names)

	unpacked := t.TempDir()
	for _, name := range names {
		if strings.HasSuffix(name, ".tar.gz") {
			e2e.RunIn(t, unpacked, "tar", "-xzf", filepath.Join(dist, name))
			checkArchive(t, filepath.Join(unpacked, strings.TrimSuffix(name, ".tar.gz")))
		}
	}
	want := "zonemark " + releaseTag + " (protocol "
	for _, flag := range []string{"--version", "-V"} {
		if got := e2e.RunIn(t, unpacked, filepath.Join(unpacked, archive, "zonemark"), flag); !strings.HasPrefix(got, want) {
			t.Errorf("%s of the archive's program: %s", flag, got)
		}
	}
	for _, wheel := range wheels {
		if !strings.HasPrefix(wheel, "zonemark-0.98.7-py3-none-") {
			t.Errorf("the wheel's name is %s", wheel)
		}
		if strings.Contains(wheel, map[string]string{"amd64": "x86_64", "arm64": "a"}[runtime.GOARCH]) {
			venv.testReleasedWheel(t, filepath.Join(dist, wheel), want)
		}
	}
}

// taggedClone returns a clone of this checkout with a tag at its revision.
func taggedClone(t *testing.T) string {
	t.Helper()
	root, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		testneeds.Missing(t, fmt.Errorf("this is no git checkout: %w", err))
	}
	if out, err := exec.Command("tar", "--version").Output(); err != nil || !strings.Contains(string(out), "GNU tar") {
		testneeds.Missing(t, fmt.Errorf("tar is not GNU tar: %w", err))
	}
	clone := filepath.Join(t.TempDir(), "clone")
	e2e.RunIn(t, ".", "git", "clone", "--quiet", "--no-tags", strings.TrimSpace(string(root)), clone)
	e2e.RunIn(t, clone, "git", "tag", releaseTag)
	return clone
}

// compareFolders checks that two folders hold the same files, and returns their names.
func compareFolders(t *testing.T, a, b string) (names []string) {
	t.Helper()
	for _, folder := range []string{a, b} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, e := range entries {
			found = append(found, e.Name())
		}
		if names != nil && !slices.Equal(names, found) {
			t.Errorf("one release holds %v, the other %v", names, found)
		}
		names = found
	}
	for _, name := range names {
		one, errOne := os.ReadFile(filepath.Join(a, name))
		two, errTwo := os.ReadFile(filepath.Join(b, name))
		if errOne != nil || errTwo != nil || !bytes.Equal(one, two) {
			t.Errorf("%s is not the same twice: %v, %v", name, errOne, errTwo)
		}
	}
	return names
}

// checkSums compares SHA256SUMS with the files of a release.
func checkSums(t *testing.T, folder string, names []string) {
	t.Helper()
	var want []string
	for _, name := range names {
		if data, err := os.ReadFile(filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		} else if name != "SHA256SUMS" {
			want = append(want, fmt.Sprintf("%x  %s", sha256.Sum256(data), name))
		}
	}
	sums, err := os.ReadFile(filepath.Join(folder, "SHA256SUMS"))
	got := strings.Split(strings.TrimSpace(string(sums)), "\n")
	slices.Sort(got)
	slices.Sort(want)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, the sums are\n%s", err, sums)
	}
}

// checkArchive checks what an archive holds, and that the program for Linux needs no more of the C library than the tag
// of the wheel promises: glibc 2.17 has these functions. A program that needs another one must be looked at.
func checkArchive(t *testing.T, folder string) {
	t.Helper()
	for _, name := range []string{"LICENSE", "README.md"} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !strings.Contains(filepath.Base(folder), "-linux-") {
		return
	}
	program, err := elf.Open(filepath.Join(folder, "zonemark"))
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	libraries, err := program.ImportedLibraries()
	for _, name := range libraries {
		if !slices.Contains([]string{"libc.so.6", "libdl.so.2", "libpthread.so.0"}, name) {
			t.Errorf("%s needs the library %s, which the tag of the wheel does not promise", folder, name)
		}
	}
	symbols, errSymbols := program.ImportedSymbols()
	if err != nil || errSymbols != nil || len(libraries) == 0 || len(symbols) == 0 {
		t.Errorf("%s: libraries %v, symbols %v, %v, %v", folder, libraries, symbols, err, errSymbols)
	}
	for _, s := range symbols {
		if !slices.Contains(oldFunctions, s.Name) || s.Version != "" {
			t.Errorf("%s needs %s %s of %s: see whether glibc 2.17 has it, and change the list here or the tag in "+
				"hatch_build.py", folder, s.Name, s.Version, s.Library)
		}
	}
}

// oldFunctions are in every glibc since 2.17, which is the oldest that manylinux_2_17 stands for.
var oldFunctions = []string{
	"abort", "dlclose", "dlerror", "dlopen", "dlsym", "free", "malloc", "nanosleep", "pthread_attr_destroy",
	"pthread_attr_getstacksize", "pthread_attr_init", "pthread_cond_broadcast", "pthread_create", "pthread_detach",
	"pthread_mutex_lock", "pthread_mutex_unlock", "pthread_setspecific", "pthread_sigmask", "setenv", "sigfillset",
	"unsetenv",
}

// testReleasedWheel installs the wheel without its sources. The package finds its own binary, and all tell one version.
func (v virtualEnvironment) testReleasedWheel(t *testing.T, wheel, want string) {
	v.must(t, "python", "-m", "pip", "install", "-q", "--no-index", "--no-deps", wheel)
	got := v.must(t, "python", "-c", `
import importlib.metadata, pathlib, sys, zonemark.binary
print(importlib.metadata.version("zonemark"))
print(pathlib.Path(zonemark.binary.find()).resolve().is_relative_to(pathlib.Path(sys.prefix).resolve()))`)
	if got != "0.98.7\nTrue\n" {
		t.Errorf("the version of the package, and whether it finds its own binary: %q", got)
	}
	for _, flag := range []string{"--version", "-V"} {
		if got := v.must(t, "zonemark", flag); !strings.HasPrefix(got, want) {
			t.Errorf("%s of the wheel's command: %s", flag, got)
		}
	}
	journal := filepath.Join(t.TempDir(), "j.ndjson")
	v.must(t, "zonemark", "run", "--check", "--filter", "16x8", "-o", journal, e2e.Example(t, "sizes.toml"))
	header, err := os.ReadFile(journal)
	if err != nil || !strings.Contains(string(header), `"zonemark":"`+releaseTag+`"`) {
		t.Errorf("%v; the journal begins with %.300s", err, header)
	}
}
