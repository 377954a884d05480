package iree

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"zonemark/executor"
	"zonemark/executor/iree/callprofile"
	"zonemark/executor/iree/capi"
	"zonemark/executor/iree/tensor"
	"zonemark/executor/pipelines"
	"zonemark/executor/tracy"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// capiProvider runs modules through IREE's C API.
type capiProvider struct {
	path string // of the shared library; empty: it is not installed
}

func (p capiProvider) name() string { return ProviderCAPI }

// unusable asks the library for its drivers. All builds have those for the CPU, so it is not loaded for them.
func (p capiProvider) unusable(driver string) error {
	if err := p.missing(); err != nil || onCPU(driver) {
		return err
	}
	library, err := capi.Open(p.path)
	if err != nil {
		return err
	}
	names, err := library.Drivers()
	if err != nil || slices.Contains(names, driver) {
		return err
	}
	return remedy.With(
		fmt.Errorf("%s is built without the driver %s, with %s; the wheels have more",
			p.path, driver, strings.Join(names, ", ")),
		remedy.Remedy{Kind: remedy.Choose, Name: OptionProvider, Value: ProviderPython})
}

func (p capiProvider) missing() error {
	if err := capi.Supported(); err != nil {
		return err
	}
	install := remedy.Remedy{Kind: remedy.Install, Name: "iree-capi"}
	if p.path == "" {
		return remedy.New("IREE's runtime library is not installed", install)
	}
	if _, err := os.Stat(p.path); errors.Is(err, fs.ErrNotExist) {
		return remedy.With(fmt.Errorf("IREE's runtime library %s is gone", p.path), install)
	} else if err != nil {
		return fmt.Errorf("IREE's runtime library: %w", err)
	}
	return nil
}

func (p capiProvider) open(file string, options map[string]string, beside ...session) (session, error) {
	if err := p.missing(); err != nil {
		return nil, err
	}
	o, err := deviceOptions(options)
	if err != nil {
		return nil, err
	}
	parameters, err := capiParameters(options)
	if err != nil {
		return nil, err
	}
	library, err := capi.Open(p.path)
	if err != nil {
		return nil, err
	}
	d, err := shareDevice(library, o, beside)
	if err != nil {
		return nil, err
	}
	s, err := d.Load(file, parameters, moduleFiles(options)...)
	if err != nil {
		d.release()
		if len(parameters) == 0 || !strings.Contains(err.Error(), parametersModule) {
			err = lacks(err)
		}
		return nil, outOfMemory(err)
	}
	return &capiSession{library, d, s}, nil
}

// capiDevice is a device that sessions share.
type capiDevice struct {
	*capi.Device
	options  capi.DeviceOptions
	sessions int
}

// shareDevice opens a device, unless one of the sessions has it.
func shareDevice(library *capi.Library, o capi.DeviceOptions, sessions []session) (*capiDevice, error) {
	for _, one := range sessions {
		if s, same := one.(*capiSession); same && s.device.options == o {
			s.device.sessions++
			return s.device, nil
		}
	}
	d, err := library.OpenDevice(o)
	return &capiDevice{d, o, 1}, err
}

// release closes a device that no session has any more.
func (d *capiDevice) release() {
	if d.sessions--; d.sessions == 0 {
		d.Close()
	}
}

// deviceOptions returns the device options that the options of an artifact ask for.
func deviceOptions(options map[string]string) (capi.DeviceOptions, error) {
	threads, err := taskThreads(options)
	return capi.DeviceOptions{Driver: device(options), TaskThreads: threads}, err
}

// capiParameters returns the parameter files, in the order of their scopes.
func capiParameters(options map[string]string) ([]capi.ParameterFile, error) {
	scopes, err := parameterFiles(options)
	if err != nil {
		return nil, err
	}
	var files []capi.ParameterFile
	for _, scope := range slices.Sorted(maps.Keys(scopes)) {
		for _, path := range scopes[scope] {
			files = append(files, capi.ParameterFile{Scope: scope, Path: path})
		}
	}
	return files, nil
}

// parametersModule is the name of the module that a module with parameters imports.
const parametersModule = "io_parameters"

// resourceExhausted is IREE_STATUS_RESOURCE_EXHAUSTED.
const resourceExhausted = 8

// outOfMemory marks an error of the runtime that means that memory did not suffice.
func outOfMemory(err error) error {
	var status *capi.StatusError
	if errors.As(err, &status) && status.Code == resourceExhausted {
		return &executor.MemoryError{Err: err}
	}
	return err
}

// capiSession is a module on a device.
type capiSession struct {
	library *capi.Library
	device  *capiDevice
	session *capi.Session
}

// tracyClient returns nil: the library is built without a Tracy client.
func (s *capiSession) tracyClient() *tracy.Client { return nil }

func (s *capiSession) close() error {
	s.session.Close()
	s.device.release()
	return nil
}

func (s *capiSession) bind(function string, inputs []tensor.Tensor) (*bound, error) {
	call, err := s.session.Call(function, inputs)
	if err != nil {
		return nil, outOfMemory(err)
	}
	c := &capiCalls{s, call}
	// The timing loop makes the calls. This avoids the way through Go, which is a tenth of a call that does little.
	d := &direct{frame: call.Frame(), lines: call.Lines(), failed: call.Failed}
	return &bound{calls: c, direct: d, profile: c.profile}, nil
}

// capiCalls are the calls of a function with its inputs.
type capiCalls struct {
	session *capiSession
	call    *capi.Call
}

func (b *capiCalls) invoke() error { return b.call.Invoke() }

func (b *capiCalls) outputs() ([]tensor.Tensor, error) {
	t, err := b.call.Outputs()
	return t, outOfMemory(err)
}

func (b *capiCalls) close() { b.call.Close() }

// profile makes calls under the profiler of the device.
func (b *capiCalls) profile(calls int64) (invocations.Profile, error) {
	return callprofile.Of(b.session.library, b.session.device.Device, b.invoke, calls)
}

// capiStage is a function at work in a pipeline.
type capiStage struct {
	*capiCalls
	before *capiCalls
	moves  []move
}

// Take makes results of the function before the inputs.
func (s *capiStage) Take() error {
	for _, m := range s.moves {
		if err := s.call.Take(m.Input, s.before.call, m.Result); err != nil {
			return outOfMemory(err)
		}
	}
	return nil
}

// Invoke calls the function.
func (s *capiStage) Invoke() error { return s.invoke() }

// capiChain are calls that send samples through several functions. Those of the last one are its own.
type capiChain struct {
	*capiCalls
	samples int64
	stages  []pipelines.Worker
}

func (c *capiChain) invoke() error { return pipelines.Run(c.samples, c.stages) }

// close does nothing: whoever has bound the functions closes them.
func (c *capiChain) close() {}

func (p capiProvider) chain(samples int64, stages []*bound, moves [][]move) (*bound, error) {
	c := &capiChain{samples: samples}
	for i, one := range stages {
		s := &capiStage{capiCalls: one.calls.(*capiCalls), before: c.capiCalls, moves: moves[i]}
		c.stages, c.capiCalls = append(c.stages, s), s.capiCalls
	}
	return &bound{calls: c}, nil
}
