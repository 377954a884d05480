package tt

import (
	"fmt"
	"strings"

	"zonemark/executor"
	"zonemark/executor/arguments"
	"zonemark/executor/tt/pjrt"
	"zonemark/executor/tt/stablehlo"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// Prepare fills as many sets of inputs as take setBytes together and pushes them to the devices. Every device has
// inputs of its own.
func (p *program) Prepare(inv *invocations.Invocation, setBytes int64) (*executor.Call, error) {
	if inv.Function != stablehlo.Entry {
		return nil, fmt.Errorf("%s: a StableHLO program is run by its function %s, not %q",
			p.path, stablehlo.Entry, inv.Function)
	}
	if inv.Verify.Reference != "" {
		return nil, remedy.With(
			fmt.Errorf("%s: it has one function and so no reference %q", p.path, inv.Verify.Reference),
			remedy.Remedy{Kind: remedy.Expected})
	}
	sets, err := p.prepareSets(inv, setBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.path, err)
	}
	call := &executor.Call{
		Work: &executor.Function{
			Invoke:   func() error { return sets.Next().invoke() },
			OnThread: executor.OnThread{Waits: true},
		},
		SetBytes:   sets.Bytes(),
		Close:      sets.Close,
		Notes:      append(p.notes(), arguments.NoteFewer(sets, setBytes)...),
		Properties: p.properties(),
	}
	call.FLOP, call.Bytes = p.cost()
	sets.All()[0].withProfile(call, inv.Measure)
	if err := direct(call, sets.All(), inv.Measure.Mode); err != nil {
		sets.Close()
		return nil, fmt.Errorf("%s: %w", p.path, err)
	}
	call.Verify = func(phase func(string)) (string, error) {
		phase("verify")
		return p.verify(sets.All()[0], inv, func(text string) { call.Notes = append(call.Notes, text) })
	}
	return call, nil
}

// notes returns what a reader of any result of the program should know: what ran it, what a call is, how long compiling
// took and the plugin's estimate of the cost of a call.
func (p *program) notes() []string {
	name, _ := p.client.Platform()
	kind := p.devices[0].Kind
	if kind == "" {
		kind = "unknown"
	}
	notes := []string{fmt.Sprintf("%s, platform %s, %d of %d devices (%s), %s",
		p.client.Plugin(), name, len(p.devices), len(p.client.Devices()), kind, p.how.text())}
	if p.signature.partitions > 1 {
		partitioner := "GSPMD"
		if p.signature.shardy {
			partitioner = "Shardy"
		}
		notes = append(notes, fmt.Sprintf("the program is split over %d devices (SPMD, partitioner %s); a call ends on "+
			"the last of them", p.signature.partitions, partitioner))
	}
	if p.how.note != "" {
		notes = append(notes, p.how.note)
	}
	if p.options.transfers {
		text := "a call pushes its inputs to the device and fetches its results"
		if p.options.resident > 0 {
			text += fmt.Sprintf("; the first %d inputs stay on the device", p.options.resident)
		}
		notes = append(notes, text)
	} else {
		notes = append(notes, "a call is an execution up to its completion; inputs stay on the device")
		var donated []string
		for _, v := range p.signature.arguments {
			if v.donated {
				donated = append(donated, v.name)
			}
		}
		if len(donated) > 0 {
			notes = append(notes,
				fmt.Sprintf("the program lets results take over the memory of %s; it is kept for the next call "+
					"instead, which can cost a copy", strings.Join(donated, ", ")))
		}
	}
	flop, bytes := p.cost()
	var known []string
	if flop > 0 {
		known = append(known, fmt.Sprintf("%.6g FLOP", flop))
	}
	if bytes > 0 {
		known = append(known, fmt.Sprintf("%.6g bytes accessed", bytes))
	}
	if len(known) > 0 {
		notes = append(notes, "cost of a call by the plugin's analysis: "+strings.Join(known, ", "))
	}
	return notes
}

// cost returns what a call computes and moves on all its devices, by the plugin's analysis. Returns 0 for what the
// analysis does not state.
func (p *program) cost() (flop, bytes float64) {
	cost := p.executable.Cost()
	devices := float64(len(p.devices))
	return max(0, cost["flops"]) * devices, max(0, cost["bytes accessed"]) * devices
}

// prepareSets adds sets until they take enough bytes.
func (p *program) prepareSets(inv *invocations.Invocation, setBytes int64) (*arguments.Turns[*argumentSet], error) {
	sets, err := arguments.NewTurns(setBytes, inv.Measure.Seed, func(set int) (*argumentSet, int64, error) {
		return p.prepareSet(inv, set)
	}, (*argumentSet).close)
	return sets, outOfMemory(err)
}

// argumentSet is the program with one set of inputs.
type argumentSet struct {
	program   *program
	execution *pjrt.Execution
	inputs    [][]byte         // on the host, of the first device; nil for those that stay on the device
	uploads   [][]*pjrt.Upload // of each device
	arguments [][]pjrt.Buffer  // of each device
	pushing   bool             // whether every call pushes and fetches
	resident  int              // leading inputs that are pushed once, if pushing is set
	downloads [][]*pjrt.Download
	results   [][]tensor // of each device; downloads fill them
}

