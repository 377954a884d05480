package program

import (
	"fmt"
	"math/rand/v2"

	"zonemark/driver/sweep/operations"
)

// definition is what the program of a configuration computes.
type definition struct {
	inputs []input
	// emit writes the computation and returns its result.
	emit func(m *module, in []value) value
	// reference computes the result on the values of the inputs, as it is stored.
	reference func(in [][]float64) []float64
	// settle changes inputs whose result cannot be told for certain; nil: every result can.
	settle func(r *rand.Rand, in [][]float64) error

	shape     []int             // of the result
	format    operations.Format // of the result
	flop      float64
	tolerance float64
}

// input is an input of a program.
type input struct {
	shape  []int
	format operations.Format
	span   span
	values []float64 // nil: drawn from span
}

func (in *input) count() int { return product(in.shape) }

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// Tolerances of results, relative to the larger of the value and the mean magnitude. Arithmetic on the drawn values is
// exact, so that only the rounding of functions and of the output is left.
const (
	exactly         = 1e-6
	functionSingle  = 1e-4
	functionHalf    = 2e-3 // four units of float16
	functionBFloat  = 1.6e-2
	functionOfBlock = 1e-3 // settled, so that the rounding is certain
)

func functionTolerance(f operations.Format) float64 {
	switch {
	case f.Block():
		return functionOfBlock
	case f == operations.Float16:
		return functionHalf
	case f == operations.Float16B:
		return functionBFloat
	}
	return functionSingle
}

// define returns what a configuration computes.
func define(c *operations.Configuration) (*definition, error) {
	switch c.Type {
	case operations.Unary:
		return unary(c)
	case operations.Binary:
		return binaryOf(c)
	case operations.Quant:
		return quantization(c), nil
	case operations.Reduce:
		return reduction(c), nil
	case operations.Splice:
		return splice(c), nil
	case operations.Matmul, operations.MatmulL1Acc:
		return matmul(c), nil
	case operations.Depthwise:
		return depthwise(c), nil
	case operations.MatmulSparse:
		return sparse(c), nil
	}
	return nil, fmt.Errorf("there is no program for operations of type %s", c.Type)
}

// extent returns the shape of an operand in elements: t × rows × columns.
func extent(c *operations.Configuration, operand string) []int {
	b := c.Block(operand)
	return []int{b.T, b.Rows(), b.Columns()}
}

func operandOf(c *operations.Configuration, name string, s span) input {
	return input{shape: extent(c, name), format: c.Format(name), span: s}
}
