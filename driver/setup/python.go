package setup

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// probeScript prints what an interpreter must tell.
//
//go:embed probe.py
var probeScript string

// python is an interpreter as probe.py describes it.
type python struct {
	Version        string            `json:"version"` // "3.11.7"
	Implementation string            `json:"implementation"`
	Executable     string            `json:"executable"`
	BasePrefix     string            `json:"base_prefix"`
	Site           string            `json:"site"` // its site-packages folder
	Venv           bool              `json:"venv"` // it can make virtual environments that have pip
	Config         map[string]string `json:"config"`
	Runtime        *distribution     `json:"runtime"`
	Compiler       *distribution     `json:"compiler"`
	JAX            *distribution     `json:"jax"`
	Keras          *distribution     `json:"keras"`
	Torch          *distribution     `json:"torch"`
	Halide         *distribution     `json:"halide"`
	ONNX           *distribution     `json:"onnx"`
}

// distribution is an installed package.
type distribution struct {
	Version string `json:"version"`
	Site    string `json:"site"` // the folder that holds it
}

// probeTimeout is how long an interpreter may take to say what it is; slow disks and busy machines take seconds.
const probeTimeout = time.Minute

// parsePython reads what probe.py printed.
func parsePython(data []byte) (python, error) {
	var p python
	if err := json.Unmarshal(data, &p); err != nil {
		return python{}, err
	}
	if _, _, ok := minor(p.Version); !ok || p.Executable == "" {
		return python{}, fmt.Errorf("it says that it is version %q at %q", p.Version, p.Executable)
	}
	for _, d := range []*distribution{p.Runtime, p.Compiler, p.JAX, p.Keras, p.Torch, p.Halide, p.ONNX} {
		if d != nil && (d.Version == "" || d.Site == "") {
			return python{}, fmt.Errorf("it has a package of version %q at %q", d.Version, d.Site)
		}
	}
	return p, nil
}

// probe asks an interpreter what it is.
func probe(path string) (python, error) {
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "-E", "-c", probeScript)
	cmd.WaitDelay = killDelay
	ownGroup(cmd)
	out, err := cmd.Output()
	if err != nil {
		reason := err.Error()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			if said := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n"); said[0] != "" {
				reason += ": " + said[len(said)-1]
			}
		}
		return python{}, fmt.Errorf("%s: not a working Python: %s", path, reason)
	}
	p, err := parsePython(out)
	if err != nil {
		return python{}, fmt.Errorf("%s: not a Python that can be used: %w", path, err)
	}
	return p, nil
}

// interpreterIn returns the interpreter that a path means: itself, or that of a virtual environment.
func interpreterIn(path string) (string, error) {
	if strings.ContainsRune(path, filepath.Separator) || isFolder(path) {
		if isFolder(path) {
			path = environmentPython(path)
		}
		if !isFile(path) {
			return "", fmt.Errorf("%s: there is no such Python interpreter", path)
		}
		return filepath.Abs(path)
	}
	found, err := exec.LookPath(path)
	if err != nil {
		return "", fmt.Errorf("%s: there is no such Python interpreter on PATH", path)
	}
	return found, nil
}

// environmentPython returns the interpreter of a virtual environment.
func environmentPython(folder string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(folder, "Scripts", "python.exe")
	}
	return filepath.Join(folder, "bin", "python")
}

// The oldest Python for which there are wheels, and the newest that is looked for by its name.
const oldestPython, newestPython = 10, 14

// unfit returns why a virtual environment cannot be made with an interpreter; empty if it can.
func (p python) unfit() string {
	major, lesser, _ := minor(p.Version)
	switch {
	case p.Implementation != "cpython":
		return "is " + p.Implementation + ", not CPython"
	case major != 3 || lesser < oldestPython:
		return fmt.Sprintf("is Python %s; 3.%d or later is needed", p.Version, oldestPython)
	case !p.Venv:
		return fmt.Sprintf("lacks the modules venv and ensurepip (Debian, Ubuntu: apt install python3.%d-venv)", lesser)
	}
	return ""
}

