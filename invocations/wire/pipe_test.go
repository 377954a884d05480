package wire

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// peerVariable makes the test binary the peer of the pipe tests: it answers on stdin and stdout and runs no test.
const peerVariable = "ZONEMARK_TEST_WIRE_PEER"

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // as the program does
	if os.Getenv(peerVariable) != "" {
		if err := answer(NewConn(os.Stdin, os.Stdout)); err != nil {
			fmt.Fprintln(os.Stderr, "peer:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// answer replies to each Execute: to "echo" with a small result, to "stream" with as many results of 1,000 timings as
// Round says.
func answer(c *Conn) error {
	small, large := benchmarkResult(10), benchmarkResult(1000)
	for {
		m, err := c.Receive()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		e, ok := m.(*Execute)
		if !ok {
			return fmt.Errorf("unexpected %s message", m.Kind())
		}
		n, result := 1, small
		if e.Function == "stream" {
			n, result = e.Number, large
		}
		result.ID = e.ID
		for range n - 1 {
			if err := c.Queue(result); err != nil {
				return err
			}
		}
		if err := c.Send(result); err != nil {
			return err
		}
	}
}

// benchmarkExecute returns an invocation of three arguments. The content is that of
// ../../cmd/zonemark/testdata/bench/wire.py.
func benchmarkExecute(function string, round int) *Execute {
	argument := func(name string, usage invocations.Usage, fill invocations.Fill, seed uint64,
		shape ...int64) invocations.Argument {
		return invocations.Argument{Name: name, Element: invocations.Float32, Shape: shape, Usage: usage,
			Contents: invocations.Contents{Fill: fill, Seed: seed}}
	}
	return &Execute{Number: round, Invocation: invocations.Invocation{
		ID: "89abcdef01234567", Name: "matmul/384x512x128", Group: "matmul", Runtime: "iree", Function: function,
		Artifact: invocations.Artifact{Path: "/suites/mobilebert_fp16_llvm-cpu_x86_64_v4.vmfb",
			SHA256: "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"},
		Arguments: []invocations.Argument{argument("lhs", invocations.Input, invocations.FillRandom, 42, 1, 384, 512),
			argument("rhs", invocations.Input, invocations.FillRandom, 43, 512, 128),
			argument("out", invocations.Output, invocations.FillZeros, 0, 1, 384, 128)},
		Parameters: map[string]string{"suite": "op_model", "sweep": "matmul"},
		Measure: invocations.Measure{Mode: invocations.Warm, Precision: 0.01, MinTimeNS: 1e8, MaxTimeNS: 5e9,
			MinIterations: 10, CPU: 2, Seed: 1},
		Limits: invocations.Limits{TimeoutNS: 6e10, MemoryBytes: 1 << 33},
	}}
}

// benchmarkResult returns a result of n wall timings between 123 and 143 µs.
func benchmarkResult(n int) *Result {
	r := &Result{invocations.Result{ID: "89abcdef01234567", Merged: 1, Status: invocations.OK,
		Verdicts: []invocations.Verdict{invocations.Clean}, Calling: invocations.Calling{Mode: invocations.Warm,
			Stop: "precision", Iterations: int64(n), CallsPerBatch: 1, Sets: 1, SetBytes: 1245184, WarmupCalls: 10,
			OverheadNS: 1.25, Clock: "tsc"},
		Batches: invocations.Batches{SamplesNS: make([]float64, n)},
		Profile: invocations.Profile{HostNS: 100, GapNS: 50.5}, Layers: []string{"seccomp", "landlock"}}}
	x := uint64(88172645463325252)
	for i := range r.SamplesNS {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		r.SamplesNS[i] = 123000 + float64(x%20000000)/1000
	}
	r.Summary = stats.Summarize(r.SamplesNS, nil)
	return r
}

// startPeer runs the test binary as the peer, connected over two pipes of the operating system.
func startPeer(tb testing.TB) *Conn {
	tb.Helper()
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	peerIn, toPeer, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	fromPeer, peerOut, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	toPeer.Fd() // blocking, like the driver's pipes
	fromPeer.Fd()
	peer := exec.Command(self)
	peer.Env = append(os.Environ(), peerVariable+"=1")
	peer.Stdin, peer.Stdout, peer.Stderr = peerIn, peerOut, os.Stderr
	err = peer.Start()
	peerIn.Close()
	peerOut.Close()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		toPeer.Close()
		if err := peer.Wait(); err != nil {
			tb.Errorf("peer: %v", err)
		}
		fromPeer.Close()
	})
	return NewConn(fromPeer, toPeer)
}

// exchange sends an Execute and receives n results with the number of timings.
func exchange(tb testing.TB, c *Conn, e *Execute, n, timings int) {
	tb.Helper()
	if err := c.Send(e); err != nil {
		tb.Fatal(err)
	}
	for range n {
		m, err := c.Receive()
		if err != nil {
			tb.Fatal(err)
		}
		if r, ok := m.(*Result); !ok || r.ID != e.ID || len(r.SamplesNS) != timings {
			tb.Fatalf("received %+v, want a result of %d timings for %s", m, timings, e.ID)
		}
	}
}

func TestPipeBetweenProcesses(t *testing.T) {
	c := startPeer(t)
	exchange(t, c, benchmarkExecute("echo", 0), 1, 10)
	exchange(t, c, benchmarkExecute("stream", 50), 50, 1000)
	exchange(t, c, benchmarkExecute("echo", 0), 1, 10)
}

// BenchmarkPipe measures two processes over pipes: results of 1,000 timings per second one way, and the median round
// trip of an invocation of three arguments and a result of ten timings.
func BenchmarkPipe(b *testing.B) {
	b.Run("Results", func(b *testing.B) {
		c := startPeer(b)
		b.ReportAllocs()
		b.ResetTimer()
		exchange(b, c, benchmarkExecute("stream", b.N), b.N, 1000)
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "results/s")
	})
	b.Run("RoundTrip", func(b *testing.B) {
		c := startPeer(b)
		e := benchmarkExecute("echo", 0)
		times := make([]time.Duration, b.N)
		b.ReportAllocs()
		b.ResetTimer()
		for i := range times {
			start := time.Now()
			exchange(b, c, e, 1, 10)
			times[i] = time.Since(start)
		}
		slices.Sort(times)
		b.ReportMetric(float64(times[len(times)/2].Nanoseconds()), "rtt-ns")
	})
}

func BenchmarkEncodeResult(b *testing.B) {
	c, r := NewConn(nil, io.Discard), benchmarkResult(1000)
	b.ReportAllocs()
	for b.Loop() {
		if err := c.Send(r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeResult(b *testing.B) {
	frame, err := newEncoder().frame(benchmarkResult(1000))
	if err != nil {
		b.Fatal(err)
	}
	d := newDecoder()
	b.ReportAllocs()
	b.SetBytes(int64(len(frame)))
	for b.Loop() {
		if _, err := d.decode(frame[headerBytes:]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendTimings(b *testing.B) {
	r, buf := benchmarkResult(1000), []byte(nil)
	for b.Loop() {
		buf, _ = appendTimings(buf[:0], r.SamplesNS)
	}
}

func BenchmarkParseTimings(b *testing.B) {
	buf, _ := appendTimings(nil, benchmarkResult(1000).SamplesNS)
	for b.Loop() {
		if _, err := parseTimings(buf); err != nil {
			b.Fatal(err)
		}
	}
}
