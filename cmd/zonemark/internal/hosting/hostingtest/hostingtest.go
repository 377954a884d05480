// Package hostingtest has executors in the process of a test, so that verbs run without starting processes. Artifacts
// are described and built by the real runtimes. Nothing is loaded: what is measured has made-up results.
package hostingtest

import (
	"hash/fnv"
	"io"
	"math/rand/v2"
	"strings"
	"sync"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/driver/executors"
	"zonemark/executor"
	"zonemark/executor/serving"
	"zonemark/invocations"
	"zonemark/invocations/wire"
	"zonemark/invocations/wire/wiretest"
)

// Executors are executors of these runtimes in this process. Measuring ones play, see Result.
type Executors struct{ Runtimes runtimes.Table }

// environment is what executors say of the machine, instead of what it is.
var environment = map[string]string{"cpu": "a made-up processor", "cpus": "4", "os": "linux", "counters": "none: made up"}

// Builder starts executors that describe and build with the real runtimes.
func (e Executors) Builder(o hosting.Options) hosting.Executors {
	return inProcess{serve: func(from io.Reader, to io.Writer) {
		list := e.Runtimes.Executors(o.Variables.Lookup)
		server := &serving.Server{
			Runtimes: list, Options: e.Runtimes.OptionsByName(), ParentGone: func() {}, Hello: hello(list),
		}
		_ = server.Serve(from, to) // its error is that the driver has gone
	}}
}

// Measurer starts executors that play.
func (e Executors) Measurer(o hosting.Options) hosting.Executors {
	player := wiretest.Player{
		Hello: hello(e.Runtimes.Executors(o.Variables.Lookup)), Play: Result,
		Phase: func(*wire.Execute) string { return "measure" },
	}
	return inProcess{serve: player.Serve}
}

// CommandMeasurer is Measurer.
func (e Executors) CommandMeasurer(o hosting.Options) hosting.Executors { return e.Measurer(o) }

// Recorder is Measurer.
func (e Executors) Recorder(o hosting.Options) hosting.Executors { return e.Measurer(o) }

func hello(list []executor.Runtime) wire.Hello {
	h := wire.Hello{Protocol: wire.Protocol, Build: cli.Version(), PID: 1, Environment: environment, Layers: []string{"played"}}
	for _, r := range list {
		h.Runtimes = append(h.Runtimes, r.Name())
	}
	return h
}

// Result is the made-up result of a launch. A function whose name begins with "crash" dies, one with "mismatch" has
// other outputs than its reference, all others take 100 ns to a millisecond by their names.
func Result(m *wire.Execute) *invocations.Result {
	r := &invocations.Result{Status: invocations.OK, Calling: invocations.Calling{Mode: m.Measure.Mode},
		Number: m.Number}
	switch {
	case strings.HasPrefix(m.Function, "crash"):
		return nil
	case strings.HasPrefix(m.Function, "mismatch"):
		r.Status, r.Error = invocations.Mismatch, "argument 0 is not as expected: it is made up"
		return r
	case m.Measure.CheckOnly:
		return r
	}
	name := fnv.New64a()
	name.Write([]byte(m.Name))
	const batches = 20
	base := 100 + float64(name.Sum64()%10_000)
	random := rand.New(rand.NewPCG(name.Sum64(), uint64(m.Number)))
	for range batches {
		ns := base * (1 + 0.001*random.Float64())
		r.SamplesNS, r.CPUSamplesNS = append(r.SamplesNS, ns), append(r.CPUSamplesNS, ns)
	}
	r.CallsPerBatch, r.Iterations, r.Stop, r.Sets = 1, batches, invocations.Stops[0], 1
	r.Canary = invocations.Canary{Why: "it is made up"}
	return r
}

// inProcess starts executors that are goroutines.
type inProcess struct {
	serve func(from io.Reader, to io.Writer)
}

// Start starts one.
func (p inProcess) Start(executors.Allowance) (*executors.Process, error) {
	fromDriver, to := io.Pipe()
	from, toDriver := io.Pipe()
	var ended sync.WaitGroup
	ended.Go(func() {
		defer toDriver.Close()
		defer fromDriver.Close()
		p.serve(fromDriver, toDriver)
	})
	return &executors.Process{
		To: to, From: from, DiscardOutput: func() {},
		Kill: func() { fromDriver.Close(); toDriver.Close() },
		Wait: func() executors.Exit { ended.Wait(); return executors.Exit{Signal: "SIGSEGV"} },
	}, nil
}

// Close does nothing: an executor ends when its driver does.
func (p inProcess) Close() {}
