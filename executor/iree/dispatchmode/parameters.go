package dispatchmode

import (
	"fmt"
	"strconv"
	"strings"

	"zonemark/executor/iree/dispatchplan"
)

// The parameters of a dispatch. Numbers within one value are separated by "x" or ":", since commas separate the points
// of a sweep.
const (
	parameterWorkgroups = "workgroups" // 16x1x1
	parameterBindings   = "bindings"   // sizes in bytes, 65536:524288:32768
	parameterConstants  = "constants"  // 32-bit words, 1:2:3
)

// dispatchCall says how a dispatch is to be called.
type dispatchCall struct {
	call       dispatchplan.Step
	buffers    []dispatchplan.Buffer
	inputs     []string                 // types of the function's inputs
	setup      []dispatchplan.Operation // what the module does when it is loaded
	before     []dispatchplan.Step
	recorded   bool   // the user asked for nothing but the plan
	incomplete string // why the plan of the function is incomplete; empty if it is complete
}

// maxBufferBytes limits a buffer that a user asks for.
const maxBufferBytes = 1 << 40

// dispatchCallFrom takes the parameters that the user gives and, for the others, those that were recorded.
func dispatchCallFrom(parameters map[string]string, v *variant) (*dispatchCall, error) {
	how := &dispatchCall{call: dispatchplan.Step{Library: v.library, Ordinal: v.export}}
	if v.function != nil {
		how.call = v.function.Dispatches[v.position]
		how.buffers, how.inputs, how.setup = v.function.Buffers, v.function.Inputs, v.function.Setup
		if how.incomplete = v.function.Incomplete; how.incomplete == "" {
			how.before = v.function.Dispatches[:v.position]
		}
	}
	workgroups := parameters[parameterWorkgroups]
	bindings := parameters[parameterBindings]
	constants := parameters[parameterConstants]
	how.recorded = v.function != nil && workgroups == "" && bindings == "" && constants == ""
	if v.function == nil && (workgroups == "" || bindings == "" && v.dispatch.Bindings > 0) {
		return nil, v.unrecordedError()
	}
	if workgroups != "" {
		list, err := numbers(parameterWorkgroups, workgroups, "x", 32)
		if err != nil {
			return nil, err
		}
		if len(list) > 3 {
			return nil, fmt.Errorf("parameter %s=%s: want one to three numbers, as in 16x1x1",
				parameterWorkgroups, workgroups)
		}
		how.call.Workgroups = [3]uint32{1, 1, 1}
		for i, n := range list {
			how.call.Workgroups[i] = uint32(n)
		}
	}
	if constants != "" {
		list, err := numbers(parameterConstants, constants, ":", 32)
		if err != nil {
			return nil, err
		}
		how.call.Constants = nil
		for _, n := range list {
			how.call.Constants = append(how.call.Constants, uint32(n))
		}
	}
	if bindings == "" {
		return how, nil
	}
	list, err := numbers(parameterBindings, bindings, ":", 64)
	if err != nil {
		return nil, err
	}
	how.buffers, how.inputs, how.setup, how.before = nil, nil, nil, nil
	how.call.Bindings, how.call.Before = nil, nil
	for i, n := range list {
		if n > maxBufferBytes {
			return nil, fmt.Errorf("parameter %s=%s: %d bytes are beyond any memory", parameterBindings, bindings, n)
		}
		how.buffers = append(how.buffers, dispatchplan.Buffer{Bytes: int64(n)})
		how.call.Bindings = append(how.call.Bindings, dispatchplan.Range{Buffer: i, Bytes: int64(n)})
	}
	return how, nil
}

// numbers reads unsigned numbers between separators.
func numbers(name, text, separator string, bits int) ([]uint64, error) {
	var list []uint64
	for field := range strings.SplitSeq(text, separator) {
		n, err := strconv.ParseUint(strings.TrimSpace(field), 0, bits)
		if err != nil {
			return nil, fmt.Errorf("parameter %s=%s: %q is not an unsigned number of %d bits; separate several by %q",
				name, text, field, bits, separator)
		}
		list = append(list, n)
	}
	return list, nil
}
