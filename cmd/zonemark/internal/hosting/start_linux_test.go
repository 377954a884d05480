package hosting

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"zonemark/cmd/zonemark/internal/watching"
	"zonemark/driver/executors"
	"zonemark/executor/sandbox"
	"zonemark/invocations/wire"

	"golang.org/x/sys/unix"
)

// programVariable names the program whose executors BenchmarkStart starts; start.sh sets it.
const programVariable = "ZONEMARK_BENCH_PROGRAM"

// BenchmarkStart takes the time from starting a measuring executor to its first reply, without and with all layers of
// the sandbox, in turns. The metrics are the minimum and the median, and the CPU time with that of the end.
func BenchmarkStart(b *testing.B) {
	program := os.Getenv(programVariable)
	if program == "" {
		b.Skip("start.sh runs this")
	}
	modes := []sandbox.Mode{sandbox.Off, sandbox.Require}
	took, used := map[sandbox.Mode][]time.Duration{}, map[sandbox.Mode]time.Duration{}
	starters := map[sandbox.Mode]*executors.Local{}
	for _, mode := range modes {
		starters[mode] = measurerOf(b, program, mode)
	}
	n := 0
	for b.Loop() {
		n++
		for _, mode := range modes {
			before := childrenTime(b)
			took[mode] = append(took[mode], startOnce(b, starters[mode]))
			used[mode] += childrenTime(b) - before
		}
	}
	b.ReportMetric(0, "ns/op")
	for _, mode := range modes {
		slices.Sort(took[mode])
		for name, d := range map[string]time.Duration{
			"min": took[mode][0], "median": took[mode][n/2], "cpu": used[mode] / time.Duration(n),
		} {
			b.ReportMetric(d.Seconds()*1e3, fmt.Sprintf("ms-%s-%s", mode, name))
		}
	}
}

// measurerOf returns a starter of a program's measuring executors.
func measurerOf(b *testing.B, program string, mode sandbox.Mode) *executors.Local {
	limits := watching.Limits{MemoryBytes: 1 << 30, Threads: 4096, Scratch: b.TempDir(), Waits: true}
	confined := measuringOptions(mode, limits, reading{hidden: []string{"/root", "/home"}})
	support := sandbox.Probe()
	local := executors.NewLocal(threads{}, func(executors.Allowance) (*exec.Cmd, error) {
		cmd := exec.Command(program, "executor", "--role="+roleMeasure, "--memory=0", "--counters="+CountersAuto)
		return cmd, sandbox.Configure(cmd, confined, support)
	})
	local.WatchBy(func(p *os.Process, _ executors.Allowance) executors.Watch { return limits.Watch(p) })
	b.Cleanup(local.Close)
	return local
}

// startOnce starts an executor, waits for its first reply, and kills it.
func startOnce(b *testing.B, local *executors.Local) time.Duration {
	begin := time.Now()
	p, err := local.Start(executors.Allowance{MemoryBytes: 1 << 30, Threads: 4096})
	if err != nil {
		b.Fatal(err)
	}
	conn := wire.NewConn(p.From, p.To)
	if err := conn.Send(&wire.Hello{Protocol: wire.Protocol}); err != nil {
		b.Fatal(err)
	}
	reply, err := conn.Receive()
	took := time.Since(begin)
	if _, ok := reply.(*wire.Hello); !ok {
		p.Kill()
		b.Fatalf("the first reply is %T, %v; %v", reply, err, p.Wait().Stderr)
	}
	p.Kill() // after a Goodbye, it would calibrate its clock first
	p.Wait()
	return took
}

// childrenTime returns the CPU time of children that have been waited for.
func childrenTime(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
