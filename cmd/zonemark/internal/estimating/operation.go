package estimating

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/driver/costmodel"
	"zonemark/invocations/spelling"
)

// operationTypes returns the types of operations with the operations that belong to them. A type without operations is
// one itself.
func operationTypes() map[string][]string {
	return map[string][]string{
		"unary": {
			"abs", "cosine", "dropout", "exp", "gelu", "gelu_derivative", "log", "lrelu", "nop", "power", "reciprocal",
			"sigmoid", "sine", "sqrt", "square", "tanh",
		},
		"binary": {"add", "maximum", "multiply", "subtract"},
		"quant":  {"dequantization", "quantization", "requantization"},
		"reduce": nil, "splice": nil, "matmul": nil, "depthwise": nil,
	}
}

// checkOperation returns an error if the operation is not given or does not belong to its type. needed says whether it
// must be given by flags.
func (f *Flags) checkOperation(needed bool) error {
	types := operationTypes()
	if f.opType != "" {
		if _, known := types[f.opType]; !known {
			var names []string
			for name := range types {
				names = append(names, name)
			}
			slices.Sort(names)
			return fmt.Errorf("--op-type: unknown type %q%s", f.opType, spelling.SuggestOrList(f.opType, names))
		}
	}
	name := f.identity("").Operation
	for other, operations := range types {
		if f.opType != "" && f.opName != "" && other != f.opType && slices.Contains(operations, name) {
			return fmt.Errorf("--op-name %s is a %s operation, not %s", f.opName, other, f.opType)
		}
	}
	if needed && f.opName == "" && f.models == "" && (f.opType == "" || types[f.opType] != nil) {
		return fmt.Errorf("--op-name must name the operation%s", listed(types[f.opType]))
	}
	return nil
}

func listed(names []string) string {
	if len(names) == 0 {
		return ", such as gelu, add or matmul"
	}
	return ": one of " + strings.Join(names, ", ")
}

// identity returns the operation that flags name, or else the name of a file.
func (f *Flags) identity(file string) costmodel.Identity {
	var id costmodel.Identity
	switch {
	case f.opName != "":
		id = costmodel.Identify(f.opName)
	case f.opType != "" && operationTypes()[f.opType] == nil:
		id.Operation = f.opType
	case file != "":
		id = costmodel.Identify(file)
	}
	id.Approximate = id.Approximate || f.approximate
	id.L1Accumulate = id.L1Accumulate || f.l1Accumulate
	if f.reduceDim != "" {
		id.ReduceDim = strings.ToLower(f.reduceDim)
	}
	return id
}

func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}
