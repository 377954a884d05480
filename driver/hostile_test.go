package driver

import (
	"encoding/binary"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"zonemark/driver/executors"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/wire"
)

// pipes is what an executor in a test has of its connection.
type pipes struct {
	*wire.Conn
	raw io.Writer // beside the messages
}

// frame writes a frame with this payload.
func (p pipes) frame(payload []byte) {
	_, _ = p.raw.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(payload))), payload...))
}

// hostile starts executors that answer the invocation "hostile" as they like, and every other one well.
type hostile struct {
	answer func(to pipes, m *wire.Execute)
}

func (h *hostile) Start(executors.Allowance) (*executors.Process, error) {
	fromDriver, to := io.Pipe()
	from, toDriver := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer toDriver.Close()
		conn := pipes{wire.NewConn(fromDriver, toDriver), toDriver}
		for {
			m, err := conn.Receive()
			if err != nil {
				return
			}
			switch m := m.(type) {
			case *wire.Hello:
				err = conn.Send(&wire.Hello{Protocol: wire.Protocol})
			case *wire.Execute:
				if m.Name == "hostile" {
					h.answer(conn, m)
					continue
				}
				err = conn.Send(&wire.Result{Result: identified(m, fitting(m))})
			default:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	end := func() { fromDriver.Close(); toDriver.Close() }
	return &executors.Process{To: to, From: from, Kill: end, DiscardOutput: func() {}, ExitTimeout: time.Millisecond,
		Wait: func() executors.Exit { <-ended; return executors.Exit{Signal: "SIGKILL"} }}, nil
}

// identified returns r as the answer to m.
func identified(m *wire.Execute, r invocations.Result) invocations.Result {
	r.ID, r.Notes = m.ID, []string{m.Name}
	return r
}

// changed returns an executor that changes a good answer.
func changed(change func(r *invocations.Result)) func(pipes, *wire.Execute) {
	return func(to pipes, m *wire.Execute) {
		r := identified(m, fitting(m))
		change(&r)
		_ = to.Send(&wire.Result{Result: r}) // the driver may have killed this executor
	}
}

// startedPayload returns the payload of a Started message with this phase, by hand, since an honest sender has limits.
func startedPayload(phase string) []byte {
	text := func(b []byte, s string) []byte {
		return append(binary.BigEndian.AppendUint32(append(b, 0xdb), uint32(len(s))), s...)
	}
	return text(text([]byte{0x93, byte(wire.KindStarted)}, "x"), phase)
}

// Whatever an executor answers, the run goes on, and what it has not measured is no number.
func TestHostileExecutor(t *testing.T) {
	t.Parallel()
	endless := math.Inf(1)
	modes := []struct {
		name   string
		answer func(to pipes, m *wire.Execute)
		why    string
	}{
		{"status unknown", changed(func(r *invocations.Result) { r.Status = "great" }), `the status "great"`},
		{"status empty", changed(func(r *invocations.Result) { r.Status = "" }), `the status ""`},
		{"crashed, it says", changed(func(r *invocations.Result) { r.Status = invocations.Crashed }), "the status"},
		{"a crash beside a time", changed(func(r *invocations.Result) { r.Crash = &invocations.Crash{} }), "a crash"},
		{"failed with a time", changed(func(r *invocations.Result) { r.Status = invocations.Failed }), "it has times"},
		{"verdict unknown", changed(func(r *invocations.Result) {
			r.Verdicts = []invocations.Verdict{"\x1b[2J"}
		}), "the verdict"},
		{"verdict twice", changed(func(r *invocations.Result) {
			r.Verdicts = []invocations.Verdict{invocations.Clean, invocations.Clean}
		}), "the verdict"},
		{"stop unknown", changed(func(r *invocations.Result) { r.Stop = "tired" }), "the reason"},
		{"mode of another", changed(func(r *invocations.Result) { r.Mode = invocations.Cold }), "the mode"},
		{"clock unknown", changed(func(r *invocations.Result) { r.Clock = "sundial" }), "the clock"},
		{"launch of another", changed(func(r *invocations.Result) { r.Number = 7 }), "launch or round 8"},
		{"overhead not a number", changed(func(r *invocations.Result) { r.OverheadNS = math.NaN() }), "overhead"},
		{"overhead infinite", changed(func(r *invocations.Result) { r.OverheadNS = endless }), "overhead"},
		{"overhead negative", changed(func(r *invocations.Result) { r.OverheadNS = -5 }), "overhead"},
		{"a sample negative", changed(func(r *invocations.Result) { r.SamplesNS[3] = -500 }), "number 4 of its samples"},
		{"samples too long", changed(func(r *invocations.Result) { r.SamplesNS[0] = 1e12 }), "the answer came after"},
		{"CPU time too long", changed(func(r *invocations.Result) { r.CPUSamplesNS[0] = 1e12 }), "CPU times are"},
		{"a round too long", changed(func(r *invocations.Result) { r.RoundsNS = []float64{1e12} }), "rounds are"},
		{"a batch apart without a place", changed(func(r *invocations.Result) { r.Apart.NS = []float64{5} }), "no places"},
		{"a batch apart beyond all", changed(func(r *invocations.Result) {
			r.Apart = invocations.ApartBatches{NS: []float64{5}, After: []int64{1 << 40}}
		}), "no places"},
		{"batches apart out of order", changed(func(r *invocations.Result) {
			r.Apart = invocations.ApartBatches{NS: []float64{5, 5}, After: []int64{2, 1}}
		}), "no places"},
		{"a batch apart too long", changed(func(r *invocations.Result) {
			r.Apart = invocations.ApartBatches{NS: []float64{1e12}, After: []int64{0}}
		}), "batches set apart are"},
		{"fewer CPU times", changed(func(r *invocations.Result) { r.CPUSamplesNS = r.CPUSamplesNS[:7] }), "7 CPU times"},
		{"fewer cycles", changed(func(r *invocations.Result) { r.CyclesSamples = r.CyclesSamples[:7] }), "cycles of 7"},
		{"iterations that are not there", changed(func(r *invocations.Result) { r.Iterations = 1 << 60 }), "iterations"},
		{"iterations negative", changed(func(r *invocations.Result) { r.Iterations = -200 }), "-200 iterations"},
		{"batches without calls", changed(func(r *invocations.Result) { r.CallsPerBatch = 0 }), "of 0 calls"},
		{"more quiet batches than batches", changed(func(r *invocations.Result) { r.Canary.Quiet = 99 }), "were quiet"},
		{"a level that is no number", changed(func(r *invocations.Result) { r.Canary.Ports = math.NaN() }), "level"},
		{"an array beyond its page", changed(func(r *invocations.Result) {
			r.Places = []invocations.ArrayPlace{{Name: "x", Offset: 4096}}
		}), "begins at byte 4096"},
		{"negative operations", changed(func(r *invocations.Result) { r.FLOP = -1 }), "operations"},
		{"a counter of nothing", changed(func(r *invocations.Result) {
			r.Counters = []invocations.Count{{Name: "cycles", PerCall: math.NaN()}}
		}), "the counter"},
		{"a counter without a name", changed(func(r *invocations.Result) {
			r.Counters = []invocations.Count{{PerCall: 1}}
		}), "no good name"},
		{"dispatches from nowhere", changed(func(r *invocations.Result) {
			r.Dispatches = []invocations.Dispatch{{Name: "d"}}
		}), "from nowhere"},
		{"more quiet calls than calls", changed(func(r *invocations.Result) {
			r.Source, r.Made, r.Profile.Quiet = invocations.ByProfiler, 3, 4
		}), "4 of 3 profiled calls were quiet"},
		{"a dispatch longer than the call", changed(func(r *invocations.Result) {
			r.Source, r.Dispatches = invocations.ByProfiler, []invocations.Dispatch{{Name: "d", MedianNS: 1e15}}
		}), "dispatch 0"},
		{"a profile without end", changed(func(r *invocations.Result) {
			r.Source, r.CallNS = invocations.ByTracy, endless
		}), "a profiled call"},
		{"id of another", changed(func(r *invocations.Result) { r.ID = "0123456789abcdef" }), "which nobody asked for"},
		{"Hello instead", func(to pipes, m *wire.Execute) { _ = to.Send(&wire.Hello{}) }, "which nobody asked for"},
		{"Goodbye in the middle", func(to pipes, m *wire.Execute) {
			_ = to.Send(&wire.Started{ID: m.ID, Phase: "measure"})
			_ = to.Send(&wire.Goodbye{})
		}, "which nobody asked for"},
		{"a message for executors", func(to pipes, m *wire.Execute) { _ = to.Send(m) }, "which nobody asked for"},
		{"garbage", func(to pipes, m *wire.Execute) { to.frame([]byte("hello world")) }, "garbled"},
		{"an unknown kind", func(to pipes, m *wire.Execute) { to.frame([]byte{0x91, 99}) }, "garbled"},
		{"a frame without end", func(to pipes, m *wire.Execute) {
			_, _ = to.raw.Write([]byte{0xff, 0xff, 0xff, 0xff})
		}, "garbled"},
		{"a torn frame", func(to pipes, m *wire.Execute) {
			_, _ = to.raw.Write([]byte{200, 0, 0, 0, 0x93})
			to.raw.(*io.PipeWriter).Close()
		}, "ended the executor"},
		{"a list of two thousand million", func(to pipes, m *wire.Execute) {
			to.frame([]byte{0x93, byte(wire.KindStarted), 0xdd, 0x7f, 0xff, 0xff, 0xff})
		}, "garbled"},
		{"a phase of 60 MB", func(to pipes, m *wire.Execute) {
			to.frame(startedPayload(strings.Repeat("x", 60<<20)))
		}, "at most"},
		{"a phase of 60 MB in a long array", func(to pipes, m *wire.Execute) {
			to.frame(append([]byte{0xdd, 0, 0, 1, 0}, startedPayload(strings.Repeat("x", 60<<20))[1:]...))
		}, "at most"},
		{"a note of 3 MB", changed(func(r *invocations.Result) {
			r.Notes = []string{strings.Repeat("x", 3<<20)}
		}), "at most"},
		{"a million of million notes", changed(func(r *invocations.Result) { r.Notes = make([]string, 10<<20) }), "memory"},
	}
	for _, mode := range modes {
		t.Run(mode.name, func(t *testing.T) {
			plan := planOf("innocent", "hostile", "innocent as well")
			for i, p := range plan.All() {
				p.Invocation.Measure = invocations.Measure{Launches: 1, MaxTimeNS: 1e9}
				plan.Set(i, p)
			}
			outcome, err := Execute(t.Context(), plan, Execution{Executor: &hostile{mode.answer}})
			if err != nil || outcome.Records.Len() != 3 {
				t.Fatalf("%v, %d records", err, outcome.Records.Len())
			}
			for _, r := range recordstest.All(t, outcome.Records) {
				switch {
				case r.Name != "hostile":
					if r.Status != invocations.OK || !r.Timed() {
						t.Errorf("%s is %s: %s", r.Name, r.Status, r.Error)
					}
				case r.Status != invocations.Crashed || r.Timed() || len(r.Dispatches) > 0 || r.FLOP != nil:
					t.Errorf("it is %s with %d samples", r.Status, len(r.SamplesNS))
				case !strings.Contains(r.Error, mode.why):
					t.Errorf("the reason %q lacks %q", r.Error, mode.why)
				case len(r.Error) > 1000:
					t.Errorf("the reason has %d bytes", len(r.Error))
				}
			}
		})
	}
}

// An answer that nobody asked for is never the result of a later invocation.
func TestAnswersTwice(t *testing.T) {
	plan := planOf("hostile", "innocent", "innocent as well")
	for i, p := range plan.All() {
		p.Invocation.Measure.CheckOnly = true
		plan.Set(i, p)
	}
	sent := make(chan struct{})
	twice := func(to pipes, m *wire.Execute) {
		_ = to.Send(&wire.Result{Result: identified(m, fitting(m))})
		go func() {
			defer close(sent)
			_ = to.Send(&wire.Result{Result: identified(m, fitting(m))})
		}()
		runtime.Gosched()
	}
	outcome, err := Execute(t.Context(), plan, Execution{Executor: &hostile{twice}})
	if err != nil {
		t.Fatal(err)
	}
	<-sent
	for _, r := range recordstest.All(t, outcome.Records) {
		if r.Name != "hostile" && r.Status == invocations.OK && !slices.Equal(r.Notes, []string{r.Name}) {
			t.Errorf("%s has the result of another: %q", r.Name, r.Notes)
		}
	}
}
