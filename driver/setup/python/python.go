// Package python knows interpreters of Python: finds them, asks them what they have, and makes virtual environments with
// them. It installs no package.
package python

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"zonemark/driver/setup/command"
	"zonemark/invocations/environ"
	"zonemark/invocations/files"
)

// probeScript prints what an interpreter must tell.
//
//go:embed probe.py
var probeScript string

// Interpreter is an interpreter as probe.py describes it.
type Interpreter struct {
	Version        string            `json:"version"` // "3.11.7"
	Implementation string            `json:"implementation"`
	Executable     string            `json:"executable"`
	BasePrefix     string            `json:"base_prefix"`
	Site           string            `json:"site"` // its site-packages folder
	Venv           bool              `json:"venv"` // it can make virtual environments that have pip
	Config         map[string]string `json:"config"`
	Runtime        *Distribution     `json:"runtime"`
	Compiler       *Distribution     `json:"compiler"`
	JAX            *Distribution     `json:"jax"`
	Keras          *Distribution     `json:"keras"`
	Torch          *Distribution     `json:"torch"`
	Halide         *Distribution     `json:"halide"`
	ONNX           *Distribution     `json:"onnx"`
}

// Distribution is an installed package.
type Distribution struct {
	Version string `json:"version"`
	Site    string `json:"site"` // the folder that holds it
}

// probeTimeout is how long an interpreter may take to say what it is; slow disks and busy machines take seconds.
const probeTimeout = time.Minute

// parsePython reads what probe.py printed.
func parsePython(data []byte) (Interpreter, error) {
	var p Interpreter
	if err := json.Unmarshal(data, &p); err != nil {
		return Interpreter{}, err
	}
	if _, _, ok := Minor(p.Version); !ok || p.Executable == "" {
		return Interpreter{}, fmt.Errorf("it says that it is version %q at %q", p.Version, p.Executable)
	}
	for _, d := range []*Distribution{p.Runtime, p.Compiler, p.JAX, p.Keras, p.Torch, p.Halide, p.ONNX} {
		if d != nil && (d.Version == "" || d.Site == "") {
			return Interpreter{}, fmt.Errorf("it has a package of version %q at %q", d.Version, d.Site)
		}
	}
	return p, nil
}

// Probe asks an interpreter what it is.
func Probe(path string) (Interpreter, error) {
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "-E", "-c", probeScript)
	cmd.WaitDelay = command.KillDelay
	command.OwnGroup(cmd)
	out, err := cmd.Output()
	if err != nil {
		reason := err.Error()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			if said := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n"); said[0] != "" {
				reason += ": " + said[len(said)-1]
			}
		}
		return Interpreter{}, fmt.Errorf("%s: not a working Python: %s", path, reason)
	}
	p, err := parsePython(out)
	if err != nil {
		return Interpreter{}, fmt.Errorf("%s: not a Python that can be used: %w", path, err)
	}
	return p, nil
}

