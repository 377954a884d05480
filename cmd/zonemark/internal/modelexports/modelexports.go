// Package modelexports has models exported into the cache, for the verbs that measure them. It finds or installs JAX
// and Keras, and tells the user about what takes long. Package bench knows the exporter and its exports.
package modelexports

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"zonemark/cmd/zonemark/internal/cachedir"
	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/driver/bench"
	"zonemark/driver/python"
	"zonemark/driver/report"
	"zonemark/driver/setup"
	"zonemark/invocations/building"
	"zonemark/invocations/environ"
	"zonemark/invocations/remedy"
)

// mostExportBytes bounds the size of the cache of exports with their weights.
const mostExportBytes = 16 << 30

// DefaultTimeout is how long an export may take if the user gives no limit.
const DefaultTimeout = 20 * time.Minute

// Maker makes exports, and keeps them in zonemark's cache. It is ready to use when its fields are set.
type Maker struct {
	Progress  *program.Installing
	Variables environ.Variables // of the exporter; those that Set sets are among them
	Set       []string          // NAME=VALUE entries that the user sets for this run, which models may read
	Python    string            // interpreter or virtual environment with jax and keras; empty: zonemark's own
	Models    []string          // the user's folders and files that define models, as absolute paths
	Timeout   time.Duration     // for one export
	Confine   building.Confine  // of exporters
	Verbose   bool              // show what the exporter says

	talking sync.Mutex // held for each message, since exporters send messages from goroutines of their own
}

// Say tells the user about a step that takes long. Several goroutines may call it.
func (m *Maker) Say(format string, args ...any) {
	m.talking.Lock()
	defer m.talking.Unlock()
	m.Progress.Say(format, args...)
}

// Draw shows on a terminal how far a step is. Several goroutines may call it.
func (m *Maker) Draw(text string) {
	m.talking.Lock()
	defer m.talking.Unlock()
	if m.Progress.Line.Due() {
		m.Progress.Line.Draw(text)
	}
}

// Exports returns the cached exports of an installed environment with JAX and Keras. It installs nothing.
func (m *Maker) Exports() (*bench.Exports, error) {
	models, err := setup.FindModels(m.setup())
	var none *setup.NotInstalledError
	if errors.As(err, &none) {
		return nil, fmt.Errorf("the models are written with JAX and Keras: %w, and so does the first benchmark", err)
	}
	if err != nil {
		return nil, err
	}
	return m.exports(models)
}

// Export returns a model's export. If it is not in the cache, Export makes it, and installs JAX and Keras if they are
// missing.
func (m *Maker) Export(ctx context.Context, r bench.Request) (bench.Export, error) {
	models, err := setup.InstallModels(ctx, m.setup())
	if err != nil {
		return bench.Export{}, err
	}
	exports, err := m.exports(models)
	if err != nil {
		return bench.Export{}, err
	}
	waiting := time.AfterFunc(time.Second, func() {
		m.Say("exporting %s, which takes a while the first time", strings.TrimSpace(r.Model+" "+r.Config))
	})
	export, err := exports.Get(ctx, r)
	waiting.Stop()
	m.talking.Lock()
	defer m.talking.Unlock()
	m.Progress.Line.Clear()
	return export, err
}

// CheckName returns an error for a name that no model has, before anything is installed or exported. Models of the
// user's own, and those of other sources, are looked for only if the name is none of the shipped ones, since that takes
// seconds.
func (m *Maker) CheckName(ctx context.Context, name string) error {
	names, err := bench.ShippedModels(python.Files())
	if err != nil || slices.Contains(names, name) {
		return err
	}
	exports, err := m.Exports()
	switch {
	case err == nil:
		catalog, err := exports.Exporter.List(ctx)
		if err != nil || len(catalog.Mistakes) > 0 {
			return err // what a mistaken file holds is not known; the export says so
		}
		names = catalog.Names()
	case len(m.Models) > 0:
		return nil // the installation comes first, and then the export
	}
	if slices.Contains(names, name) {
		return nil
	}
	wrong := cli.Misspelt(fmt.Sprintf("no model is called %q", name), name, names)
	return remedy.With(&bench.Error{Text: wrong.Error()}, remedy.Of(wrong)...)
}

// exports returns the cached exports of an environment with JAX and Keras.
func (m *Maker) exports(models setup.Models) (*bench.Exports, error) {
	cache := cachedir.Of(m.Variables)
	sources, err := cache.Unpack("models", python.Files())
	if err != nil {
		return nil, err
	}
	folder, err := cache.Folder("exports")
	if err != nil {
		return nil, err
	}
	return &bench.Exports{
		Exporter: &bench.Exporter{
			Interpreter: models.Interpreter, Sources: sources, Models: m.Models, Variables: m.Variables,
			Timeout: m.Timeout, Confine: m.Confine, Line: m.exporterSays,
		},
		Folder:    folder,
		Generator: generator(sources, models),
		Variables: m.Set, MaxBytes: mostExportBytes,
	}, nil
}

// generator names all that makes exports.
func generator(sources string, m setup.Models) string {
	words := []string{sources, "python", m.Python, "jax", m.JAX, "keras", m.Keras}
	if m.Torch != "" {
		words = append(words, "torch", m.Torch)
	}
	return strings.Join(words, " ")
}

// setup returns the options with which JAX and Keras are found and installed.
func (m *Maker) setup() setup.Options {
	o := m.Progress.Options(m.Python)
	o.Variables = m.Variables
	return o
}

// exporterSays shows a line of output of the exporter.
func (m *Maker) exporterSays(text string) {
	if m.Verbose {
		m.Say("%s", report.Printable(text))
	} else {
		m.Draw("exporting: " + report.Printable(text))
	}
}
