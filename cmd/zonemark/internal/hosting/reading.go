package hosting

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/driver/plan"
	"zonemark/executor/sandbox"
	"zonemark/invocations"
)

// reading is what executors may read beside the system: nothing in the homes of users but some files and folders. It
// also holds what of the machine they may write, and in which profile they run.
type reading struct {
	hidden, allowed []string
	writable        []string
	profile         sandbox.Profile
	home            string          // in profile device; empty: a temporary one
	known           map[string]bool // paths that addFolderOf has looked at
}

// Serving returns the options for executors that execute the invocations of a plan. They may read the artifacts with
// their folders, the files of their flags and contents, what variables name for runtimes, and further paths, such as
// the cache.
func (o Options) Serving(plan *plan.Plan, paths ...string) Options {
	o.reading = reading{hidden: o.homes()}
	for _, path := range slices.Concat(o.Read, paths) {
		if absolute, err := filepath.Abs(path); err == nil {
			o.reading.add(absolute)
		}
	}
	o.reading.addVariables(o.Variables.Entries())
	for _, p := range plan.All() {
		if p.Verdict != "" {
			continue // it is not executed, and a stranger may have written it
		}
		o.reading.addInvocation(&p.Invocation)
	}
	slices.Sort(o.reading.allowed)
	o.reading.allowed = slices.Compact(o.reading.allowed)
	return o
}

// homes returns the folders of users, of which programs may read what they are allowed by name.
func (o Options) homes() []string {
	folders := []string{"/root", "/home"}
	if home := o.Variables.Lookup("HOME"); filepath.IsAbs(home) && filepath.Clean(home) != "/" {
		folders = append(folders, home)
	}
	return folders
}

// add allows a file or a folder, and what it is a link to.
func (r *reading) add(path string) {
	if !filepath.IsAbs(path) {
		return
	}
	r.allowed = append(r.allowed, filepath.Clean(path))
	if real, err := filepath.EvalSymlinks(path); err == nil {
		r.allowed = append(r.allowed, real)
	}
}

// addWritable allows to write what a path leads to. What leads nowhere is refused when a process is confined.
func (r *reading) addWritable(path string) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return
	}
	if real, err := filepath.EvalSymlinks(absolute); err == nil {
		absolute = real
	}
	if !slices.Contains(r.writable, absolute) {
		r.writable = append(r.writable, absolute)
	}
}

// addFolderOf allows a folder, or the folder of a file. Of a home it allows what is not hidden by a dot: secrets are.
func (r *reading) addFolderOf(path string) {
	if !filepath.IsAbs(path) || r.known[path] {
		return
	}
	if r.known == nil {
		r.known = map[string]bool{}
	}
	r.known[path] = true
	info, err := os.Stat(path)
	if err != nil {
		return
	}
	folder := path
	if !info.IsDir() {
		folder = filepath.Dir(path)
		r.add(path)
	}
	if !r.isHome(folder) {
		r.add(folder)
		return
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			r.add(filepath.Join(folder, e.Name()))
		}
	}
}

// addProject allows the working folder if a source lies below it: a file includes others of its project. A home is no
// project.
func (r *reading) addProject(source string) {
	project, err := os.Getwd()
	if err != nil || r.isHome(project) {
		return
	}
	if below, err := filepath.Rel(project, source); err == nil && filepath.IsLocal(below) {
		r.add(project)
	}
}

// isHome reports whether a folder is the home of a user, or holds homes.
func (r *reading) isHome(folder string) bool {
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return true
	}
	return filepath.Dir(real) == "/home" || slices.ContainsFunc(r.hidden, func(h string) bool {
		return real == h || strings.HasPrefix(h, strings.TrimSuffix(real, "/")+"/")
	})
}

// addVariables allows what variables name in which runtimes, loaders and interpreters look for their own files.
func (r *reading) addVariables(entries []string) {
	named := []string{"LD_LIBRARY_PATH", "LD_PRELOAD", "VIRTUAL_ENV", "CONDA_PREFIX"}
	prefixes := []string{"ZONEMARK_", "PYTHON", "TT_", "IREE_", "XLA_", "HALIDE_", "TRACY"}
	for _, entry := range entries {
		name, value, _ := strings.Cut(entry, "=")
		if !slices.Contains(named, name) && !slices.ContainsFunc(prefixes, func(p string) bool {
			return strings.HasPrefix(name, p)
		}) {
			continue
		}
		for _, path := range filepath.SplitList(value) {
			r.addInstalled(path)
		}
	}
}

// addInstalled allows the folder of a file, or of a program with its libraries: PREFIX of PREFIX/bin/PROGRAM.
func (r *reading) addInstalled(path string) {
	r.addFolderOf(path)
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return
	}
	r.addFolderOf(real)
	for _, one := range []string{path, real} {
		if folder := filepath.Dir(one); filepath.Base(folder) == "bin" && !r.isHome(filepath.Dir(folder)) {
			r.addFolderOf(filepath.Dir(folder))
		}
	}
}

// addSource allows a file or folder of sources. Of a home it allows the files that are not hidden by a dot.
func (r *reading) addSource(path string) {
	if !filepath.IsAbs(path) || !r.isHome(path) {
		r.add(path)
		return
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
			r.add(filepath.Join(path, e.Name()))
		}
	}
}

// addInvocation allows what an invocation names.
func (r *reading) addInvocation(inv *invocations.Invocation) {
	for _, path := range inv.Limits.Read {
		r.addInput(path)
	}
	r.addFolderOf(inv.Artifact.Path)
	r.addFolderOf(inv.Artifact.Built)
	for _, value := range inv.Artifact.Options {
		r.addFolderOf(value)
		for _, part := range PathsInOption(value) {
			r.addFolderOf(part)
		}
	}
	for _, a := range inv.Arguments {
		if a.Path != "" {
			r.addInput(a.Path)
		}
	}
	if file, _, ok := inv.ReferenceFile(); ok {
		r.addInput(file)
	}
	for _, expected := range inv.Verify.Expected {
		if path, isFile := invocations.TensorFile(expected); isFile {
			r.addInput(path)
		}
	}
}

// PathsInOption returns the parts of an option's value that may be paths, such as those of a list of SCOPE=PATH.
func PathsInOption(value string) []string {
	return strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune(" ,=@:", c) })
}

// addInput allows one file, named from the working directory.
func (r *reading) addInput(path string) {
	if absolute, err := filepath.Abs(path); err == nil {
		r.add(absolute)
	}
}
