package modelbench

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"zonemark/driver/bench"
	"zonemark/driver/report"
	"zonemark/executor/pipelines"
	"zonemark/invocations"
	"zonemark/invocations/files"
)

// pipelinedName ends the name of the invocation that measures modules at work at the same time.
const pipelinedName = "pipelined"

// pipelined returns the request to measure the modules of an export as a pipeline, whose file lies with the export under a
// name by its contents, so that a journal knows it again. modules are the requests for them. It returns none if they cannot work at the same time, and notes why.
func (t *target) pipelined(x bench.Export, modules []invocations.Invocation) ([]invocations.Invocation, error) {
	handover, why := x.Handover()
	if handover != nil {
		why = t.backend.apart(t)
	}
	if why != "" {
		for _, one := range t.byRuntime() {
			one.record.Note("no pipelined time: %s", why)
		}
	}
	if handover == nil || why != "" {
		return nil, nil
	}
	device := slices.IndexFunc(x.Modules, func(m bench.Module) bool { return m.Role == bench.RoleDevice })
	inv := modules[device]
	inv.Name, inv.Arguments, inv.FLOP = path.Join(path.Dir(inv.Name), pipelinedName), nil, 0
	inv.Function = modules[len(modules)-1].Function
	inv.Measure = t.measure()
	inv.Measure.Iterations = 1 // of all samples
	inv.Verify = invocations.Verification{Expected: modules[len(modules)-1].Verify.Expected}
	file := pipelines.Pipeline{Samples: t.options.LoopCount}
	for i := range modules {
		m := &modules[i]
		stage := pipelines.Stage{
			Function: m.Function, From: handover[i], Options: differing(m.Artifact.Options, inv.Artifact.Options),
		}
		var err error
		if stage.Path, stage.Program, err = t.backend.program(m.Artifact.Path); err != nil {
			return nil, err
		}
		file.Stages = append(file.Stages, stage)
		for _, a := range m.Arguments {
			a.Name = strconv.Itoa(len(inv.Arguments))
			inv.Arguments = append(inv.Arguments, a)
		}
		inv.Verify.Tolerance += m.Verify.Tolerance
	}
	var err error
	inv.Artifact.Path, err = file.Keep(x.Folder)
	return []invocations.Invocation{inv}, err
}

// pluginsApart returns why the modules of a model cannot hand samples on between PJRT plugins; empty if they can.
func (t *target) pluginsApart() string {
	switch {
	case !t.transfers():
		return "inputs and results stay on the device beside another runtime, and parts hand samples on by way of the host"
	case t.options.Chips > 1:
		return fmt.Sprintf("the device's part runs on %d chips; --chips 1 has one", t.options.Chips)
	}
	return ""
}

// programItself returns a program as a stage of a pipeline holds it that is brought to other hosts.
func programItself(path string) (_ string, program []byte, err error) {
	program, err = files.Read(path)
	return "", program, err
}

// programFile returns a program as a stage of a pipeline holds it that is built here: it is built once for the stage and
// the module.
func programFile(path string) (string, []byte, error) { return path, nil, nil }

// differing returns the options in which some differ from others. The plugin of the others may be a path, which is another
// one on other hosts.
func differing(own, others map[string]string) map[string]string {
	list := map[string]string{}
	for _, options := range []map[string]string{own, others} {
		for key := range options {
			if own[key] != others[key] {
				list[key] = own[key]
			}
		}
	}
	return list
}

// pipelinedRow returns the text about the time of the modules at work at the same time, beside that of one after the other.
func pipelinedRow(r *bench.RunRecord) string {
	p := r.Zonemark.Pipelined
	if p.Error != "" {
		return "failed: " + report.Printable(p.Error)
	}
	text := fmt.Sprintf("%s  (%s … %s), %.3g of total_time, %s samples/s; %s at work at the same time", report.Time(p.TotalTime*1e9),
		report.Time(slices.Min(p.TotalTimes)*1e9), report.Time(slices.Max(p.TotalTimes)*1e9), p.Ratio, magnitude(p.SamplesPerSec),
		report.Printable(strings.Join(p.Parts, ", ")))
	for _, v := range p.Verdicts {
		text += ", " + string(v)
	}
	return text
}
