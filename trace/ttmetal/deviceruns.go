package ttmetal

import (
	"fmt"
	"math/bits"
	"strings"
)

// DeviceRun is one run of an op on one device of Tenstorrent, by the firmware zones of all the processors that took
// part.
type DeviceRun struct {
	Device       int64 // PCIe slot
	Call         int64 // run host ID: the number of the op, as in the tables of the host
	TraceID      int64 // -1: not of a trace
	TraceCounter int64 // which replay; -1: not of a trace
	StartCycle   int64 // the first <RISC>-FW zone begins
	EndCycle     int64 // the last one ends; 0 where none does
	KernelCycles int64 // from the first start to the last end of the <RISC>-KERNEL zones; 0: there are none
	Cores        int64 // without those of Ethernet
	Unpaired     int64 // zones of it that lack one of their ends, so that the run may have been longer
}

// timeStamp is one time stamp of one processor: a row of the device's log.
type timeStamp struct {
	place  processorPlace
	key    runKey
	cycles int64
	zone   string
	kind   string // ZONE_START, ZONE_END, ZONE_TOTAL, TS_DATA …
}

// runKey is what the rows of a run have in common.
type runKey struct{ device, call, trace, counter int64 }

// runState is a run that is being put together.
type runState struct {
	DeviceRun
	kernelStart, kernelEnd int64
	processors, cores      numberSet
	ended                  bool
}

// processor is one RISC processor of one core. It does one thing at a time.
type processor struct {
	index, core int // numbered by device
	ethernet    bool
	key         runKey
	run         *runState // whose firmware zone is open; nil: none
	start       int64
	kernelStart int64 // of an open kernel zone; -1: none
	repeats     map[runKey]int
}

// runBuilder puts runs together from time stamps, which may come processor by processor.
type runBuilder struct {
	runs       map[runKey][]*runState
	order      []*runState
	processors map[processorPlace]*processor
	cores      map[processorPlace]int
	perDevice  map[int64]*seenOnDevice
}

// seenOnDevice counts what a device has so far.
type seenOnDevice struct{ processors, cores int }

// mostProcessors bounds what a run needs to remember. The largest chips have about a thousand.
const mostProcessors = 4096

// processorPlace is a processor, or with an empty name a core.
type processorPlace struct {
	device, x, y int64
	risc         string
}

func newRunBuilder() *runBuilder {
	return &runBuilder{runs: map[runKey][]*runState{}, processors: map[processorPlace]*processor{},
		cores: map[processorPlace]int{}, perDevice: map[int64]*seenOnDevice{}}
}

// add takes one time stamp in. Those that are no end of a firmware or kernel zone say nothing about a run's length.
func (b *runBuilder) add(m *timeStamp) error {
	if m.cycles < 0 || m.cycles > mostCycles {
		return fmt.Errorf("column %q: %d is no time", cyclesColumn, m.cycles)
	}
	m.key.device = m.place.device
	start := m.kind == "ZONE_START"
	if !start && m.kind != "ZONE_END" {
		return nil
	}
	firmware := strings.HasSuffix(m.zone, "-FW")
	if !firmware && !strings.HasSuffix(m.zone, "-KERNEL") {
		return nil
	}
	p, err := b.processor(m.place)
	if err != nil {
		return err
	}
	switch {
	case firmware && start:
		b.abandon(p)
		p.key, p.run, p.start, p.kernelStart = m.key, b.runFor(p, m.key), m.cycles, -1
	case p.run == nil || p.key != m.key || m.cycles < p.start:
		b.latest(p, m.key).Unpaired++
	case firmware:
		r := p.run
		if p.kernelStart >= 0 {
			r.Unpaired++
		}
		if !r.ended || p.start < r.StartCycle {
			r.StartCycle = p.start
		}
		r.EndCycle, r.ended = max(r.EndCycle, m.cycles), true
		p.run = nil
	case start:
		p.kernelStart = m.cycles
	case p.kernelStart < 0 || m.cycles < p.kernelStart:
		p.run.Unpaired++
	default:
		r := p.run
		if r.kernelEnd == 0 || p.kernelStart < r.kernelStart {
			r.kernelStart = p.kernelStart
		}
		r.kernelEnd = max(r.kernelEnd, m.cycles)
		p.kernelStart = -1
	}
	return nil
}

func (b *runBuilder) processor(at processorPlace) (*processor, error) {
	if p := b.processors[at]; p != nil {
		return p, nil
	}
	seen := b.perDevice[at.device]
	if seen == nil {
		seen = new(seenOnDevice)
		b.perDevice[at.device] = seen
	}
	if seen.processors == mostProcessors {
		return nil, fmt.Errorf("device %d has more than %d processors by the columns of this file, which is "+
			"damaged; record again", at.device, mostProcessors)
	}
	core := at
	core.risc = ""
	number, known := b.cores[core]
	if !known {
		number = seen.cores
		b.cores[core] = number
		seen.cores++
	}
	p := &processor{index: seen.processors, core: number, ethernet: strings.HasPrefix(at.risc, "ERISC"),
		kernelStart: -1}
	seen.processors++
	b.processors[at] = p
	return p, nil
}

// latest is the run under this key that the processor was part of last, else one that it becomes part of.
func (b *runBuilder) latest(p *processor, key runKey) *runState {
	list := b.runs[key]
	if len(list) == 0 || !list[0].processors.has(p.index) {
		return b.runFor(p, key)
	}
	return list[p.repeats[key]]
}

// runFor is the run under this key that the processor has not been part of. The device may run an op several times
// under one number.
func (b *runBuilder) runFor(p *processor, key runKey) *runState {
	list := b.runs[key]
	nth := 0
	if len(list) > 0 && list[0].processors.has(p.index) {
		if p.repeats == nil {
			p.repeats = map[runKey]int{}
		}
		nth = p.repeats[key] + 1
		p.repeats[key] = nth
	}
	if nth >= len(list) {
		r := &runState{DeviceRun: DeviceRun{Device: key.device, Call: key.call, TraceID: key.trace,
			TraceCounter: key.counter}}
		list = append(list, r)
		b.runs[key], b.order = list, append(b.order, r)
		nth = len(list) - 1
	}
	list[nth].processors.add(p.index)
	if !p.ethernet {
		list[nth].cores.add(p.core)
	}
	return list[nth]
}

// abandon gives a zone up that does not end.
func (b *runBuilder) abandon(p *processor) {
	if p.run != nil {
		p.run.Unpaired++
		p.run = nil
	}
}

// finish returns the runs. Those under the number 0 belong to no op and are left out, unless the device has run nothing
// else: programs without an op library number nothing.
func (b *runBuilder) finish() []DeviceRun {
	for _, p := range b.processors {
		b.abandon(p)
	}
	numbered := false
	for _, r := range b.order {
		numbered = numbered || r.Call != 0
	}
	runs := make([]DeviceRun, 0, len(b.order))
	for _, r := range b.order {
		if numbered && r.Call == 0 {
			continue
		}
		r.Cores = int64(r.cores.size())
		r.KernelCycles = r.kernelEnd - r.kernelStart
		runs = append(runs, r.DeviceRun)
	}
	return runs
}

// numberSet is a set of small numbers.
type numberSet []uint64

func (s numberSet) has(i int) bool { return i/64 < len(s) && s[i/64]&(1<<(i%64)) != 0 }

func (s *numberSet) add(i int) {
	for len(*s) <= i/64 {
		*s = append(*s, 0)
	}
	(*s)[i/64] |= 1 << (i % 64)
}

func (s numberSet) size() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}
