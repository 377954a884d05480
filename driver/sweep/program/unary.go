package program

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"zonemark/driver/sweep/operations"
)

// function is a unary operation.
type function struct {
	span span // of the inputs: where neither overflow nor a pole hides mistakes
	// sure says that float32 has the results of few digits exactly, or rounded correctly, on every device.
	sure bool
	of   func(x float64) float64
	emit func(m *module, x value) value
}

// Parameters of functions that have one.
const (
	leakySlope   = 0.1 // of lrelu below 0
	dropoutShare = 0.1
)

func named(operation string) func(*module, value) value {
	return func(m *module, x value) value { return m.apply(operation, x) }
}

// functions returns the unary operations by name. What nop and dropout compute depends on more than a value. Power is
// the third one, by multiplication.
func functions() map[string]function {
	both := span{low: -1.9, high: 1.9}
	positive := span{low: 0.5, high: 3.5}
	return map[string]function{
		"exp":             {both, false, math.Exp, named("exponential")},
		"log":             {positive, false, math.Log, named("log")},
		"sqrt":            {positive, false, math.Sqrt, named("sqrt")},
		"reciprocal":      {positive, true, func(x float64) float64 { return 1 / x }, reciprocal},
		"sigmoid":         {both, false, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, named("logistic")},
		"tanh":            {both, false, math.Tanh, named("tanh")},
		"sine":            {both, false, math.Sin, named("sine")},
		"cosine":          {span{low: 0.5, high: 1.9}, false, math.Cos, named("cosine")},
		"abs":             {both, true, math.Abs, named("abs")},
		"square":          {both, true, func(x float64) float64 { return x * x }, square},
		"power":           {both, true, func(x float64) float64 { return x * x * x }, power},
		"lrelu":           {both, false, leaky, leakyProgram},
		"gelu":            {both, false, gelu, geluProgram},
		"gelu_derivative": {both, false, geluDerivative, geluDerivativeProgram},
		"nop":             {both, true, func(x float64) float64 { return x }, nil},
		"dropout":         {both, false, nil, nil},
	}
}

func reciprocal(m *module, x value) value { return m.apply("divide", m.like(x, "1"), x) }
func square(m *module, x value) value     { return m.apply("multiply", x, x) }
func power(m *module, x value) value      { return m.apply("multiply", square(m, x), x) }

func leaky(x float64) float64 {
	if x < 0 {
		return leakySlope * x
	}
	return x
}

func leakyProgram(m *module, x value) value {
	low := m.apply("multiply", x, m.like(x, "0.1"))
	return m.choose(m.compare("LT", x, m.like(x, "0")), low, x)
}

