// Package halide is the table of the Halide benchmarks that zonemark ships: what each computes, with which arguments,
// and a reference in plain scalar loops that tells what the result must be. The generators themselves are Python files
// in driver/python. The package is data and arithmetic: it knows nothing of Halide's installation, of files or of
// measuring.
package halide

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"zonemark/invocations/remedy"
	"zonemark/invocations/spelling"
)

// Benchmark is one shipped pipeline. The arguments of the pipeline are the inputs, then the scalars, then the outputs,
// each in the order of its list and under the same name as in the generator.
type Benchmark struct {
	Name      string // what users type, and the generator's name in its file
	Source    string // slash-separated path of the Python file in the files that package driver/python carries
	Summary   string // what it computes, in one sentence
	Inputs    []Buffer
	Scalars   []Scalar
	Outputs   []Buffer
	Tolerance float64 // relative difference to the reference that an output may have; 0: equal bits

	// Operations is the number of multiplications and additions that the definition asks for in a call, a multiplication
	// and the addition of its product being two. It is 0 where a definition does not tell it, such as for a median. A
	// schedule may do with fewer.
	Operations int64

	reference func(operands) (Array, error)
}

// Buffer is a buffer argument, with the size that is measured.
type Buffer struct {
	Name    string
	Type    Type
	Extents []int // the first is the one whose neighbours are adjacent in memory, as Halide orders them

	// Low and High limit the random contents of an input. Both are possible values of integers; floats are below High.
	Low, High float64
}

// Scalar is a scalar argument, with the value that is measured.
type Scalar struct {
	Name  string
	Type  Type
	Value float64 // all values of the types are exact
}

// Bytes returns the size of the buffers of a call, which each call reads or writes at least once.
func (b Benchmark) Bytes() int64 {
	var total int64
	for _, buffer := range slices.Concat(b.Inputs, b.Outputs) {
		total += int64(elements(buffer.Extents) * buffer.Type.Size())
	}
	return total
}

// Random returns contents for the inputs, in their order. They are uniform in the range of each buffer, and depend on
// the seed and on the position of the input only. The caller owns them.
func (b Benchmark) Random(seed uint64) []Array {
	arrays := make([]Array, len(b.Inputs))
	for i, input := range b.Inputs {
		arrays[i] = input.random(rand.New(rand.NewPCG(seed, uint64(i))))
	}
	return arrays
}

func (b Buffer) random(r *rand.Rand) Array {
	if b.Type == Float32 {
		values := make([]float64, elements(b.Extents))
		for i := range values {
			values[i] = b.Low + (b.High-b.Low)*r.Float64()
		}
		return floatArray(b.Extents, values)
	}
	values := make([]int32, elements(b.Extents))
	for i := range values {
		values[i] = int32(b.Low) + r.Int32N(int32(b.High-b.Low)+1)
	}
	return integerArray(b.Type, b.Extents, values)
}

// Reference returns what the outputs must be for these inputs, in the order of the outputs. It computes them in scalar
// loops from the definition. The inputs may be of other extents than those that are measured, as long as they fit each
// other; types and numbers of dimensions are fixed. The scalars have the values of the receiver. It keeps no input.
func (b Benchmark) Reference(inputs []Array) ([]Array, error) {
	if len(inputs) != len(b.Inputs) {
		return nil, fmt.Errorf("halide benchmark %s: %d inputs were given, it has %d", b.Name, len(inputs), len(b.Inputs))
	}
	for i, input := range inputs {
		if err := b.Inputs[i].check(input); err != nil {
			return nil, fmt.Errorf("halide benchmark %s: input %s: %w", b.Name, b.Inputs[i].Name, err)
		}
	}
	scalars := map[string]int32{}
	for _, s := range b.Scalars {
		scalars[s.Name] = int32(s.Value)
	}
	output, err := b.reference(operands{inputs, scalars})
	if err != nil {
		return nil, fmt.Errorf("halide benchmark %s: %w", b.Name, err)
	}
	return []Array{output}, nil
}

// check returns an error if the array cannot be the contents of the buffer.
func (b Buffer) check(a Array) error {
	if a.Type != b.Type || len(a.Extents) != len(b.Extents) {
		return fmt.Errorf("it is %s with %d dimensions, not %s with %d", a.Type, len(a.Extents), b.Type, len(b.Extents))
	}
	count := 1
	for _, extent := range a.Extents {
		if extent < 1 || extent > math.MaxInt32/count {
			return fmt.Errorf("extents %v: each is at least 1, and all together at most %d", a.Extents, math.MaxInt32)
		}
		count *= extent
	}
	if size := count * a.Type.Size(); len(a.Data) != size {
		return fmt.Errorf("extents %v of %s need %d bytes, it has %d", a.Extents, a.Type, size, len(a.Data))
	}
	return nil
}

// operands are what a reference computes from: arrays that have been checked, and the scalars, which are all integers.
type operands struct {
	inputs  []Array
	scalars map[string]int32
}

// Benchmarks returns all shipped benchmarks: those of image processing, then the layers of neural networks. The caller
// owns the slice; what it refers to is shared and is not changed.
func Benchmarks() []Benchmark { return slices.Concat(images(), layers()) }

// Find returns the benchmark with this name. The error for an unknown one suggests the nearest.
func Find(name string) (Benchmark, error) {
	all := Benchmarks()
	names := make([]string, len(all))
	for i, b := range all {
		if b.Name == name {
			return b, nil
		}
		names[i] = b.Name
	}
	err := fmt.Errorf("no Halide benchmark is called %q%s", name, spelling.SuggestOrList(name, names))
	if near := spelling.Nearest(name, names); near != "" {
		return Benchmark{}, remedy.With(err, remedy.Remedy{Kind: remedy.Instead, Name: name, Value: near})
	}
	return Benchmark{}, err
}
