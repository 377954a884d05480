package params

import (
	"fmt"
	"slices"

	"zonemark/invocations/spelling"
)

// knownOperations are those of the published parameter files, version 3 (tt-budabackend, perf_lib/op_model/params). The
// model that reads the files asks for no others.
var knownOperations = []string{
	"abs", "add", "cosine", "depthwise", "dequantization", "dropout", "exp", "gelu", "gelu_derivative", "log", "lrelu",
	"matmul", "matmul_sparse", "maximum", "multiply", "nop", "power", "quantization", "reciprocal", "reduce", "reduce_z",
	"requantization", "sigmoid", "sine", "splice", "sqrt", "square", "subtract", "tanh",
}

// Unusual returns what Budabackend's model, which reads such files, does with parts of this one without a word: it does
// not ask for operations that it does not know, and an operation whose attributes no set has gets no weights.
func (f *File) Unusual() (list []string) {
	for i := range f.Operations {
		o := &f.Operations[i]
		if !slices.Contains(knownOperations, o.Name) {
			list = append(list, fmt.Sprintf("%s: operation %s: Budabackend's model has no such operation%s", f.Name, o.Name,
				spelling.Suggest(o.Name, knownOperations)))
		}
		if !slices.ContainsFunc(o.Sets, func(s Set) bool { return s.Name == "base" }) {
			list = append(list, fmt.Sprintf("%s: operation %s has no set base: what has the attributes of no set has no weights",
				f.Name, o.Name))
		}
	}
	return list
}
