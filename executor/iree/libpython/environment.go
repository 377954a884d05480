package libpython

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// checkEnvironment returns why the Python of a version cannot start for the environment of an interpreter.
func checkEnvironment(executable string, version Version) error {
	if !filepath.IsAbs(executable) || strings.ContainsRune(executable, 0) {
		return fmt.Errorf("interpreter %q: its absolute path is needed", executable)
	}
	if _, err := os.Stat(executable); err != nil {
		return fmt.Errorf("the environment's interpreter: %w", err)
	}
	home, wants, configuration, err := describeEnvironment(executable)
	if err != nil {
		return err
	}
	if wants != (Version{}) && (wants.Major != version.Major || wants.Minor != version.Minor) {
		return fmt.Errorf("the environment %s is one of Python %v: give the shared library of that version, or "+
			"an environment of this one",
			filepath.Dir(configuration), wants)
	}
	if runtime.GOOS == "linux" {
		return checkLibrary(home, version)
	}
	return nil
}

// describeEnvironment returns the folder of the programs of the Python with which the environment of an interpreter was
// made, and the environment's version and configuration. A Python that is no environment has no configuration, and the
// version is not known.
func describeEnvironment(executable string) (home string, version Version, configuration string, err error) {
	configuration = filepath.Join(filepath.Dir(filepath.Dir(executable)), ConfigurationName)
	content, err := os.ReadFile(configuration)
	if errors.Is(err, fs.ErrNotExist) { // not a virtual environment, but an installation
		resolved, err := filepath.EvalSymlinks(executable)
		if err != nil {
			return "", Version{}, "", fmt.Errorf("the environment's interpreter: %w", err)
		}
		return filepath.Dir(resolved), Version{}, "", nil
	}
	if err != nil {
		return "", Version{}, "", fmt.Errorf("the environment's configuration: %w", err)
	}
	c, err := parseConfiguration(string(content))
	if err != nil {
		return "", Version{}, "", fmt.Errorf("%s: %w", configuration, err)
	}
	return c.home, c.version, configuration, nil
}

// checkLibrary looks for the standard library where a Python whose programs are in the folder home keeps it.
func checkLibrary(home string, version Version) error {
	var tried []string
	for _, lib := range []string{"lib", "lib64"} {
		dir := filepath.Join(filepath.Dir(home), lib, "python"+version.String())
		if _, err := os.Stat(filepath.Join(dir, "encodings")); err == nil {
			return nil
		}
		tried = append(tried, dir)
	}
	return fmt.Errorf("its standard library is neither in %s: is the Python that the environment was made with still "+
		"installed?", strings.Join(tried, " nor in "))
}

// ConfigurationName is the name of the configuration of a virtual environment (PEP 405).
const ConfigurationName = "pyvenv.cfg"

// configuration is the content of a pyvenv.cfg.
type configuration struct {
	home    string  // folder of the programs of the Python that the environment was made with
	version Version // the zero value if the file does not say it
}

// parseConfiguration reads a pyvenv.cfg: lines "key = value" (PEP 405; virtualenv writes version_info instead of
// version).
func parseConfiguration(content string) (configuration, error) {
	var c configuration
	for n, line := range strings.Split(content, "\n") {
		key, value, found := strings.Cut(line, "=")
		if !found {
			continue // Python's own reader skips it too
		}
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "home":
			c.home = value
		case "version", "version_info":
			v, err := parseVersion(value)
			if err != nil {
				return c, fmt.Errorf("line %d: %w", n+1, err)
			}
			c.version = v
		}
	}
	if c.home == "" {
		return c, errors.New(`no line "home = …": make the environment again`)
	}
	return c, nil
}
