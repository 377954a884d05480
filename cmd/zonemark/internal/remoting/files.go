package remoting

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"zonemark/cmd/zonemark/internal/cachedir"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/driver/bundle"
	"zonemark/driver/filehash"
	"zonemark/driver/plan"
	"zonemark/driver/remote"
	"zonemark/driver/setup"
	"zonemark/invocations"
	"zonemark/invocations/files"
	"zonemark/invocations/wire"
	"zonemark/trace/capture"
)

// Files are what the invocations of a plan need on a host: artifacts with what belongs to them, inputs, and what the
// variables of their runtimes name.
type Files struct {
	table     runtimes.Table
	hashing   sync.Mutex // held while hash is called
	hash      func(path string) (string, error)
	temporary func() (folder string, err error) // makes a folder for changed files
	built     string                            // folder of what zonemark has built

	paths     []string // absolute, of files and symbolic links; each once
	known     map[string]bool
	relocated map[string]func(path string, moved func(string) string) error // files that name others by absolute paths
	variables []string                                                      // NAME=VALUE, of the user and the runtimes
	captured  []string                                                      // NAME=VALUE, of captured executors beside these
}

// NewFiles returns an empty list of files. The cache remembers their hashes.
func NewFiles(table runtimes.Table, cache cachedir.Cache) (*Files, error) {
	hashes, err := cache.Folder("hashes")
	if err != nil {
		return nil, err
	}
	built, err := cache.Folder("built")
	if err != nil {
		return nil, err
	}
	return &Files{
		table: table, built: built, hash: filehash.New(hashes).SHA256, known: map[string]bool{},
		temporary: func() (string, error) { return cache.Temporary("remote-changed") },
		relocated: map[string]func(string, func(string) string) error{},
	}, nil
}

// AddVariables adds variables, NAME=VALUE, that executors see on the hosts. Those of runtimes take precedence.
func (f *Files) AddVariables(list []string) { f.variables = append(f.variables, list...) }

// AddPlan adds what the invocations of a plan name. The error names what no host can measure.
func (f *Files) AddPlan(plan *plan.Plan) error {
	for _, p := range plan.All() {
		if p.Verdict != "" {
			continue
		}
		inv := p.Invocation
		row := f.table.Lookup(inv.Runtime)
		if row.Programs {
			return fmt.Errorf("--via: %s is a whole command, and zonemark does not know which files it "+
				"needs; start it by the command itself: -- ssh HOST …", inv.Name)
		}
		var failed error
		add := func(path string) string {
			failed = errors.Join(failed, f.add(path))
			return path
		}
		bundle.EachPath(&inv, f.table.EachFile, add)
		for _, path := range bundle.Loaded(&inv) {
			if f.relocated[path] != nil {
				continue
			}
			if row.Relocate != nil {
				f.relocated[path] = row.Relocate
			}
			if row.Companions == nil {
				continue
			}
			more, err := row.Companions(path)
			failed = errors.Join(failed, err, bundle.Beside(&inv, path, more, f.built))
			for _, file := range more {
				add(file)
			}
		}
		if failed != nil {
			return fmt.Errorf("--via: %s: %w", inv.Name, failed)
		}
	}
	return nil
}

// AddRuntimes adds what the runtimes of a plan have found on this machine: files and folders in variables.
func (f *Files) AddRuntimes(ctx context.Context, o setup.Options, whole *plan.Plan) error {
	some := map[string][]*invocations.Invocation{} // of each runtime, one for each artifact
	known := map[string]bool{}
	for _, p := range whole.All() {
		inv := p.Invocation
		key := inv.Runtime + "\x00" + plan.ArtifactKey(&inv)
		if p.Verdict == "" && !known[key] {
			known[key] = true
			some[inv.Runtime] = append(some[inv.Runtime], &inv)
		}
	}
	o.FindOnly = true
	for name, list := range some {
		row := f.table.Lookup(name)
		if row.Provide == nil {
			continue
		}
		request := runtimes.Request{Setup: o, Invocations: list}
		entries, err := row.Provide(ctx, request)
		if err != nil {
			return fmt.Errorf("--via: %s: %w", name, err)
		}
		if row.Loads != nil {
			if entries, err = row.Loads(request, entries); err != nil {
				return fmt.Errorf("--via: %s: %w", name, err)
			}
		}
		for _, entry := range entries {
			_, value, _ := strings.Cut(entry, "=")
			for _, one := range filepath.SplitList(value) {
				if err := f.addInstalled(one); err != nil {
					return fmt.Errorf("--via: %s: %w", entry, err)
				}
			}
		}
		f.variables = append(f.variables, entries...)
	}
	slices.Sort(f.paths)
	return nil
}

