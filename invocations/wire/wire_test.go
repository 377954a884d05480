package wire

import (
	"io"
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/stats"

	"github.com/google/go-cmp/cmp"
)

// everyMessage returns one message of each kind with every field set, by the name of its golden file.
func everyMessage() map[string]Message {
	artifact := invocations.Artifact{Path: "/suite/gemm.hat", SHA256: "9f86d081884c7d65",
		Built: "/cache/9f86/libgemm.so", Options: map[string]string{"device": "local-task"}}
	arguments := []invocations.Argument{
		{Name: "A", Element: invocations.Float32, Shape: []int64{64, 128}, Strides: []int64{256, 1}, Offset: 3,
			Usage:    invocations.Input,
			Contents: invocations.Contents{Fill: invocations.FillRandom, Seed: 1<<63 + 7}},
		{Name: "B", Element: invocations.Float16, Shape: []int64{}, Extent: "M*K", Usage: invocations.InputOutput,
			Callee:   true,
			Contents: invocations.Contents{Fill: invocations.FillFile, Path: "b.npy"}},
		{Name: "n", Element: invocations.Int64, Usage: invocations.Output, ByValue: true,
			Contents: invocations.Contents{Fill: invocations.FillConstant, Value: "-9223372036854775808"}},
	}
	return map[string]Message{
		"hello": &Hello{Protocol: Protocol, Build: "v1.2.3 (a1b2c3d)", Runtimes: []string{"hat", "iree"}, PID: 4711,
			Layers:        []string{"seccomp", "landlock"},
			MissingLayers: map[string]string{"mount": "no user namespaces", "memory": "no cgroup"},
			Environment:   map[string]string{"cpu": "Xeon", "os": "linux"}},
		"host": &Host{Name: "n1", Folder: "/cache/views/1"},
		"offer": &Offer{Files: []File{{Path: "suite/gemm.so", SHA256: "9f86d081884c7d65", Bytes: 1 << 40, Program: true,
			Link: "gemm.so.1"}}},
		"needs": &Needs{SHA256: []string{"9f86d081884c7d65"}, Error: "no room"},
		"piece": &Piece{SHA256: "9f86d081884c7d65", Bytes: []byte{0, 255, 10}, Last: true},
		"start": &Start{Stream: 3, Role: "measure", MemoryBytes: 1 << 33, Threads: 8, Settings: ExecutorSettings{
			Sandbox: "auto", Counters: "cycles", MemoryBytes: 1 << 34, Threads: 9, Variables: []string{"A=b"},
			Read: []string{"/opt/x"}, Runtimes: []string{"hat"}, Allow: []string{"/dev/x"}},
			PrintsErrors: true, Profile: "device", Allow: []string{"/dev/y"}},
		"data": &Data{Stream: 3, Bytes: []byte{1, 2, 3}, End: true, StoppedNS: 5, Discard: true, Starved: true,
			Measures: 6, WorkedNS: 7},
		"credit": &Credit{Stream: 3, Bytes: 65536},
		"kill":   &Kill{Stream: 3},
		"ended": &Ended{Stream: 3, Signal: "SIGSEGV", Code: 2, MaxRSSBytes: 1 << 30, Stderr: []string{"so"},
			Limit: "memory", Used: 3, Allowed: 2, Own: true, StoppedNS: 7, NotStarted: "no such program"},
		"tick": &Tick{Count: 2},
		"describe": &Describe{ID: "0000000000000001", Runtime: "hat", Path: "/suite",
			Parameters: map[string]string{"M": "64", "K": ""},
			Options:    map[string]string{"device": "local-task"}, Cache: "/cache"},
		"described": &Described{ID: "0000000000000001", Error: "one file of two cannot be read",
			Descriptions: []invocations.Description{
				{Artifact: artifact, NeedsBuild: true, Warnings: []string{"no authors"},
					Details: []string{"bytecode 17.0"},
					Functions: []invocations.Function{{
						Name: "gemm", Arguments: arguments, Parameters: []invocations.Parameter{{Name: "M",
							Default: "1"}},
						Signature: "f32[64,128]",
						Skip:      "needs CUDA", Lacks: "avx512_fp16", Note: "sizes assumed"}}},
				{}}},
		"build": &Build{ID: "0000000000000002", Runtime: "halide", Artifact: artifact, Cache: "/cache"},
		"built": &Built{ID: "0000000000000002", Error: "c++: not found", Path: "/cache/9f86/libgemm.so"},
		"execute": &Execute{Number: 2, Last: true, Invocation: invocations.Invocation{
			ID: "89abcdef01234567", Name: "gemm/64x128", Group: "gemm", Runtime: "hat", Artifact: artifact,
			Function:  "gemm_3",
			Arguments: arguments, Parameters: map[string]string{"M": "64", "K": "128"},
			Measure: invocations.Measure{Mode: invocations.Cold, Precision: 0.01, MinTimeNS: 1e8, MaxTimeNS: 5e9,
				MinIterations: 10, SetBytes: 1 << 40, CallsPerBatch: 16,
				CPU: -1, CheckOnly: true, Seed: 1<<64 - 1, ProfileCalls: 100, Iterations: 640,
				Launches: 7, HugePages: true, PageOffset: 640, StackOffset: 1280, WarmupCalls: 9,
				Restore:   invocations.WhenAlways,
				Placement: invocations.Vary, Place: 1<<64 - 2, Reorder: invocations.WhenNever},
			Limits: invocations.Limits{TimeoutNS: 6e10, MemoryBytes: 1 << 33},
			Verify: invocations.Verification{Reference: "gemm_ref", Tolerance: 1e-5, Expected: []string{"@y.npy"}},
			Trace:  true}, TraceCalls: 50, QuietPorts: 1.625, Trusted: true, NoCanary: "threads", QuietMemory: 1100.5,
			Fresh: invocations.Fresh{Restored: true, Reordered: true}},
		"started": &Started{ID: "89abcdef01234567", Phase: "measure"},
		"result": &Result{invocations.Result{ID: "89abcdef01234567", Number: 4, Merged: 5, Status: invocations.Crashed,
			Error: "SIGSEGV in gemm_3",
			Crash: &invocations.Crash{Signal: "SIGSEGV", ExitCode: 139, Phase: "measure", Stderr: []string{"line",
				"last line"}},
			Verdicts: []invocations.Verdict{invocations.Contended, invocations.TooShort},
			Notes:    []string{"M=64 assumed"},
			Calling: invocations.Calling{Mode: invocations.Warm, Stop: "precision", Iterations: 3e6,
				CallsPerBatch: 1000, Sets: 3, SetBytes: 98304, WarmupCalls: 70000, OverheadNS: 1.25, Clock: "tsc"},
			Batches: invocations.Batches{SamplesNS: []float64{1234.5, 1234.25, 1199, -0.25, 1e6},
				CPUSamplesNS: []float64{}, RoundsNS: []float64{1e9, 2e9}, CyclesSamples: []float64{4100, 4100.5},
				CyclesCounted: true, Counters: []invocations.Count{{Name: "instructions", PerCall: 6153,
					Exact: true}, {Name: "page_faults",
					PerCall: 0.5}}},
			Discarded: invocations.Discarded{Disturbed: 2, Warmup: 7},
			Summary: stats.Summary{N: 5, MedianNS: 1, CILowNS: 2, CIHighNS: 3, MinNS: 4, P90NS: 5, P99NS: 6,
				MeanNS: 7, MADNS: 8, CPUMedianNS: 9},
			Profile: invocations.Profile{Source: invocations.ByTracy, CallNS: 175.5, HostNS: 100, GapNS: 50.5,
				UnexplainedNS: 0.5, Partial: true, Contended: true, Notes: []string{"lost 3 zones"},
				Dispatches: []invocations.Dispatch{{Name: "main_dispatch_0", Ordinal: 1, Count: 10, MedianNS: 2.5,
					MinNS:   2,
					TotalNS: 25, Workgroups: 64, Threads: 2, SourceFile: "model.mlir", SourceLine: 17,
					Allocations: 1.5, PeakBytes: 4096, StackBytes: 128}}},
			TraceOverhead: invocations.TraceOverhead{TraceOverheadNS: 25, TraceOverheadPercent: 3.5}, Layers: []string{"seccomp"},
			SimulatedCycles: 5124,
			SimulatedCores: []invocations.SimulatedCore{{
				Chip: 1, Column: 2, Row: 3, Core: "BRISC", Program: "add", End: 5124,
				Zones: []invocations.SimulatedZone{{Name: "wait", Begin: 3, End: 100}},
			}},
			Hexagon:    &invocations.HexagonCounts{Packets: 300, Instructions: 700, VectorInstructions: 200},
			Work:       invocations.Work{FLOP: 2e9, Bytes: 1.5e6},
			Properties: map[string]string{"devices": "4", "platform": "cpu"},
			Canary: invocations.Canary{Batches: 10, Quiet: 7, Core: 1, Slow: 1, Interrupted: 1, Ports: 1.6,
				KeptPorts: 1.61, GHz: 3.7, Why: "coarse", Caches: 2, Memory: 1200}, PlannedNS: 1e5,
			OfArguments: invocations.OfArguments{Places: []invocations.ArrayPlace{{Name: "A", Offset: 4032}}}}},
		"goodbye": &Goodbye{Reason: "idle"},
	}
}

func TestConnCarriesEveryMessage(t *testing.T) {
	for name, want := range everyMessage() {
		t.Run(name, func(t *testing.T) {
			r, w := io.Pipe()
			defer r.Close()
			go func() {
				if err := NewConn(nil, w).Send(want); err != nil {
					w.CloseWithError(err)
				}
				w.Close()
			}()
			c := NewConn(r, nil)
			got, err := c.Receive()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("received message differs (-sent +received):\n%s", diff)
			}
			if _, err := c.Receive(); err != io.EOF {
				t.Errorf("after the last message: %v, want io.EOF", err)
			}
		})
	}
}
