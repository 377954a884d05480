package libpython

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// unneeded are the folders of the standard library that only programs of their own use, and what is made of its files.
var unneeded = map[string]bool{
	"site-packages": true, "dist-packages": true, "test": true, "tests": true, "idlelib": true, "ensurepip": true,
	"tkinter": true, "lib2to3": true, "turtledemo": true, "pydoc_data": true, "__pycache__": true,
}

// Needed are the files of a Python that are needed to start it elsewhere. Packages are not among them.
type Needed struct {
	Files []string // the shared library, the interpreter, and the standard library
	Home  string   // the folder of the Python's programs
	// Configuration is that of the virtual environment, one of the files, which names Home by its absolute path; see
	// Relocate. It is empty if there is no virtual environment.
	Configuration string
}

// Files returns what is needed to start a Python elsewhere.
func Files(o Options) (Needed, error) {
	home, _, configuration, err := describeEnvironment(o.Executable)
	if err != nil {
		return Needed{}, err
	}
	files := []string{o.Library, o.Executable}
	if configuration != "" {
		files = append(files, configuration)
	}
	folders, err := filepath.Glob(filepath.Join(filepath.Dir(home), "lib*", "python"+versionOf(o.Library)+"*"))
	if err != nil {
		return Needed{}, err
	}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case e.IsDir() && (unneeded[e.Name()] || strings.HasPrefix(e.Name(), "config-")):
				return filepath.SkipDir
			case e.Type().IsRegular():
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			return Needed{}, err
		}
	}
	return Needed{files, home, configuration}, nil
}

// versionOf returns the version in the name of a shared library, "3.11"; a pattern for any if it has none.
func versionOf(library string) string {
	name := strings.TrimPrefix(filepath.Base(library), "libpython")
	if end := strings.IndexFunc(name, func(r rune) bool { return (r < '0' || r > '9') && r != '.' }); end >= 0 {
		name = name[:end]
	}
	if name = strings.Trim(name, "."); name == "" {
		return "3.*"
	}
	return name
}

// Relocate changes the folder of the Python's programs in the configuration of a virtual environment to what moved returns
// for it.
func Relocate(configuration string, moved func(path string) string) error {
	content, err := os.ReadFile(configuration)
	if err != nil {
		return err
	}
	c, err := parseConfiguration(string(content))
	if err != nil {
		return err
	}
	var kept []string
	for line := range strings.Lines(string(content)) {
		key, _, _ := strings.Cut(line, "=")
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "home":
			line = "home = " + moved(c.home) + "\n"
		case "executable", "command": // for people, of the other machine
			continue
		}
		kept = append(kept, line)
	}
	return os.WriteFile(configuration, []byte(strings.Join(kept, "")), 0o644)
}