// unfitFor is unfit for packages whose newest wheels are for Python 3.newest.
func (p python) unfitFor(newest int) string {
	reason := p.unfit()
	if _, lesser, _ := minor(p.Version); reason == "" && lesser > newest {
		return fmt.Sprintf(
			"is Python %s, and the pinned packages are made for 3.%d to 3.%d",
			p.Version,
			oldestPython,
			newest,
		)
	}
	return reason
}

// findPython returns the interpreter to make a private environment with: the first on PATH that fits and has a shared
// library, which executors load; else the first that fits. Packages that have no wheels for later Pythons than 3.newest
// say so.
func findPython(newest int) (python, error) {
	names := []string{"python3"}
	for m := newestPython; m >= oldestPython; m-- {
		names = append(names, fmt.Sprintf("python3.%d", m))
	}
	var fits *python
	var refused []string
	seen := map[string]bool{}
	for _, name := range append(names, "python") {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		p, err := probe(path)
		if err != nil {
			refused = append(refused, err.Error())
			continue
		}
		real, err := filepath.EvalSymlinks(p.Executable)
		if err != nil || seen[real] {
			continue
		}
		seen[real] = true
		if reason := p.unfitFor(newest); reason != "" {
			refused = append(refused, p.Executable+" "+reason)
			continue
		}
		if lib, _ := p.library(); lib != "" {
			return p, nil
		}
		if fits == nil {
			fits = &p
		}
	}
	if fits != nil {
		return *fits, nil
	}
	text := fmt.Sprintf("no Python 3.%d or later with the module venv is on PATH", oldestPython)
	if newest < newestPython {
		text = fmt.Sprintf("no Python from 3.%d to 3.%d with the module venv is on PATH", oldestPython, newest)
	}
	if len(refused) > 0 {
		text += ":\n  " + strings.Join(refused, "\n  ") + "\n"
	} else {
		text += ": "
	}
	return python{}, errors.New(
		text + "install one (Debian, Ubuntu: apt install python3 python3-venv libpython3-dev), or name one with " +
			"--python",
	)
}

// cleanPython returns what must be taken out of the environment of an interpreter that is to see its own packages
// alone, and of pip's so that it installs where it is told.
func cleanPython() map[string]string {
	return map[string]string{
		"PYTHONHOME": "", "PYTHONPATH": "", "__PYVENV_LAUNCHER__": "",
		"PIP_TARGET": "", "PIP_PREFIX": "", "PIP_ROOT": "", "PIP_PYTHON": "", "PIP_DRY_RUN": "",
		"PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "",
	}
}

// makeEnvironment makes a virtual environment with pip.
func makeEnvironment(ctx context.Context, base python, folder string, w *Work) error {
	err := command{
		path: base.Executable,
		args: []string{"-I", "-m", "venv", "--clear", folder},
		base: w.Options.Variables,
		env:  cleanPython(),
		lock: w.lock,
	}.run(
		ctx,
	)
	var failed *commandError
	if errors.As(err, &failed) {
		if full := noRoom(failed, folder); full != nil {
			return full
		}
		_, lesser, _ := minor(base.Version)
		return fmt.Errorf(
			"make a virtual environment with Python %s: %w\ninstall the modules venv and ensurepip (Debian, Ubuntu: "+
				"apt install python3.%d-venv), or name another Python with --python",
			base.Version,
			err,
			lesser,
		)
	}
	if err == nil && !isFile(environmentPython(folder)) {
		err = fmt.Errorf("%s made no interpreter in %s", base.Executable, folder)
	}
	return err
}

// removeAll removes a folder; its name is in the error.
func removeAll(folder string) error {
	if err := os.RemoveAll(folder); err != nil {
		return fmt.Errorf("remove %s: %w", folder, err)
	}
	return nil
}