// close frees everything on the devices. Errors are ignored, because the plugin frees everything with its client.
func (s *argumentSet) close() {
	_ = s.execution.FreeOutputs()
	_ = s.execution.FreeArguments(0)
}

func (p *program) prepareSet(inv *invocations.Invocation, set int) (_ *argumentSet, bytes int64, err error) {
	s := &argumentSet{program: p, pushing: p.options.transfers}
	count := len(p.signature.arguments)
	if s.pushing {
		s.resident = p.options.resident
	}
	if s.resident > count {
		return nil, 0, fmt.Errorf("option %s=%d: the program takes %d inputs", optionResident, s.resident, count)
	}
	var whole []tensor // of a program that is split over the devices
	if p.signature.partitions > 1 {
		if whole, err = p.inputs(inv, set, share{0, 1}); err != nil {
			return nil, 0, err
		}
	}
	for d, device := range p.devices {
		inputs, err := p.deviceInputs(inv, whole, set, d)
		if err != nil {
			return nil, 0, err
		}
		var uploads []*pjrt.Upload
		for i := range inputs {
			u, err := p.client.NewUpload(inputs[i].data, inputs[i].pluginShape(), device)
			if err != nil {
				return nil, 0, err
			}
			uploads = append(uploads, u)
			if d == 0 {
				s.inputs = append(s.inputs, inputs[i].data)
			}
			bytes += int64(len(inputs[i].data))
		}
		s.uploads = append(s.uploads, uploads)
		s.arguments = append(s.arguments, make([]pjrt.Buffer, len(uploads)))
	}
	stay := count // inputs that stay on the device
	if s.pushing {
		stay = s.resident
	}
	if s.execution, err = p.executable.NewExecution(s.arguments, stay); err != nil || stay == 0 {
		return s, bytes, err
	}
	if err := s.push(0, stay); err != nil {
		_ = s.execution.FreeArguments(0)
		return nil, 0, err
	}
	for device := range s.uploads { // inputs that stay on the devices are not needed on the host
		clear(s.uploads[device][:stay])
	}
	clear(s.inputs[:stay])
	return s, bytes, nil
}

// push pushes the inputs with positions from (inclusive) to to (exclusive) to the devices.
func (s *argumentSet) push(from, to int) error {
	var failed error
	for device, uploads := range s.uploads {
		for i := from; i < to; i++ {
			s.arguments[device][i] = pjrt.Buffer{}
			if failed == nil {
				s.arguments[device][i], failed = uploads[i].Push()
			}
		}
	}
	s.execution.SetArguments(s.arguments)
	return failed
}

// invoke makes one call. This is what is timed.
func (s *argumentSet) invoke() error {
	if !s.pushing {
		return s.execution.Run()
	}
	err := s.push(s.resident, len(s.uploads[0]))
	if err == nil {
		err = s.execution.Run()
	}
	if err == nil {
		err = s.fetch()
	}
	if freed := s.execution.FreeArguments(s.resident); err == nil {
		err = freed
	}
	return err
}

// fetch copies the results of the last run to the host. The copies of all results and devices may overlap.
func (s *argumentSet) fetch() error {
	if s.downloads == nil {
		if err := s.prepareDownloads(); err != nil {
			return err
		}
	}
	var failed error
	started := 0
	for device, downloads := range s.downloads {
		for i, d := range downloads {
			if failed == nil {
				if failed = d.Start(s.execution.Output(device, i)); failed == nil {
					started++
				}
			}
		}
	}
	for _, downloads := range s.downloads {
		for _, d := range downloads {
			if started--; started < 0 {
				return failed
			}
			if err := d.Wait(); failed == nil {
				failed = err
			}
		}
	}
	return failed
}

// prepareDownloads allocates memory for results of the sizes that the last run produced.
func (s *argumentSet) prepareDownloads() error {
	p := s.program
	for device := range p.devices {
		var downloads []*pjrt.Download
		var results []tensor
		for i, v := range p.signature.results {
			v = v.onDevice()
			size, err := p.client.HostBytes(s.execution.Output(device, i))
			if err != nil {
				return fmt.Errorf("%s: %w", v.name, err)
			}
			if shape, ok := v.declaredShape(); ok {
				if want, _ := shape.Bytes(); size != want {
					return fmt.Errorf("%s: the plugin gives %d bytes for %s", v.name, size, shape)
				}
			}
			t := tensor{element: v.element, shape: v.argument(invocations.Output).Shape}
			if t.data, err = arguments.Bytes(v.name, size); err != nil {
				return err
			}
			d, err := p.client.NewDownload(t.data)
			if err != nil {
				return err
			}
			downloads, results = append(downloads, d), append(results, t)
		}
		s.downloads, s.results = append(s.downloads, downloads), append(s.results, results)
	}
	return nil
}