// normal is the normal distribution function.
func normal(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

func gelu(x float64) float64 { return x * normal(x) }

func geluDerivative(x float64) float64 {
	return normal(x) + x*math.Exp(-x*x/2)/math.Sqrt(2*math.Pi)
}

func normalProgram(m *module, x value) value {
	scaled := m.apply("multiply", x, m.like(x, "0.70710678118654752"))
	erf := m.fresh(x.shape, x.element)
	m.line("%s = chlo.erf %s : %s -> %s", erf.name, scaled.name, scaled.kind(), erf.kind())
	return m.apply("multiply", m.apply("add", erf, m.like(x, "1")), m.like(x, "0.5"))
}

func geluProgram(m *module, x value) value { return m.apply("multiply", x, normalProgram(m, x)) }

func geluDerivativeProgram(m *module, x value) value {
	half := m.apply("multiply", m.apply("multiply", x, x), m.like(x, "-0.5"))
	density := m.apply("multiply", m.apply("exponential", half), m.like(x, "0.3989422804014327"))
	return m.apply("add", normalProgram(m, x), m.apply("multiply", x, density))
}

// Dropout keeps element i, counted row by row, if h(i) is at least 10 % of 2^32, and divides it by 0.9; the others
// become 0. With all operations modulo 2^32: h(i) = g·2246822519, g = f xor f >> 16, f = i·2654435761.
func kept(i int) bool {
	h := uint32(i) * 2654435761
	h ^= h >> 16
	return h*2246822519 >= dropoutLeast
}

const dropoutLeast = 429496730 // 10 % of 2^32, rounded up

// dropoutFactors writes the factors of dropout for a shape.
func dropoutFactors(m *module, shape []int) value {
	index := m.iota(shape, 0, "ui32")
	for d := 1; d < len(shape); d++ {
		index = m.apply("multiply", index, m.like(index, strconv.Itoa(shape[d])))
		index = m.apply("add", index, m.iota(shape, d, "ui32"))
	}
	h := m.apply("multiply", index, m.like(index, "2654435761"))
	h = m.apply("xor", h, m.apply("shift_right_logical", h, m.like(h, "16")))
	h = m.apply("multiply", h, m.like(h, "2246822519"))
	keep := m.compare("GE", h, m.like(h, strconv.Itoa(dropoutLeast)))
	return m.choose(keep, m.constant("1.1111111111111112", "f32", shape...), m.constant("0", "f32", shape...))
}

// unary defines a unary operation. Its program reads and writes each element once, also for nop: there, a second input
// that is 1 at run time chooses between the first one and 0, so that no compiler leaves the copy out.
func unary(c *operations.Configuration) (*definition, error) {
	name := c.Text("unary_type")
	f, known := functions()[name]
	in, out := c.Format("input0"), c.Format("output")
	switch {
	case !known:
		return nil, fmt.Errorf("there is no program for unary_type %s", name)
	case in.Integer() && name != "nop" && (name != "abs" || in == operations.RawUInt32):
		return nil, fmt.Errorf("%s of integers (%s) has no meaning here", name, in)
	}
	if in.Integer() {
		f.span = integers(in)
	}
	d := &definition{inputs: []input{operandOf(c, "input0", f.span)}, shape: extent(c, "output"), format: out}
	d.flop, d.tolerance = float64(product(d.shape)), functionTolerance(out)
	if name == "nop" || name == "abs" {
		d.tolerance = exactly
	}
	mode := c.Int("vector_mode")
	if name == "nop" {
		d.inputs = append(d.inputs, input{format: operations.Int32, values: []float64{1}})
	}
	d.emit = f.program(name, mode, in, out)
	of := f.at(name, mode, d.shape)
	d.reference = func(args [][]float64) []float64 {
		result := slices.Clone(args[0])
		for i, x := range result {
			result[i] = of(i, x)
		}
		return stored(result, d.shape[2], out)
	}
	if out.Block() && !f.sure {
		d.settle = func(r *rand.Rand, args [][]float64) error { return settle(r, args[0], f.span, in, out, of) }
	}
	return d, nil
}

// program returns what writes the program of the function.
func (f function) program(name string, mode int, in, out operations.Format) func(m *module, args []value) value {
	return func(m *module, args []value) value {
		if name == "nop" {
			return copied(m, args, mode, out)
		}
		x := m.load(args[0], in)
		if name != "dropout" {
			return m.store(m.partly(mode, []value{x}, func(part []value) value { return f.emit(m, part[0]) }), out)
		}
		factors := dropoutFactors(m, x.shape)
		return m.store(m.partly(mode, []value{x, factors}, func(part []value) value {
			return m.apply("multiply", part[0], part[1])
		}), out)
	}
}

// copied writes the program of nop, which has one format. An emulated one is rounded to as any result is.
func copied(m *module, args []value, mode int, format operations.Format) value {
	yes := m.compare("NE", args[1], m.constant("0", "i32"))
	copied := m.partly(mode, args[:1], func(part []value) value {
		return m.choose(yes, part[0], m.like(part[0], "0"))
	})
	if format.Block() {
		return m.store(copied, format)
	}
	return copied
}

// integers is the range of integers of a format. Sums of two stay in 32 bits.
func integers(f operations.Format) span {
	if f == operations.Int8 {
		return span{low: -128, high: 127, step: 1}
	}
	if f == operations.RawUInt32 {
		return span{high: 1 << 30, step: 1}
	}
	return span{low: -1 << 30, high: 1<<30 - 1, step: 1}
}

// at returns the function of an element by its index: dropout depends on it, and a vector mode leaves parts alone.
func (f function) at(name string, mode int, shape []int) func(i int, x float64) float64 {
	columns := shape[len(shape)-1]
	return func(i int, x float64) float64 {
		switch {
		case mode == operations.VectorRows && i/columns%operations.Tile >= faceSide,
			mode == operations.VectorColumns && i%columns%operations.Tile >= faceSide:
			return x
		case name != "dropout":
			return f.of(x)
		case kept(i):
			return x / (1 - dropoutShare)
		}
		return 0
	}
}

// faceSide is the side of the four faces that a tile consists of.
const faceSide = 16

// partly applies a function to the part of the values that a vector mode names: all of it, the 16 upper rows of each
// tile (r) or its 16 left columns (c). The rest of the first value is copied.
func (m *module) partly(mode int, values []value, f func(part []value) value) value {
	if mode == operations.VectorAll {
		return f(values)
	}
	shape := values[0].shape
	split, dimension := []int{shape[0], shape[1] / operations.Tile, operations.Tile, shape[2]}, 2
	if mode == operations.VectorColumns {
		split, dimension = []int{shape[0], shape[1], shape[2] / operations.Tile, operations.Tile}, 3
	}
	var parts []value
	var rest value
	for i, v := range values {
		tiles := m.reshape(v, split...)
		parts = append(parts, m.slice(tiles, dimension, 0, faceSide))
		if i == 0 {
			rest = m.slice(tiles, dimension, faceSide, operations.Tile)
		}
	}
	return m.reshape(m.concatenate(dimension, f(parts), rest), shape...)
}

// settle draws values anew whose results lie so near to where rounding to a block format changes that the error of a
// function decides. It gives up if some remain.
func settle(r *rand.Rand, values []float64, s span, in, out operations.Format,
	of func(i int, x float64) float64) error {
	const doubt, attempts = 1e-5, 200
	above, below := make([]float64, blockValues), make([]float64, blockValues)
	for start := 0; start < len(values); start += blockValues {
		for attempt := 0; ; attempt++ {
			for i := range above {
				y := of(start+i, values[start+i])
				above[i], below[i] = y*(1+doubt), y*(1-doubt)
			}
			roundBlock(above, out)
			roundBlock(below, out)
			if slices.Equal(above, below) {
				break
			}
			if attempt == attempts {
				return fmt.Errorf("no values of %s have results that round to %s beyond doubt", in, out)
			}
			for i := range above {
				if above[i] != below[i] {
					values[start+i] = s.draw(r, in)
				}
			}
		}
	}
	return nil
}
