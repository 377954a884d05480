package halide

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"zonemark/executor"
	"zonemark/executor/arguments"
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
		Notes: slices.Clone(b.notes), Parameters: b.measured,
		Properties: map[string]string{"target": own.metadata.Target, "threads": strconv.Itoa(threads)},
	}
	request := arguments.Request{
		Least: setBytes, Seed: inv.Measure.Seed, Layout: arguments.Layout(inv.Measure, 0),
	}
	request.Layout.Shared = shared
	var sets *argumentSets
	var foreign *library // of the reference alone
	if v := inv.Verify; v.Reference != "" || len(v.Expected) > 0 {
		request.Copies = 2
		var check *arguments.Check
		if check, foreign, err = p.check(own, b, inv, func() *argumentSets { return sets }); err != nil {
			return nil, err
		}
		check.Note = func(text string) { call.Notes = append(call.Notes, text) }
		call.Verify, call.VerifyAgain = check.First, check.Again
	}
	if sets, err = newSets(b, request); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: pipeline %s: %w", p.path, inv.Function, err), foreign.close())
	}
	call.Close = func() {
		sets.Free()
		_ = foreign.close() // whose results have been compared
	}
	call.Move = sets.Mover(shared)
	call.SetBytes, call.Places = sets.Bytes(), sets.Places()
	if call.Work, err = own.enter(sets); err != nil {
		call.Close()
		return nil, err
	}
	if threads > 1 {
		waitForPool(call.Work)
	}
	call.Notes = append(call.Notes, arguments.NoteFewer(sets, setBytes)...)
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

// enter returns calls of the pipeline with sets of arguments: a *Native, or a *Function on systems without the latch.
func (p *pipeline) enter(s *argumentSets) (executor.Workload, error) {
	entry := native.LatchEntry()
	if entry == 0 { // this system has no timing loop that notices errors
		next := 0
		return &executor.Function{Invoke: func() error {
			k := next
			next = (next + 1) % s.Count()
			return p.call(s, k)
		}}, nil
	}
	status := new(uint64) // Failed keeps it alive
	failure := func() error {
		failed := *status
		*status = 0
		if failed == 0 {
			return nil
		}
		if err := p.failure(int32(failed)); err != nil {
			return fmt.Errorf("%s: %w", p.path, err)
		}
		return fmt.Errorf("%s: %s leaves something in the upper half of the register of its result, so that errors "+
			"cannot be told from success; build it with Halide 14 to 21", p.path, p.metadata.Name)
	}
	frames, err := s.frames(p.entry, status)
	return &executor.Native{
		Entry: entry, Frames: frames, Lines: s.Lines(), Failed: failure, Changed: s.Changed(nil),
	}, err
}

// waitForPool makes the workload one that waits for other threads, if it starts some: Halide's runtime starts its threads
// when a pipeline first has work for them. A pipeline without such work runs on the calling thread alone, whatever the
// number of threads.
func waitForPool(w executor.Workload) {
	if f, ok := w.(*executor.Function); ok {
		f.Waits = true
		return
	}
	work := w.(*executor.Native)
	before := len(platform.Threads(nil))
	if before == 0 { // the system does not tell
		work.Waits = true
		return
	}
	failed, looked := work.Failed, false
	work.Failed = func() error {
		if !looked {
			looked, work.Waits = true, len(platform.Threads(nil)) > before
		}
		return failed()
	}
}
