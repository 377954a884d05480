// Package dispatchmode measures single dispatches of a module: it loads the executable libraries inside the module, and
// calls their exports through their own ABI, on buffers of its own.
//
// Its border: it runs no runtime of IREE's and knows no installation, no device and no option. What needs IREE is
// handed to it: a Tool, by which a Recorder finds out how a module calls its dispatches, and a Whole, which calls a
// whole function to compare with.
package dispatchmode

import (
	"errors"
	"fmt"
	"runtime"

	"zonemark/executor"
	"zonemark/executor/arguments"
	"zonemark/executor/iree/dispatchplan"
	"zonemark/executor/iree/executable"
	"zonemark/executor/iree/tensor"
	"zonemark/executor/iree/vmfb"
	"zonemark/invocations"
)

// Supported returns an error if the system's loader cannot load the libraries of modules, which are ELF files.
// Nothing else is needed.
func Supported() error {
	if runtime.GOOS == "darwin" {
		return fmt.Errorf("the dispatch libraries inside modules are ELF files, which the loader of %s does not "+
			"take; run whole modules instead", runtime.GOOS)
	}
	return nil
}

// Whole calls a function of the module once under a runtime, on the first set of the invocation's inputs. why says why
// that was not possible; it is empty if there are results.
type Whole func(inv *invocations.Invocation) (results []tensor.Tensor, why string)

// Program is a module whose dispatches are called alone. It implements executor.Program.
type Program struct {
	path      string // of the artifact
	module    *vmfb.Module
	plan      *dispatchplan.Plan
	data      string                      // path of the data of the plan
	libraries map[int]*executable.Library // that are loaded, by their positions in the module
	whole     Whole
}

// Load opens the module at file, which is that of the artifact, with the plan that the artifact was built to, if it
// was. A library is loaded when one of its dispatches is prepared.
func Load(artifact invocations.Artifact, file string, m *vmfb.Module, whole Whole) (*Program, error) {
	p := &Program{
		path: artifact.Path, module: m, plan: &dispatchplan.Plan{},
		libraries: map[int]*executable.Library{}, whole: whole,
	}
	if !dispatchplan.Is(artifact.Built) {
		return p, nil
	}
	hash, err := modulesHash(m, file)
	if err == nil {
		p.plan, err = matchingPlan(artifact.Built, hash)
	}
	if err == nil {
		p.data = p.plan.DataPath(artifact.Built)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", artifact.Path, err)
	}
	return p, nil
}

// Close unloads the libraries.
func (p *Program) Close() error {
	var errs []error
	for _, l := range p.libraries {
		errs = append(errs, l.Close())
	}
	p.libraries = nil
	return errors.Join(errs...)
}

// Prepare makes as many sets of buffers as take setBytes together. The timing loop calls every workgroup of the
// dispatch with one set, then with the next.
func (p *Program) Prepare(inv *invocations.Invocation, setBytes int64) (*executor.Call, error) {
	sets, err := arguments.NewTurns(setBytes, inv.Measure.Seed, func(set int) (*bound, int64, error) {
		b, err := p.bind(inv, set)
		if err != nil {
			return nil, 0, err
		}
		return b, b.size, nil
	}, (*bound).close)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.path, err)
	}
	first := sets.All()[0]
	call := &executor.Call{SetBytes: sets.Bytes(), Close: sets.Close, Notes: arguments.NoteFewer(sets, setBytes)}
	call.Work = workload(sets.All())
	call.Verify = func(phase func(string)) (string, error) {
		return first.check(inv, phase, func(text string) { call.Notes = append(call.Notes, text) })
	}
	return call, nil
}

// workload returns the calls of a dispatch with sets of buffers, one after the other.
func workload(sets []*bound) *executor.Native {
	first := sets[0]
	work := &executor.Native{
		Entry: first.call.Entry, Lines: first.ranges, CallsPerInvocation: int64(len(first.call.Frames)),
		FlushDenormals: true, // as IREE's local devices do (iree_fpu_state_push)
	}
	for _, b := range sets {
		work.Frames = append(work.Frames, b.call.Frames...)
	}
	return work
}
