package rounds

import (
	"time"

	"zonemark/executor/native"
	"zonemark/executor/platform"
	"zonemark/executor/rounds/noise"
)

// surroundings is what a session and its observers see of the machine, beside the times of batches, which its timer
// takes, and events, which counters count. What they decide by it can be tested with a script of it.
type surroundings interface {
	now() time.Time
	// sleep waits for so long, while other threads may work.
	sleep(time.Duration)
	// usage and cpuNS are of the calling thread.
	usage() platform.Usage
	cpuNS() int64
	// work returns the CPU time that was used up to now. ours are the threads that the process had before native code was
	// loaded, which do not count; nil if the system does not tell threads apart.
	work(ours *platform.ThreadClocks) work
	// othersReady reports whether threads run or wait for a CPU that are none of ours, nor the calling one.
	othersReady(ours *platform.ThreadClocks) bool
	// cpu returns the number of the CPU that the calling thread runs on; negative: not known.
	cpu() int
	// contention returns what the system counts of the competition for CPUs.
	contention() platform.Contention
	// probe runs the canaries. That of memory may be nil, and does not run then.
	probe(core *native.Canary, memory *native.MemoryCanary) noise.Probes
	// scalar looks at the core after so long a time of scalar additions, and at what stops do to batches of that length.
	scalar(core *native.Canary, atLeast time.Duration, brief bool, batchNS float64) native.ScalarLook
	// chainNS returns the time of a fixed chain of operations; see native.Clock.
	chainNS(clock native.Clock) float64
}

// system is the surroundings that there are.
type system struct{}

func (system) now() time.Time { return time.Now() }

func (system) sleep(d time.Duration) { time.Sleep(d) }

func (system) usage() platform.Usage { return platform.ThreadUsage() }

func (system) cpuNS() int64 { return platform.ThreadCPUTimeNS() }

func (system) work(ours *platform.ThreadClocks) work {
	w := work{at: time.Now(), own: platform.ThreadCPUTimeNS()}
	w.others = platform.ProcessCPUTimeNS() - w.own
	if ours != nil {
		w.others -= ours.CPUTimeNS()
	}
	return w
}

func (system) othersReady(ours *platform.ThreadClocks) bool { return ours.OthersReady() }

func (system) cpu() int {
	if cpu, known := platform.CurrentCPU(); known {
		return cpu
	}
	return -1
}

func (system) contention() platform.Contention { return platform.ReadContention() }

func (system) probe(core *native.Canary, memory *native.MemoryCanary) (p noise.Probes) {
	p.Probe = core.Probe()
	if memory != nil {
		p.Memory = memory.Probe()
	}
	return p
}

func (system) scalar(core *native.Canary, atLeast time.Duration, brief bool, batchNS float64) native.ScalarLook {
	return core.Scalar(atLeast, brief, batchNS)
}

func (system) chainNS(clock native.Clock) float64 { return clock.ChainNS() }
