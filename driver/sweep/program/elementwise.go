package program

import (
	"fmt"
	"math"
	"strconv"

	"zonemark/driver/sweep/operations"
)

// binaryOf defines an operation of two operands. Their values have few digits, so that float32 has every result
// exactly.
func binaryOf(c *operations.Configuration) (*definition, error) {
	name := c.Text("binary_type")
	of := map[string]func(x, y float64) float64{
		"add":      func(x, y float64) float64 { return x + y },
		"subtract": func(x, y float64) float64 { return x - y },
		"multiply": func(x, y float64) float64 { return x * y },
		"maximum":  math.Max,
	}[name]
	if of == nil {
		return nil, fmt.Errorf("there is no program for binary_type %s", name)
	}
	in, out := c.Format("input0"), c.Format("output")
	s := fewDigits
	if in.Integer() {
		s = integers(in)
		if name == "multiply" && in != operations.Int8 {
			s = span{low: -1 << 15, high: 1<<15 - 1, step: 1} // the products stay in 32 bits
		}
	}
	d := &definition{
		inputs: []input{operandOf(c, "input0", s), operandOf(c, "input1", s)},
		shape:  extent(c, "output"), format: out, tolerance: exactly,
	}
	d.flop = float64(product(d.shape))
	d.emit = func(m *module, args []value) value {
		return m.store(m.apply(name, m.load(args[0], in), m.load(args[1], c.Format("input1"))), out)
	}
	d.reference = func(args [][]float64) []float64 {
		result := make([]float64, len(args[0]))
		for i := range result {
			result[i] = of(args[0][i], args[1][i])
		}
		return stored(result, d.shape[2], out)
	}
	return d, nil
}

// fewDigits are values that every real format has, and whose sums and products float32 has exactly.
var fewDigits = span{low: -3.5, high: 3.5, step: 0.25}

// quantization defines quantizing, with the scales of the elements in the second operand: quantization and
// requantization are saturate(round(x·scale + zero_point)), dequantization is (x − zero_point)·scale.
func quantization(c *operations.Configuration) *definition {
	in, out, zero := c.Format("input0"), c.Format("output"), c.Value("zero_point")
	values := span{low: -8, high: 7.9375, step: 0.0625}
	if in.Integer() {
		values = span{low: -128, high: 127, step: 1}
	}
	if in == operations.Int32 {
		values = span{low: -1000, high: 1000, step: 1}
	}
	d := &definition{
		inputs: []input{operandOf(c, "input0", values), operandOf(c, "input1", span{low: 0.5, high: 4, step: 0.5})},
		shape:  extent(c, "output"), format: out, tolerance: exactly,
	}
	d.flop = 2 * float64(product(d.shape))
	restores := c.Int("quant_type") == operations.Dequantization
	d.emit = func(m *module, args []value) value {
		x, scale := m.convert(args[0], "f32"), m.convert(args[1], "f32")
		offset := m.like(x, strconv.FormatFloat(zero, 'f', -1, 64))
		if restores {
			return m.store(m.apply("multiply", m.apply("subtract", x, offset), scale), out)
		}
		return m.store(m.apply("add", m.apply("multiply", x, scale), offset), out)
	}
	d.reference = func(args [][]float64) []float64 {
		result := make([]float64, len(args[0]))
		for i, x := range args[0] {
			if result[i] = x*args[1][i] + zero; restores {
				result[i] = (x - zero) * args[1][i]
			}
		}
		return stored(result, d.shape[2], out)
	}
	return d
}

// reduction defines the largest value or the sum along rows (r: the rows become one), columns (c) or z.
func reduction(c *operations.Configuration) *definition {
	in, out := c.Format("input0"), c.Format("output")
	s := span{low: -3, high: 3, step: 1}
	if in.Integer() {
		s = span{low: -100, high: 100, step: 1}
	}
	d := &definition{inputs: []input{operandOf(c, "input0", s)}, shape: extent(c, "output"), format: out,
		tolerance: exactly}
	d.flop = float64(d.inputs[0].count())
	whole, along := append([]int{d.shape[0], 1}, d.shape[1:]...), 1
	switch c.Int("reduce_dim") {
	case operations.AlongRows:
		along, d.shape[1] = 2, 1
	case operations.AlongColumns:
		along, d.shape[2] = 3, 1
	default:
		whole[1] = c.Int("z")
	}
	operation, start := "maximum", "0xFF800000" // minus infinity
	if in.Integer() {
		start = strconv.Itoa(math.MinInt32)
	}
	if c.Int("reduce_type") == operations.ReduceSum {
		operation, start = "add", "0"
	}
	d.emit = func(m *module, args []value) value {
		r := m.reduce(operation, m.reshape(m.load(args[0], in), whole...), start, along)
		return m.store(m.reshape(r, d.shape...), out)
	}
	d.reference = func(args [][]float64) []float64 {
		return stored(reduced(args[0], whole, along, operation == "add"), d.shape[2], out)
	}
	return d
}

// reduced reduces values of a shape along a dimension.
func reduced(values []float64, shape []int, along int, sum bool) []float64 {
	inner := product(shape[along+1:])
	n := shape[along]
	result := make([]float64, len(values)/n)
	for i := range result {
		from := i/inner*inner*n + i%inner
		result[i] = values[from]
		for j := 1; j < n; j++ {
			if x := values[from+j*inner]; sum {
				result[i] += x
			} else {
				result[i] = max(result[i], x)
			}
		}
	}
	return result
}

// splice defines putting three inputs side by side.
func splice(c *operations.Configuration) *definition {
	d := &definition{shape: extent(c, "output"), format: c.Format("output"), tolerance: exactly}
	for _, name := range c.Inputs() {
		s := fewDigits
		if c.Format(name).Integer() {
			s = integers(c.Format(name))
		}
		d.inputs = append(d.inputs, operandOf(c, name, s))
	}
	d.emit = func(m *module, args []value) value { return m.concatenate(2, args...) }
	d.reference = func(args [][]float64) []float64 {
		var result []float64
		for row := range d.shape[0] * d.shape[1] {
			for i, a := range args {
				columns := d.inputs[i].shape[2]
				result = append(result, a[row*columns:(row+1)*columns]...)
			}
		}
		return result
	}
	return d
}
