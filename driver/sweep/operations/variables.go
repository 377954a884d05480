package operations

import (
	"fmt"
	"slices"
)

// Variable is something that a sweep can vary.
type Variable struct {
	Name string
	// Default are the values that it takes if no override names it. An empty list stands for a derived value: see
	// derive.
	Default []float64
	Enum    *Enum // nil for a plain number
	Least   float64
	Most    float64
	Real    bool // takes numbers with a fraction
}

// Name returns a value as result files have it.
func (v *Variable) name(value float64) string {
	if v.Enum != nil {
		return v.Enum.name(int(value))
	}
	return trimmed(value)
}

// extentMost bounds the counts of blocks, tiles and inputs.
const extentMost = 1 << 16

func count(name string, values ...float64) Variable {
	return Variable{Name: name, Default: values, Least: 1, Most: extentMost}
}

func enum(name string, e *Enum, values ...float64) Variable {
	return Variable{Name: name, Default: values, Enum: e, Least: float64(e.first),
		Most: float64(e.first + len(e.names) - 1)}
}

// operand returns the variables of an operand: "input0", "input1", … or "output". The blocks of inputs are derived.
func operand(name string, format []float64) []Variable {
	list := []Variable{enum(name+"_df", formats, format...)}
	for _, extent := range []string{"_t", "_grid_size_r", "_grid_size_c", "_mb_r", "_mb_c", "_ub_r", "_ub_c"} {
		list = append(list, count(name+extent))
	}
	return append(list, enum(name+"_ublock_order", orders), count(name+"_buf_size_mb", 2))
}

func output(format []float64) []Variable {
	list := operand("output", format)
	for extent, value := range map[string]float64{"_t": 1, "_grid_size_r": 1, "_grid_size_c": 1, "_mb_r": 2, "_mb_c": 2,
		"_ub_r": 2, "_ub_c": 4} {
		set(list, "output"+extent, value)
	}
	return list
}

// set gives a variable of a list other defaults.
func set(list []Variable, name string, values ...float64) {
	i := slices.IndexFunc(list, func(v Variable) bool { return v.Name == name })
	if i < 0 {
		panic("no variable " + name) // a mistake in the table below, which a test of every type finds
	}
	list[i].Default = values
}

// Variables returns the variables of a type, in the order in which configurations have them: the first varies slowest.
func Variables(t Type) ([]Variable, error) {
	list := []Variable{count("input_count", 128), enum("math_fidelity", fidelities, 1, 4)}
	two := []float64{float64(Float16B)}
	inputs := []string{"input0"}
	switch t {
	case Unary:
		list = append(list, enum("unary_type", unaryTypes, 8), enum("vector_mode", vectorModes, VectorAll),
			enum("approximate_mode", switches, 0))
	case Binary:
		list = append(list, enum("binary_type", binaryTypes, 1))
		inputs = []string{"input0", "input1"}
	case Quant:
		zero := Variable{Name: "zero_point", Default: []float64{1}, Least: -128, Most: 127, Real: true}
		list = append(list, enum("quant_type", quantTypes, Quantization), zero)
		inputs = []string{"input0", "input1"}
	case Reduce:
		list = append(list, enum("reduce_type", reduceTypes, ReduceMax), enum("reduce_dim", dimensions, AlongColumns),
			count("z", 1))
	case Matmul, MatmulL1Acc:
		list = append(list, count("mb_inner", 1, 2, 4, 8), count("ub_inner", 2, 4, 8, 16), enum("l1_acc", switches, 0))
		inputs = []string{"input0", "input1"}
	case Depthwise:
		list = append(list, count("mb_inner", 1, 2, 4, 8))
		inputs = []string{"input0", "input1"}
	case MatmulSparse:
		list = append(list, count("mb_inner", 2, 7, 16), count("ub_inner", 1, 2, 4), enum("l1_acc", switches, 0))
		inputs = []string{"input0", "input1", "input2"}
	case Splice:
		inputs = []string{"input0", "input1", "input2"}
	default:
		return nil, fmt.Errorf("%q is no op_type%s", t, suggestion(string(t), typeNames()))
	}
	for _, name := range inputs {
		list = append(list, operand(name, two)...)
	}
	list = append(list, output(two)...)
	list = append(list, enum("intermed_df", formats))
	adjust(t, list)
	return list, nil
}

// adjust gives the variables the defaults that are a type's own.
func adjust(t Type, list []Variable) {
	switch t {
	case Quant:
		for _, name := range []string{"input0_df", "input1_df", "output_df"} {
			set(list, name) // derived from the quant_type
		}
		set(list, "output_ub_r", 1)
		set(list, "output_ub_c", 1)
		set(list, "intermed_df", float64(Int32))
	case MatmulL1Acc:
		set(list, "l1_acc", 1)
	case Splice:
		set(list, "input0_mb_c", 1, 2, 3, 4)
		set(list, "output_mb_r", 1, 2)
		set(list, "output_mb_c")
		set(list, "output_ub_r", 1)
		set(list, "output_ub_c", 1, 4, 8)
	case MatmulSparse:
		set(list, "math_fidelity", 1, 2, 3, 4)
		set(list, "output_t", 1, 2, 3)
		set(list, "output_mb_r", 2, 4, 7)
		set(list, "output_mb_c", 1, 4)
		set(list, "output_ub_r", 2, 4)
		set(list, "output_ub_c", 1, 2)
		set(list, "input0_mb_c", 20)
		set(list, "input2_df", float64(RawUInt32))
		set(list, "input2_mb_c", 3)
	}
}
