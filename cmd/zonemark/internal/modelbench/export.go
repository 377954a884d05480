package modelbench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"zonemark/driver/bench"
	"zonemark/driver/python"
	"zonemark/driver/report"
	"zonemark/driver/setup"
	"zonemark/invocations/spelling"
)

// mostExportBytes bounds the size of the cache of exports with their weights.
const mostExportBytes = 16 << 30

// exports returns the cached exports of an environment with JAX and Keras.
func (b *Benchmark) exports(models setup.Models, variables []string) (*bench.Exports, error) {
	below, err := b.cache().Folder("models")
	if err != nil {
		return nil, err
	}
	sources, err := bench.Unpack(python.Files(), below)
	if err != nil {
		return nil, err
	}
	folder, err := b.cache().Folder("exports")
	if err != nil {
		return nil, err
	}
	return &bench.Exports{
		Exporter: &bench.Exporter{
			Interpreter: models.Interpreter, Sources: sources, Models: b.Options.Models, Variables: b.variables,
			Timeout: time.Duration(b.exportTimeout), Line: b.exporterSays,
		},
		Folder: folder,
		Generator: strings.Join([]string{sources, "python", models.Python, "jax", models.JAX, "keras", models.Keras},
			" "),
		Variables: variables, MaxBytes: mostExportBytes,
	}, nil
}

// setup returns the options with which components are found and installed.
func (b *Benchmark) setup() setup.Options {
	o := b.progress.Options(b.python)
	o.Variables = b.variables
	return o
}

// announce tells the user about a step that takes long.
func (b *Benchmark) announce(format string, args ...any) {
	b.talking.Lock()
	defer b.talking.Unlock()
	b.progress.Say(format, args...)
}

// exporterSays shows a line of output of the exporter.
func (b *Benchmark) exporterSays(text string) {
	b.talking.Lock()
	defer b.talking.Unlock()
	if b.verbose {
		b.progress.Say("%s", report.Printable(text))
	} else if b.progress.Line.Due() {
		b.progress.Line.Draw("exporting: " + report.Printable(text))
	}
}

// export returns the model's export. If it is not in the cache, export makes it, and installs JAX and Keras if they are
// missing.
func (b *Benchmark) export(ctx context.Context, c bench.Choices, variables []string) (bench.Export, error) {
	o := b.setup()
	models, err := setup.InstallModels(ctx, o)
	if err != nil {
		return bench.Export{}, err
	}
	exports, err := b.exports(models, variables)
	if err != nil {
		return bench.Export{}, err
	}
	waiting := time.AfterFunc(time.Second, func() {
		b.announce("exporting %s, which takes a while the first time",
			strings.TrimSpace(b.Options.Model+" "+b.Options.Config))
	})
	export, err := exports.Get(ctx, b.request(c))
	waiting.Stop()
	b.talking.Lock()
	defer b.talking.Unlock()
	b.progress.Line.Clear()
	return export, err
}

// checkModel returns an error for a name that no model has, before anything is installed or exported. Models of the
// user's own, and those of other sources, are looked for only if the name is none of the shipped ones, since that takes
// seconds.
func (b *Benchmark) checkModel(ctx context.Context, variables []string) error {
	names, err := bench.ShippedModels(python.Files())
	if err != nil || slices.Contains(names, b.Options.Model) {
		return err
	}
	exports, err := b.installedExports(variables)
	switch {
	case err == nil:
		catalog, err := exports.Exporter.List(ctx)
		if err != nil || len(catalog.Mistakes) > 0 {
			return err // what a mistaken file holds is not known; the export says so
		}
		names = catalog.Names()
	case len(b.Options.Models) > 0:
		return nil // the installation comes first, and then the export
	}
	if slices.Contains(names, b.Options.Model) {
		return nil
	}
	return &bench.Error{Kind: "unknown-model", Text: fmt.Sprintf("no model is called %q%s", b.Options.Model,
		spelling.SuggestOrList(b.Options.Model, names))}
}

// request returns the request of the flags to the exporter.
func (b *Benchmark) request(c bench.Choices) bench.Request {
	o := &b.Options
	return bench.Request{
		Model: o.Model, Config: o.Config, Training: o.Training, Generative: o.Generative, Layers: o.Layers,
		Microbatch: o.Microbatch,
		DType:      c.DType, EmulatedFormat: c.EmulatedFormat, Seed: o.Seed,
	}
}

// installedExports returns the exports of an installed environment. It installs nothing.
func (b *Benchmark) installedExports(variables []string) (*bench.Exports, error) {
	o := b.setup()
	models, err := setup.FindModels(o)
	var none *setup.NotInstalledError
	if errors.As(err, &none) {
		return nil, fmt.Errorf("the models are written with JAX and Keras: %w, and so does the first benchmark", err)
	}
	if err != nil {
		return nil, err
	}
	return b.exports(models, variables)
}
