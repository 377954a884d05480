package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"zonemark/cmd/zonemark/internal/cachedir"
	"zonemark/driver/bench"
	"zonemark/driver/python"
	"zonemark/driver/report"
	"zonemark/driver/setup"
)

// mostExportBytes bounds the cache of exports, weights included.
const mostExportBytes = 16 << 30

// setVariables puts NAME=VALUE entries into our environment, which the exporter and executors inherit.
func setVariables(entries []string) error {
	for _, entry := range entries {
		name, value, _ := strings.Cut(entry, "=")
		if err := os.Setenv(name, value); err != nil {
			return fmt.Errorf("--env %s: %w", entry, err)
		}
	}
	return nil
}

// exports are the cached exports of an environment with JAX and Keras.
func (b *benchmark) exports(models setup.Models, variables []string) (*bench.Exports, error) {
	below, err := cachedir.Folder("models")
	if err != nil {
		return nil, err
	}
	sources, err := bench.Unpack(python.Files(), below)
	if err != nil {
		return nil, err
	}
	folder, err := cachedir.Folder("exports")
	if err != nil {
		return nil, err
	}
	return &bench.Exports{
		Exporter:  &bench.Exporter{Interpreter: models.Interpreter, Sources: sources, Models: b.options.Models, Timeout: time.Duration(b.exportTimeout), Line: b.exporterSays},
		Folder:    folder,
		Generator: strings.Join([]string{sources, "python", models.Python, "jax", models.JAX, "keras", models.Keras}, " "),
		Variables: variables, MaxBytes: mostExportBytes,
	}, nil
}

// announce tells people what takes its time.
func (b *benchmark) announce(format string, args ...any) {
	b.talking.Lock()
	defer b.talking.Unlock()
	b.progress.say(format, args...)
}

// exporterSays shows a line of the exporter's.
func (b *benchmark) exporterSays(text string) {
	b.talking.Lock()
	defer b.talking.Unlock()
	if b.verbose {
		b.progress.say("%s", report.Printable(text))
	} else if b.progress.line.Due() {
		b.progress.line.Draw("exporting: " + report.Printable(text))
	}
}

// export is the model's export, made unless it is in the cache. JAX and Keras are installed where they are missing.
func (b *benchmark) export(ctx context.Context, c bench.Choices, variables []string) (bench.Export, error) {
	o := b.progress.options()
	o.Python = b.python
	models, err := setup.InstallModels(ctx, o)
	if err != nil {
		return bench.Export{}, err
	}
	exports, err := b.exports(models, variables)
	if err != nil {
		return bench.Export{}, err
	}
	waiting := time.AfterFunc(time.Second, func() {
		b.announce("exporting %s, which takes a while the first time", strings.TrimSpace(b.options.Model+" "+b.options.Config))
	})
	export, err := exports.Get(ctx, b.request(c))
	waiting.Stop()
	b.talking.Lock()
	defer b.talking.Unlock()
	b.progress.line.Clear()
	return export, err
}

// request is what the flags ask the exporter for.
func (b *benchmark) request(c bench.Choices) bench.Request {
	o := &b.options
	return bench.Request{
		Model: o.Model, Config: o.Config, Training: o.Training, Generative: o.Generative, Layers: o.Layers, Microbatch: o.Microbatch,
		DType: c.DType, EmulatedFormat: c.EmulatedFormat, Seed: o.Seed,
	}
}

// installedExports are the exports of an environment that is there; nothing is installed.
func (b *benchmark) installedExports(variables []string) (*bench.Exports, error) {
	o := b.progress.options()
	o.Python = b.python
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
