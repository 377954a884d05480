package peaks

import (
	"unsafe"

	"zonemark/executor"
	"zonemark/executor/native"
	"zonemark/executor/platform"
	"zonemark/invocations"
)

// How much a call does: on one CPU little, since the loop makes many of them; on several so much that starting threads
// takes a small part of it.
const (
	oneRounds = 2_000
	allRounds = 400_000
	oneBytes  = 1 << 20
	allBytes  = 64 << 20 // for each CPU
)

// prepare allocates the memory of each CPU.
func (c Case) prepare(m invocations.Measure) (*executor.Call, error) {
	rounds, least := int64(oneRounds), int64(oneBytes)
	if c.CPUs > 1 {
		rounds, least = allRounds, allBytes
	}
	call := &executor.Call{}
	work := job{entry: c.kernel.entry, rounds: uintptr(rounds)}
	var memory regions
	if c.Moves() {
		rounds = max(1, least/c.bytes)
		work.rounds, work.bytes = uintptr(rounds), uintptr(c.bytes)
		if c.What == Copy {
			work.bytes /= 2
		}
		call.Bytes = float64(rounds) * float64(c.bytes) * float64(c.CPUs)
		if err := memory.allocate(c.CPUs, c.bytes, m); err != nil {
			return nil, err
		}
	} else {
		call.FLOP = float64(rounds) * c.kernel.perRound * float64(c.CPUs)
	}
	call.SetBytes = c.bytes * int64(c.CPUs)
	if c.CPUs == 1 {
		work = work.in(memory, 0)
		var f native.Frame
		for _, v := range []uintptr{work.rounds, work.from, work.to, work.bytes} {
			f.Int(uint64(v))
		}
		call.Work = &executor.Native{Entry: work.entry, Frames: []native.Frame{f}}
		call.Close = memory.free
		return call, nil
	}
	var jobs []job
	for i := range c.CPUs {
		jobs = append(jobs, work.in(memory, i))
	}
	crew := newCrew(jobs, platform.AllowedCPUs())
	if crew.loose != nil {
		call.Notes = append(call.Notes, "threads were not bound to CPUs: "+crew.loose.Error())
	}
	call.Work = &executor.Function{Invoke: crew.work, OnThread: executor.OnThread{Waits: true}}
	call.Close = func() {
		crew.close()
		memory.free()
	}
	return call, nil
}

// regions is the memory of each CPU.
type regions struct {
	list [][]byte
	done []func() error
}

func (r *regions) allocate(n int, bytes int64, m invocations.Measure) error {
	for range n {
		b, free, err := platform.AllocLayout(int(bytes), platform.Layout{
			PageOffset: int(m.PageOffset), HugePages: true,
		})
		if err != nil {
			r.free()
			return &executor.MemoryError{Err: err}
		}
		r.list, r.done = append(r.list, b), append(r.done, free)
	}
	return nil
}

func (r *regions) free() {
	for _, free := range r.done {
		_ = free() // memory of our own
	}
	r.list, r.done = nil, nil
}

// in returns the job on the memory of a CPU.
func (j job) in(r regions, i int) job {
	if i < len(r.list) {
		j.from = uintptr(unsafe.Pointer(unsafe.SliceData(r.list[i])))
		j.to = j.from + j.bytes
	}
	return j
}
