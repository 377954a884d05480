package halide

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unsafe"

	"zonemark/executor"
	"zonemark/executor/dl"
	"zonemark/executor/native"
	"zonemark/executor/platform"
	"zonemark/invocations"
)

// Prepare finds the sizes of all buffers, allocates and fills them. Parameters choose the values of scalars and the
// extents of buffers, and go before contents and shapes.
func (p *program) Prepare(inv *invocations.Invocation, setBytes int64) (*executor.Call, error) {
	return p.PrepareIn(inv, setBytes, platform.Shared{})
}

// PrepareIn implements executor.Placer.
func (p *program) PrepareIn(
	inv *invocations.Invocation, setBytes int64, shared platform.Shared,
) (*executor.Call, error) {
	own, err := p.pipeline(inv.Function)
	if err != nil {
		return nil, err
	}
	threads := p.options.threadsFor(inv.Measure)
	p.setThreads(threads)
	b, err := own.bind(inv)
	if err != nil {
		return nil, err
	}
	call := &executor.Call{
		Notes:      slices.Clone(b.notes),
		Properties: map[string]string{"target": own.metadata.Target, "threads": strconv.Itoa(threads)},
	}
	reserve := int64(0)
	var checked *check
	if v := inv.Verify; v.Reference != "" || len(v.Expected) > 0 {
		reserve = 2
		if checked, err = p.check(own, b, inv); err != nil {
			return nil, err
		}
		call.Verify = checked.run
	}
	layout := executor.Layout(inv.Measure, 0)
	layout.Shared = shared
	sets, err := newSets(b, setBytes, reserve, inv.Measure.Seed, layout)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: pipeline %s: %w", p.path, inv.Function, err), checked.close())
	}
	call.Close = func() {
		sets.free()
		_ = checked.close() // the library of the reference, whose results have been compared
	}
	if shared.Exchange != nil {
		call.Move = func(to platform.Shared) error { return sets.move(to, inv.Measure.Seed) }
	}
	own.enter(call, sets, inv.Measure.Seed)
	if threads > 1 {
		waitForPool(call)
	}
	if call.SetBytes < setBytes {
		call.Notes = append(call.Notes,
			fmt.Sprintf("%d argument sets take %d bytes together, fewer than the %d asked for",
				sets.count, call.SetBytes, setBytes))
	}
	if p.runtime.setErrorHandler == 0 {
		call.Notes = append(call.Notes, "the library exports no halide_set_error_handler: an error of the pipeline "+
			"ends the process")
	}
	if err := p.withProfile(call, own, inv); err != nil {
		call.Close()
		return nil, err
	}
	return call, nil
}

// setThreads chooses the number of threads of pipelines, in both libraries.
func (p *program) setThreads(n int) {
	for _, l := range []*library{p.library, p.profile} {
		if l != nil && l.runtime.setNumThreads != 0 {
			dl.Call(l.runtime.setNumThreads, uintptr(n))
		}
	}
}

// enter makes the call one of the pipeline with sets of arguments.
func (p *pipeline) enter(call *executor.Call, s *argumentSets, seed uint64) {
	call.SetBytes = s.setBytes * int64(s.count)
	call.Lines = []native.Range{{Addr: uintptr(unsafe.Pointer(&s.set(0)[0])), Len: uintptr(s.setBytes)}}
	entry := native.LatchEntry()
	if entry == 0 { // this system has no timing loop that notices errors
		next := 0
		call.Invoke = func() error {
			k := next
			next = (next + 1) % s.count
			return p.call(s, k)
		}
		return
	}
	call.Entry, call.Frames = entry, s.frames(p.entry, seed)
	call.Failed = func() error {
		status := *s.status()
		if status == 0 {
			return nil
		}
		*s.status() = 0
		if err := p.failure(int32(status)); err != nil {
			return fmt.Errorf("%s: %w", p.path, err)
		}
		return fmt.Errorf("%s: %s leaves something in the upper half of the register of its result, so that errors "+
			"cannot be told from success; build it with Halide 14 to 21", p.path, p.metadata.Name)
	}
}

// waitForPool makes the call one that waits for other threads, if it starts some: Halide's runtime starts its threads
// when a pipeline first has work for them. A pipeline without such work runs on the calling thread alone, whatever the
// number of threads.
func waitForPool(call *executor.Call) {
	before := len(platform.Threads(nil))
	if call.Failed == nil || before == 0 { // the system does not tell
		call.Waits = true
		return
	}
	failed, looked := call.Failed, false
	call.Failed = func() error {
		if !looked {
			looked, call.Waits = true, len(platform.Threads(nil)) > before
		}
		return failed()
	}
}