// AddCaptures adds what captured executors of runtimes need. getenv returns the variables that these have found on this
// machine.
func (f *Files) AddCaptures(getenv func(string) string, names []string) error {
	entries, sites := f.table.Capturing(getenv, names...)
	tool, err := capture.FindTool("", getenv(capture.ToolVariable), sites...)
	if err != nil {
		return fmt.Errorf("--via: %w", err)
	}
	if tool, err = filepath.Abs(tool); err != nil {
		return err
	}
	f.captured = append(entries, capture.ToolVariable+"="+tool)
	paths := []string{tool}
	for _, name := range names {
		row := f.table.Lookup(name)
		if row.Tracing == nil || row.Tracing.Brings == nil {
			continue
		}
		needed, err := row.Tracing.Brings(getenv)
		if err != nil {
			return fmt.Errorf("--via: captures of %s: %w", name, err)
		}
		f.captured, paths = append(f.captured, needed.Entries...), append(paths, needed.Paths...)
		for _, folder := range needed.Folders {
			if !ofSystem(folder) {
				f.known[folder] = true // it is moved, and those of its files that are brought
			}
		}
		for _, path := range needed.Naming {
			f.relocated[path] = row.Relocate
		}
	}
	for _, path := range paths {
		if ofSystem(path) {
			continue // the host has its own
		}
		if err := f.add(path); err != nil {
			return fmt.Errorf("--via: captures: %w", err)
		}
	}
	slices.Sort(f.paths)
	return nil
}

// add adds a file, or all that a folder holds.
func (f *Files) add(path string) error {
	if f.known[path] {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		f.known[path] = true
		return f.addTree(path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is neither a file nor a folder", path)
	}
	f.known[path] = true
	f.paths = append(f.paths, path)
	return nil
}

// addTree adds the files and the links below a folder.
func (f *Files) addTree(folder string) error {
	return filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || f.known[path] {
			return err
		}
		if e.Type().IsRegular() || e.Type() == fs.ModeSymlink {
			f.known[path] = true
			f.paths = append(f.paths, path)
		}
		return nil
	})
}

// systemFolders hold what every machine has for itself.
var systemFolders = []string{"/usr/", "/bin/", "/lib/", "/lib64/", "/etc/", "/opt/", "/proc/", "/sys/", "/dev/"}

// ofSystem reports whether a path is of the system, or none.
func ofSystem(path string) bool {
	return !filepath.IsAbs(path) || slices.ContainsFunc(systemFolders, func(folder string) bool {
		return strings.HasPrefix(path+"/", folder)
	})
}

// addInstalled adds what belongs to a file of an installation: the folder PREFIX of PREFIX/bin/PROGRAM, else that of the
// file. Of the system it adds nothing: the host has its own.
func (f *Files) addInstalled(path string) error {
	if ofSystem(path) {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil // who needs it says so
	}
	folder := path
	if !info.IsDir() {
		folder = filepath.Dir(path)
		if filepath.Base(folder) == "bin" {
			folder = filepath.Dir(folder)
		}
	}
	if ofSystem(folder) || len(strings.Split(filepath.Clean(folder), string(filepath.Separator))) < 4 {
		return f.add(path) // a home, or less: it holds what is none of the host's business
	}
	return f.add(folder)
}

// placed says where the files are on a host.
type placed struct {
	sources   []remote.Source
	moved     func(path string) string
	variables []string
	captured  []string // further variables of captured executors
	temporary string   // folder with changed files; empty: there are none
}

