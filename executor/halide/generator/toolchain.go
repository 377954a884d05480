package generator

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"zonemark/executor/toolchain"
	"zonemark/invocations/building"
	"zonemark/invocations/remedy"
)

// The variables that name the installed Halide, and the compilers.
const (
	pythonVariable  = "ZONEMARK_HALIDE_PYTHON"
	folderVariable  = "ZONEMARK_HALIDE_FOLDER"
	versionVariable = "ZONEMARK_HALIDE_VERSION"
	cxxVariable     = "CXX"
	ccVariable      = "CC"
)

// Toolchain is an installed Halide with its Python, and the compilers of this machine.
type Toolchain struct {
	Python  string // the interpreter that has the package halide
	Folder  string // the folder of the package, which holds bin, include and the libraries
	Version string // of the package, "21.0.0"
	Host    string // this machine as a target, as Halide detects it

	getenv  func(name string) string
	confine building.Confine // of compilers and generators
}

// component is Halide's name among those that zonemark installs.
const component = "halide"

// again installs Halide again.
var again = remedy.Remedy{Kind: remedy.Reinstall, Name: component, Value: "Halide"}

// Find returns the toolchain that the variables name, which the setup of Halide prints and the driver sets for
// executors. It asks Halide what this machine is. What builds is confined.
func Find(ctx context.Context, getenv func(name string) string, confine building.Confine) (Toolchain, error) {
	t := Toolchain{
		Python:  getenv(pythonVariable),
		Folder:  getenv(folderVariable),
		Version: getenv(versionVariable),
		getenv:  getenv,
		confine: confine,
	}
	if t.Python == "" || t.Folder == "" || t.Version == "" {
		return Toolchain{}, remedy.New("a generator is built with Halide, which is not installed",
			remedy.Remedy{Kind: remedy.Install, Name: component},
			remedy.Remedy{Kind: remedy.Act, Value: "build the generator elsewhere and name the library"})
	}
	reader := Toolchain{} // unconfined, as the program reads nothing of others
	said, err := reader.run(ctx, toolchain.Program{Command: []string{t.tool("get_host_target")}})
	if err != nil {
		return Toolchain{}, remedy.With(fmt.Errorf("ask Halide what this machine is: %w", err), again)
	}
	if t.Host = strings.TrimSpace(said); t.Host == "" || strings.ContainsAny(t.Host, " \n") {
		return Toolchain{}, remedy.With(fmt.Errorf("%s: it says that this machine is %q, which is no target",
			t.tool("get_host_target"), t.Host), again)
	}
	return t, nil
}

// tool returns the path of one of Halide's programs.
func (t Toolchain) tool(name string) string {
	return filepath.Join(t.Folder, "bin", name)
}

// libraries returns the folder of Halide's libraries.
func (t Toolchain) libraries() string {
	folder := filepath.Join(t.Folder, "lib64")
	if _, err := os.Stat(folder); err != nil {
		folder = filepath.Join(t.Folder, "lib") // outside of Linux
	}
	return folder
}

// Plugin returns the path of the library that holds an autoscheduler.
func (t Toolchain) Plugin(name string) string {
	return filepath.Join(t.libraries(), "libautoschedule_"+name+".so")
}
