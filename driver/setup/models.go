package setup

import (
	"context"
	"path/filepath"
	"strings"

	"zonemark/driver/setup/python"
)

// Models is a Python environment with the packages in which models are written. Paths are absolute.
type Models struct {
	Python      string `json:"python"`      // version of the interpreter, "3.11.7"
	Interpreter string `json:"interpreter"` // the interpreter of the environment
	JAX         string `json:"jax"`         // versions of the packages
	Keras       string `json:"keras"`
	Torch       string `json:"torch,omitempty"` // "": not there; models may bring modules of PyTorch
}

// ModelsPythonVariable names the interpreter, or the folder of the virtual environment, that exports models.
const ModelsPythonVariable = "ZONEMARK_MODELS_PYTHON"

// The pinned releases.
const (
	jaxVersion, kerasVersion = "0.6.2", "3.12.0"
	newestModelsPython       = 13 // the newest for which jaxlib has wheels
)

// modelsEnvironment is what an environment for models must hold. The sizes are those of the wheels with all dependencies
// on Linux, x86-64, Python 3.11; other platforms differ by a few megabytes.
func modelsEnvironment() environment[Models] {
	return environment[Models]{
		row: Component{
			Name:    "models",
			Version: jaxVersion + "-keras" + kerasVersion,
			Summary: "JAX and Keras, which the models of \"zonemark bench\" are written with, in a private Python " +
				"environment",
			Help: Help{
				Example: "JAX and Keras, which the models of \"zonemark bench\" are written with",
				Places:  "the models' Python",
				Own: "JAX and Keras are taken from the environment that --python or $" + ModelsPythonVariable +
					" names.",
			},
		},
		variable: ModelsPythonVariable, pins: "jax==" + jaxVersion + " keras==" + kerasVersion,
		packages: "jax and keras",
		wheels: wheels{
			names:        "jax " + jaxVersion + " and keras " + kerasVersion + ", which the models are written with",
			requirements: modelsRequirements, downloadBytes: 160_000_000, diskBytes: 670_000_000,
		},
		newest: newestModelsPython, lacks: lacksForModels, describe: describeModels,
		kept: func(m *Manifest) **Models { return &m.Models },
	}
}

func (m Models) found() Found {
	return Found{
		Version: "(jax " + m.JAX + ", keras " + m.Keras + ")", Place: m.Interpreter,
		Environment: []string{ModelsPythonVariable + "=" + m.Interpreter},
	}
}

func (m Models) listed() (version, folder string) {
	return m.JAX + "-keras" + m.Keras, filepath.Dir(filepath.Dir(m.Interpreter))
}

func (m Models) parts() []string { return []string{m.Interpreter} }

// FindModels finds an environment with JAX and Keras: that of o.Python, of $ZONEMARK_MODELS_PYTHON, of $VIRTUAL_ENV if
// it holds both, or the one that zonemark installed, in this order. It installs nothing. The error is a
// *NotInstalledError if there is none and installing would help.
func FindModels(o Options) (Models, error) { return modelsEnvironment().find(o) }

// InstallModels finds an environment as FindModels does and installs one into zonemark's cache if there is none. If
// o.Python names an interpreter without the packages, the environment is made with that interpreter. An interrupted
// installation continues.
func InstallModels(ctx context.Context, o Options) (Models, error) {
	return modelsEnvironment().ensure(ctx, o)
}

// lacksForModels names the packages for models that are missing, "" if none is.
func lacksForModels(p python.Interpreter) string {
	var lacks []string
	if p.JAX == nil {
		lacks = append(lacks, "jax")
	}
	if p.Keras == nil {
		lacks = append(lacks, "keras")
	}
	return strings.Join(lacks, " and ")
}

// describeModels returns an interpreter that holds both packages. There is no error.
func describeModels(p python.Interpreter) (Models, error) {
	found := Models{Python: p.Version, Interpreter: p.Executable, JAX: p.JAX.Version, Keras: p.Keras.Version}
	if p.Torch != nil {
		found.Torch = p.Torch.Version
	}
	return found, nil
}