func (p *placed) cleanUp() {
	if p.temporary != "" {
		_ = os.RemoveAll(p.temporary) // the next run removes it
	}
}

// placeOf returns the path below the folder of a host of a file of this machine.
func placeOf(file string) string {
	volume := filepath.VolumeName(file)
	return path.Join("files", strings.NewReplacer(":", "", `\`, "").Replace(volume),
		filepath.ToSlash(strings.TrimPrefix(file, volume)))
}

// placed returns where the files are to be in a folder of a host.
func (f *Files) placed(folder string) (*placed, error) {
	p := &placed{moved: func(file string) string {
		if !f.known[file] {
			return file
		}
		return path.Join(folder, placeOf(file))
	}}
	for _, file := range f.paths {
		source, err := f.source(file, p)
		if err != nil {
			p.cleanUp()
			return nil, err
		}
		p.sources = append(p.sources, source)
	}
	p.variables = f.movedVariables(f.variables, p.moved)
	p.captured = f.movedVariables(f.captured, p.moved)
	return p, nil
}

// movedVariables returns variables with paths of the host.
func (f *Files) movedVariables(entries []string, moved func(string) string) (list []string) {
	for _, entry := range entries {
		name, value, _ := strings.Cut(entry, "=")
		paths := filepath.SplitList(value)
		for i, one := range paths {
			paths[i] = f.movedInstalled(one, moved)
		}
		list = append(list, name+"="+strings.Join(paths, ":"))
	}
	return list
}

// movedInstalled returns where what a variable names is on the host.
func (f *Files) movedInstalled(file string, moved func(string) string) string {
	if folder := f.below(file); folder != "" {
		return path.Join(moved(folder), filepath.ToSlash(strings.TrimPrefix(file, folder)))
	}
	return file
}

// below returns the file itself or the folder around it that is brought; empty if none is.
func (f *Files) below(file string) string {
	for folder := file; filepath.IsAbs(folder) && folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if f.known[folder] {
			return folder
		}
	}
	return ""
}

// source describes a file for a host. Of a file that names others by absolute paths it makes a copy that names them
// where they are there.
func (f *Files) source(file string, p *placed) (remote.Source, error) {
	s := remote.Source{Local: file, File: wire.File{Path: placeOf(file)}}
	named := f.relocated[file] != nil
	info, err := os.Lstat(file)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 && !named {
		if s.Link, err = os.Readlink(file); err == nil && f.leadsSomewhere(file, s.Link) {
			return s, nil
		}
		s.Link = "" // the file itself takes the place of the link
	}
	if err != nil {
		return s, err
	}
	if named {
		if s.Local, err = f.relocate(file, p); err != nil {
			return s, err
		}
	}
	if info, err = os.Stat(s.Local); err != nil {
		return s, err
	}
	s.Bytes, s.Program = info.Size(), info.Mode()&0o111 != 0
	f.hashing.Lock()
	defer f.hashing.Unlock()
	s.SHA256, err = f.hash(s.Local)
	return s, err
}

// leadsSomewhere reports whether a symbolic link leads somewhere on the hosts, too: to what is of the system, or, by a
// relative path, to what is brought.
func (f *Files) leadsSomewhere(file, link string) bool {
	if filepath.IsAbs(link) {
		return ofSystem(link)
	}
	return f.below(filepath.Join(filepath.Dir(file), link)) != ""
}

// relocate returns the path of a changed copy of a file, or of the file itself if nothing changes.
func (f *Files) relocate(file string, p *placed) (string, error) {
	if p.temporary == "" {
		folder, err := f.temporary()
		if err != nil {
			return "", err
		}
		p.temporary = folder
	}
	text, err := files.Read(file)
	if err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp(p.temporary, "")
	if err != nil {
		return "", err
	}
	changed := filepath.Join(folder, filepath.Base(file))
	if err := os.WriteFile(changed, text, 0o644); err != nil {
		return "", err
	}
	return changed, f.relocated[file](changed, p.moved)
}
