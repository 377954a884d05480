package iree

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"zonemark/executor"
	"zonemark/executor/iree/capi"
	"zonemark/executor/iree/halprofile"
	"zonemark/executor/iree/tally"
	"zonemark/executor/iree/tensor"
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

func (p capiProvider) open(file string, options map[string]string) (session, error) {
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
	d, err := library.OpenDevice(o)
	if err != nil {
		return nil, err
	}
	s, err := d.Load(file, parameters, moduleFiles(options)...)
	if err != nil {
		d.Close()
		if len(parameters) == 0 || !strings.Contains(err.Error(), parametersModule) {
			err = lacks(err)
		}
		return nil, outOfMemory(err)
	}
	return &capiSession{library, d, s}, nil
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

// capiSession is a module on a device of its own.
type capiSession struct {
	library *capi.Library
	device  *capi.Device
	session *capi.Session
}

// tracyClient returns nil: the library is built without a Tracy client.
func (s *capiSession) tracyClient() *tracy.Client { return nil }

func (s *capiSession) close() error {
	s.session.Close()
	s.device.Close()
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
func (b *capiCalls) profile(calls int64) (profile invocations.Profile, err error) {
	if calls < 1 {
		return profile, fmt.Errorf("profile of %d calls: there must be one", calls)
	}
	records := &halprofile.Records{}
	running, err := b.session.device.StartProfiling(capi.HostExecutionEvents|capi.ExecutableMetadata,
		func(c capi.Chunk) error {
			return records.Add(c.ContentType, c.Data, c.Dropped)
		})
	if err != nil {
		return profile, err
	}
	defer func() {
		if stopped := running.Stop(); err == nil && stopped != nil {
			err = stopped
		}
	}()
	p := &profiledCalls{bound: b, running: running, records: records}
	batch, err := p.batch()
	if err != nil {
		return profile, err
	}
	for calls > 0 {
		n := min(batch, calls)
		if err := p.run(n); err != nil {
			return profile, err
		}
		calls -= n
	}
	profile = p.tally.Profile(records.Name, records.Dropped)
	profile.Made, profile.Quiet = p.quiet.Made, p.quiet.Quiet
	return profile, nil
}

// profiledCalls makes batches of calls and takes the profiler's records after each batch.
type profiledCalls struct {
	bound   *capiCalls
	running *capi.Profiling
	records *halprofile.Records
	tally   tally.Tally
	begins  []int64   // start of each call of a batch, ns of the runtime's clock
	callNS  []float64 // duration of each call of a batch
	quiet   executor.QuietCalls
}

// tryCalls is the number of calls that find out how many records one call makes; emptyBatch is the batch of calls that
// make no records.
const (
	tryCalls   = 3
	emptyBatch = 512
)

// batch returns how many calls can be made before the device must hand over its records, of which it holds a limited
// number. It is half of what fits, since threads that end late may add some. To find out, it makes a few calls, which
// are not counted.
func (p *profiledCalls) batch() (int64, error) {
	most := 0
	for range tryCalls {
		if err := p.bound.invoke(); err != nil {
			return 0, err
		}
		if err := p.running.Flush(); err != nil {
			return 0, err
		}
		most = max(most, len(p.records.Events))
		p.records.Events = p.records.Events[:0]
	}
	if p.records.Dropped > 0 { // one call already makes too many
		p.records.Dropped = 0
		return 1, nil
	}
	if most == 0 {
		return emptyBatch, nil
	}
	return int64(max(1, capi.EventCapacity/2/most)), nil
}

// run makes calls, takes their records and adds them up.
func (p *profiledCalls) run(calls int64) error {
	p.begins, p.callNS = p.begins[:0], p.callNS[:0]
	p.quiet.Begin()
	for range calls {
		p.begins = append(p.begins, p.bound.session.library.NowNS())
		start := time.Now()
		err := p.bound.invoke()
		p.callNS = append(p.callNS, float64(time.Since(start)))
		if err != nil {
			return err
		}
		p.quiet.Next()
	}
	if err := p.running.Flush(); err != nil {
		return err
	}
	runs := tally.Runs(p.records.Events)
	p.records.Events = p.records.Events[:0]
	// Calls are made one after the other, and each waits for its dispatches. So a dispatch belongs to the last call
	// that began before it.
	byCall := make([][]tally.Run, calls)
	for _, r := range runs {
		if i := latest(p.begins, r.StartNS); i >= 0 {
			byCall[i] = append(byCall[i], r)
		}
	}
	for i, runs := range byCall {
		p.tally.Add(p.callNS[i], runs)
	}
	return nil
}

// latest returns the index of the last of the ascending times that is not after ns, or -1 if all are after it.
func latest(times []int64, ns int64) int {
	i, found := slices.BinarySearch(times, ns)
	if found {
		return i
	}
	return i - 1
}