// In returns the interpreter that a path means: itself, or that of a virtual environment.
func In(path string) (string, error) {
	if strings.ContainsRune(path, filepath.Separator) || files.IsFolder(path) {
		if files.IsFolder(path) {
			path = Of(path)
		}
		if !files.IsFile(path) {
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

// Of returns the interpreter of a virtual environment.
func Of(folder string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(folder, "Scripts", "python.exe")
	}
	return filepath.Join(folder, "bin", "python")
}

// The oldest Python for which there are wheels, and the newest that is looked for by its name: the second number of
// their versions.
const (
	oldest = 10
	Newest = 14
)

// Unfit returns why a virtual environment cannot be made with an interpreter; empty if it can.
func (p Interpreter) Unfit() string {
	major, lesser, _ := Minor(p.Version)
	switch {
	case p.Implementation != "cpython":
		return "is " + p.Implementation + ", not CPython"
	case major != 3 || lesser < oldest:
		return fmt.Sprintf("is Python %s; 3.%d or later is needed", p.Version, oldest)
	case !p.Venv:
		return fmt.Sprintf("lacks the modules venv and ensurepip (Debian, Ubuntu: apt install python3.%d-venv)", lesser)
	}
	return ""
}

// UnfitFor is Unfit for packages whose newest wheels are for Python 3.newest.
func (p Interpreter) UnfitFor(newest int) string {
	reason := p.Unfit()
	if _, lesser, _ := Minor(p.Version); reason == "" && lesser > newest {
		return fmt.Sprintf(
			"is Python %s, and the pinned packages are made for 3.%d to 3.%d",
			p.Version,
			oldest,
			newest,
		)
	}
	return reason
}

// Find returns the interpreter to make a private environment with: the first on PATH that fits and has a shared
// library, which executors load; else the first that fits. Packages that have no wheels for later Pythons than 3.newest
// say so.
func Find(newest int) (Interpreter, error) {
	names := []string{"python3"}
	for m := Newest; m >= oldest; m-- {
		names = append(names, fmt.Sprintf("python3.%d", m))
	}
	var fits *Interpreter
	var refused []string
	seen := map[string]bool{}
	for _, name := range append(names, "python") {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		p, err := Probe(path)
		if err != nil {
			refused = append(refused, err.Error())
			continue
		}
		real, err := filepath.EvalSymlinks(p.Executable)
		if err != nil || seen[real] {
			continue
		}
		seen[real] = true
		if reason := p.UnfitFor(newest); reason != "" {
			refused = append(refused, p.Executable+" "+reason)
			continue
		}
		if lib, _ := p.Library(); lib != "" {
			return p, nil
		}
		if fits == nil {
			fits = &p
		}
	}
	if fits != nil {
		return *fits, nil
	}
	text := fmt.Sprintf("no Python 3.%d or later with the module venv is on PATH", oldest)
	if newest < Newest {
		text = fmt.Sprintf("no Python from 3.%d to 3.%d with the module venv is on PATH", oldest, newest)
	}
	if len(refused) > 0 {
		text += ":\n  " + strings.Join(refused, "\n  ") + "\n"
	} else {
		text += ": "
	}
	return Interpreter{}, errors.New(
		text + "install one (Debian, Ubuntu: apt install python3 python3-venv libpython3-dev), or name one with " +
			"--python",
	)
}

// Clean returns what must be taken out of the environment of an interpreter that is to see its own packages
// alone, and of pip's so that it installs where it is told.
func Clean() map[string]string {
	return map[string]string{
		"PYTHONHOME": "", "PYTHONPATH": "", "__PYVENV_LAUNCHER__": "",
		"PIP_TARGET": "", "PIP_PREFIX": "", "PIP_ROOT": "", "PIP_PYTHON": "", "PIP_DRY_RUN": "",
		"PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "",
	}
}

// MakeEnvironment makes a virtual environment with pip. The file is held open as long as programs run; it may be nil.
func MakeEnvironment(
	ctx context.Context, base Interpreter, folder string, variables environ.Variables, held *os.File,
) error {
	err := command.Command{
		Path: base.Executable, Args: []string{"-I", "-m", "venv", "--clear", folder}, Base: variables, Env: Clean(), Held: held,
	}.Run(ctx)
	var failed *command.Error
	if errors.As(err, &failed) {
		if full := command.NoRoom(failed, folder); full != nil {
			return full
		}
		_, lesser, _ := Minor(base.Version)
		return fmt.Errorf(
			"make a virtual environment with Python %s: %w\ninstall the modules venv and ensurepip (Debian, Ubuntu: "+
				"apt install python3.%d-venv), or name another Python with --python",
			base.Version,
			err,
			lesser,
		)
	}
	if err == nil && !files.IsFile(Of(folder)) {
		err = fmt.Errorf("%s made no interpreter in %s", base.Executable, folder)
	}
	return err
}

// Minor returns the first two numbers of a version: 3 and 13 of "3.13.0rc1".
func Minor(version string) (major, lesser int, ok bool) {
	m := regexp.MustCompile(`^(\d{1,6})\.(\d{1,6})(?:\D|$)`).FindStringSubmatch(version)
	if m == nil {
		return 0, 0, false
	}
	major, _ = strconv.Atoi(m[1])
	lesser, _ = strconv.Atoi(m[2])
	return major, lesser, true
}
