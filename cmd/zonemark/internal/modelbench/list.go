package modelbench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/modelexports"
	"zonemark/driver/bench"
	"zonemark/driver/python"
	"zonemark/driver/report"
)

// listedModel is a row of the list: one configuration of a model.
type listedModel struct {
	bench.Model
	Config       string  `json:"config"`
	Parameters   int64   `json:"parameters"`
	WeightsBytes int64   `json:"weights_bytes"`
	FLOP         float64 `json:"flop,omitempty"` // of one execution of the device's module; absent if not known
	Microbatch   int64   `json:"microbatch"`
	Error        string  `json:"error,omitempty"` // why it has no numbers
}

// List shows all models, or the named one, and returns the exit status. A model that cannot be described is shown with
// the reason, and the exit status is that of an error.
func (b *Benchmark) List(ctx context.Context) int {
	if b.format != "text" && b.format != formatRecord {
		return b.Misused("bench --help", fmt.Errorf("--list has the formats text and %s", formatRecord))
	}
	if err := b.setVariables(); err != nil {
		return b.Fail("%v", err)
	}
	if err := b.nameModels(); err != nil {
		return b.Fail("%v", err)
	}
	maker := b.maker()
	exports, err := maker.Exports()
	if err != nil {
		return b.Fail("%v", err)
	}
	catalog, err := exports.Exporter.List(ctx)
	if ctx.Err() != nil {
		return b.Fail("interrupted")
	}
	if err != nil {
		return b.Fail("%v", err)
	}
	status := cli.ExitOK
	for _, m := range catalog.Mistakes {
		status = b.Fail("%v", &bench.Error{File: m.File, Line: m.Line, Text: m.Error})
	}
	if name := b.Options.Model; name != "" {
		if names := catalog.Names(); !slices.Contains(names, name) {
			return b.Fail("%v", cli.Misspelt(fmt.Sprintf("no model is called %q", name), name, names))
		}
		catalog.Models = slices.DeleteFunc(catalog.Models, func(m bench.Model) bool { return m.Name != name })
	}
	rows, err := b.describeAll(ctx, maker, exports, catalog.Models)
	if err != nil {
		return b.Fail("%v", err)
	}
	if slices.ContainsFunc(rows, func(r listedModel) bool { return r.Error != "" }) {
		status = cli.ExitError
	}
	b.progress.Line.Clear()
	if err := b.writeList(rows); err != nil {
		return b.Fail("write the list: %v", err)
	}
	return status
}

// nameModels writes the names of the shipped models at once, since describing all of them takes a minute the first time
// and needs JAX.
func (b *Benchmark) nameModels() error {
	if b.format != "text" || b.Options.Model != "" {
		return nil
	}
	names, err := bench.ShippedModels(python.Files())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(b.Out, "%s\n\n", cli.Wrapped("shipped models: "+strings.Join(names, ", "), 80))
	return err
}

// describeAll describes every configuration. It describes several at once, since a new one takes seconds.
func (b *Benchmark) describeAll(
	ctx context.Context, maker *modelexports.Maker, exports *bench.Exports, models []bench.Model,
) ([]listedModel, error) {
	var rows []listedModel
	for _, m := range models {
		for _, config := range m.Configs {
			if b.Options.Config == "" || config == b.Options.Config {
				rows = append(rows, listedModel{Model: m, Config: config})
			}
		}
	}
	waiting := time.AfterFunc(time.Second, func() {
		maker.Say("describing %s, which takes some seconds each the first time; what an interrupt leaves is kept",
			report.Counted(len(rows), "configuration"))
	})
	defer waiting.Stop()
	exports.Exporter.Line = nil // mixed lines of several exporters are useless
	next := make(chan *listedModel)
	var workers sync.WaitGroup
	for range min(mostDescribing, runtime.NumCPU()) {
		workers.Go(func() {
			for row := range next {
				b.describe(ctx, exports, row)
			}
		})
	}
	for i := range rows {
		maker.Draw(fmt.Sprintf("describing %d of %d", i+1, len(rows)))
		next <- &rows[i]
	}
	close(next)
	workers.Wait()
	if ctx.Err() != nil {
		return nil, errors.New("interrupted; what has been described is kept")
	}
	return rows, nil
}

// mostDescribing bounds the number of exporters that run at once. Each takes some hundred megabytes.
const mostDescribing = 4

// describe fills the numbers of a row, or the reason for which it has none.
func (b *Benchmark) describe(ctx context.Context, exports *bench.Exports, row *listedModel) {
	if ctx.Err() != nil {
		return
	}
	m, err := exports.Describe(ctx, bench.Request{
		Model: row.Name, Config: row.Config, Training: b.Options.Training && row.Training, Layers: b.Options.Layers,
		Microbatch: b.Options.Microbatch, DType: "float32",
	})
	if err != nil {
		row.Error = err.Error()
		return
	}
	row.Parameters, row.WeightsBytes, row.FLOP, row.Microbatch = m.Parameters, m.WeightsBytes, m.FLOP, m.Microbatch
}

func (b *Benchmark) writeList(rows []listedModel) error {
	if b.format == formatRecord {
		text, err := json.MarshalIndent(rows, "", " ")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(b.Out, "%s\n", text)
		return err
	}
	t := tabwriter.NewWriter(b.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "model\tconfiguration\tparameters\tweights\tFLOP\tbatch\ttakes\t")
	for _, r := range rows {
		var takes []string
		for _, flag := range []struct {
			on   bool
			name string
		}{{r.Training, "-t"}, {r.Model.Layers, "--layers"}, {r.Generative, "--generative"}} {
			if flag.on {
				takes = append(takes, flag.name)
			}
		}
		if r.Error != "" {
			fmt.Fprintf(t, "%s\t%s\t–\t–\t–\t–\t%s\t%s\n", report.Printable(r.Name), report.Printable(r.Config),
				strings.Join(takes, " "), report.Printable(r.Error))
			continue
		}
		flop := "–"
		if r.FLOP > 0 {
			flop = magnitude(r.FLOP)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d\t%s\t\n", report.Printable(r.Name), report.Printable(r.Config),
			magnitude(float64(r.Parameters)), cli.Megabytes(r.WeightsBytes), flop, r.Microbatch,
			strings.Join(takes, " "))
	}
	return t.Flush()
}
