// Package operations holds what a sweep varies: operations, their variables, and the configurations that their lists of
// values span. It knows the names, numbers and rules of Tenstorrent's operation sweeps; it knows no program, no runtime
// and no result.
package operations

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"zonemark/invocations/spelling"
)

// Type is the type of an operation, which decides which variables it has.
type Type string

// The types.
const (
	Unary         Type = "unary"
	Binary        Type = "binary"
	Quant         Type = "quant"
	Reduce        Type = "reduce"
	Matmul        Type = "matmul"
	MatmulL1Acc   Type = "matmul_l1_acc"
	MatmulSparse  Type = "matmul_sparse_nz_counts"
	Splice        Type = "splice"
	Depthwise     Type = "depthwise"
	dataFileAfter      = "-op-performance.csv"
)

// Types returns all types.
func Types() []Type {
	return []Type{Unary, Binary, Quant, Reduce, Matmul, MatmulL1Acc, MatmulSparse, Splice, Depthwise}
}

// Dense says whether the type is a matrix product with inner blocks whose first operand is dense.
func (t Type) Dense() bool { return t == Matmul || t == MatmulL1Acc || t == Depthwise }

// Operation is one entry of an operations file: what is swept, under which name, and over which values.
type Operation struct {
	Type     Type
	Name     string // op_name: of the folder with its results; unique in a list
	DataFile string // data_file: of the final CSV file
	// Overrides are the values of the variables that do not have their defaults, each list with at least one value.
	Overrides map[string][]float64
	// ConfigFile is op_config_file: the configurations themselves, in the layout of test_configs.yaml; empty: the
	// product of the lists. The path is as the file states it.
	ConfigFile string
	// Ignored are the words of additional_arguments that mean nothing here: flags of the tool that sweeps used before.
	// Its --config-overrides are among Overrides.
	Ignored []string
	// Unknown says that the type is none of Types, so that nothing can be swept; nil if it is one.
	Unknown error
}

//go:embed default_operations.json
var defaultOperations []byte

// DefaultJSON returns the default operations as a file that Read takes.
func DefaultJSON() []byte { return bytes.Clone(defaultOperations) }

// Default returns the default operations, in the order of the file.
func Default() []Operation {
	list, err := Parse("default_operations.json", defaultOperations)
	if err != nil {
		panic(err) // a test reads the file
	}
	return list
}

// Select returns the operations of a type and of a name; empty strings stand for all. Operations of unknown types are
// left out unless they are asked for, which is an error. The error names what there is.
func Select(list []Operation, opType Type, name string) (kept, left []Operation, err error) {
	var names []string
	for i := range list {
		names = append(names, list[i].Name)
		switch {
		case (opType != "" && list[i].Type != opType) || (name != "" && list[i].Name != name):
		case list[i].Unknown == nil:
			kept = append(kept, list[i])
		case opType != "" || name != "":
			return nil, nil, list[i].Unknown
		default:
			left = append(left, list[i])
		}
	}
	if len(kept) > 0 {
		return kept, left, nil
	}
	if len(left) > 0 {
		return nil, nil, left[0].Unknown
	}
	return nil, nil, noOperation(names, opType, name)
}

// noOperation returns the error for a type and a name that no operation has.
func noOperation(names []string, opType Type, name string) error {
	if name != "" && !slices.Contains(names, name) {
		return fmt.Errorf("no operation has the op_name %q%s; there are: %s",
			name, spelling.Suggest(name, names), strings.Join(names, ", "))
	}
	if name != "" {
		return fmt.Errorf("the operation %q is not of the op_type %q", name, opType)
	}
	return fmt.Errorf("no operation is of the op_type %q%s", opType, suggestion(string(opType), typeNames()))
}

func typeNames() []string {
	var names []string
	for _, t := range Types() {
		names = append(names, string(t))
	}
	return names
}
