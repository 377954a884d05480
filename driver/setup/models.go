package setup

import (
	"context"
	"fmt"
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
	Managed     bool   `json:"-"`               // zonemark installed it
}

// ModelsPythonVariable names the interpreter, or the folder of the virtual environment, that exports models.
const ModelsPythonVariable = "ZONEMARK_MODELS_PYTHON"

// The pinned releases, and the sizes of their wheels with all dependencies on Linux, x86-64, Python 3.11. Other
// platforms differ by a few megabytes.
const (
	jaxVersion, kerasVersion = "0.6.2", "3.12.0"
	modelsPins               = "jax==" + jaxVersion + " keras==" + kerasVersion
	modelsDownloadBytes      = 160_000_000
	modelsDiskBytes          = 670_000_000
	newestModelsPython       = 13 // the newest for which jaxlib has wheels
)

func modelsComponent() Component {
	return Component{
		Name:    "models",
		Version: jaxVersion + "-keras" + kerasVersion,
		Summary: "JAX and Keras, which the models of \"zonemark bench\" are written with, in a private Python " +
			"environment",
		Plan: fmt.Sprintf(
			"installing jax %s and keras %s, which the models are written with (about %d MB to download, %d MB on "+
				"disk)",
			jaxVersion,
			kerasVersion,
			modelsDownloadBytes/1_000_000,
			modelsDiskBytes/1_000_000,
		),
		Install: installModels,
		Broken:  brokenModels,
		Find: func(o Options) (Found, error) {
			found, err := FindModels(o)
			return found.found(), err
		},
		FindOrInstall: func(ctx context.Context, o Options) (Found, error) {
			found, err := InstallModels(ctx, o)
			return found.found(), err
		},
		Existing: Options.modelsStatus,
		Help: Help{
			Example: "JAX and Keras, which the models of \"zonemark bench\" are written with",
			Places:  "the models' Python",
			Own:     "JAX and Keras are taken from the environment that --python or $" + ModelsPythonVariable + " names.",
		},
	}
}

// found returns the environment as a row of the table of components.
func (m Models) found() Found {
	return Found{
		Version: "(jax " + m.JAX + ", keras " + m.Keras + ")", Place: m.Interpreter,
		Environment: []string{ModelsPythonVariable + "=" + m.Interpreter},
	}
}

// modelsEnvironment is what an environment for models must hold.
func modelsEnvironment() environment[Models] {
	return environment[Models]{
		component: modelsComponent, variable: ModelsPythonVariable, pins: modelsPins, lacks: lacksForModels,
		describe: Options.existingModels, managed: Options.managedModels,
	}
}

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

// existingModels returns an interpreter that holds both packages. There is no error.
func (o Options) existingModels(p python.Interpreter) (Models, error) {
	found := Models{
		Python: p.Version, Interpreter: p.Executable, JAX: p.JAX.Version, Keras: p.Keras.Version,
		Managed: modelsComponent().inCache(o, p.Executable),
	}
	if p.Torch != nil {
		found.Torch = p.Torch.Version
	}
	return found, nil
}

// managedModels returns the environment that zonemark installed, as its manifest describes it.
func (o Options) managedModels() (Models, error) {
	_, m, err := modelsComponent().installed(o, "Python environment with jax and keras")
	if err != nil {
		return Models{}, err
	}
	found := *m.Models
	found.Managed = true
	return found, nil
}

func installModels(ctx context.Context, w *Work) (Manifest, error) {
	m, found, err := modelsEnvironment().install(ctx, w, wheels{
		requirements: modelsRequirements, downloadBytes: modelsDownloadBytes, diskBytes: modelsDiskBytes,
	}, newestModelsPython)
	m.Models = found
	return m, err
}

// brokenModels returns what is missing of an environment that was installed; "" if nothing is.
func brokenModels(folder string, m Manifest) string {
	if m.Models == nil {
		return undescribed
	}
	return brokenEnvironment(folder, m.Models.Interpreter)
}
