package program

import (
	"slices"
	"strconv"

	"zonemark/driver/sweep/operations"
)

// matmul defines a matrix product with inner blocks: a loop over mb_inner blocks of ub_inner tiles each along the inner
// dimension. A step multiplies a column of blocks of the first operand with a row of blocks of the second one, in
// float32 or 32-bit integers, and adds the product to what is carried, which has the format of intermediates:
//
//   - without l1_acc, what is carried is read back, added to in full precision, and written again, as a device spills;
//   - with l1_acc, the product is converted first, and the sum has the format of intermediates, as in L1.
//
// The operands are small integers, so that float32 has every sum exactly, in whatever order.
func matmul(c *operations.Configuration) *definition {
	first, second := c.Format("input0"), c.Format("input1")
	d := &definition{
		inputs: []input{operandOf(c, "input0", factors(first)), operandOf(c, "input1", factors(second))},
		shape:  extent(c, "output"), format: c.Format("output"), tolerance: exactly,
	}
	s := steps{c.Int("mb_inner"), c.Int("ub_inner") * operations.Tile, c.Format("intermed"), c.Int("l1_acc") == 1}
	inner := s.count * s.width
	d.flop = 2 * float64(product(d.shape)) * float64(inner)
	t, rows, columns := d.shape[0], d.shape[1], d.shape[2]
	d.emit = func(m *module, args []value) value {
		a, b := multiplied(m, args[0], args[1])
		zero, width := m.constant("0", "i32"), m.constant(strconv.Itoa(s.width), "i32")
		return s.emit(m, d, func(i value) value {
			at := m.apply("multiply", i, width)
			as := m.window(a, []value{zero, zero, at}, t, rows, s.width)
			bs := m.window(b, []value{zero, at, zero}, t, s.width, columns)
			return m.dot(as, bs, computing(first))
		})
	}
	d.reference = func(args [][]float64) []float64 {
		return s.reference(d, func(step int, sum []float64) {
			for z := range t {
				a := args[0][z*rows*inner : (z+1)*rows*inner]
				b := args[1][z*inner*columns : (z+1)*inner*columns]
				multiplyAdd(sum[z*rows*columns:(z+1)*rows*columns], a, b, inner, columns, step*s.width,
					(step+1)*s.width)
			}
		})
	}
	return d
}

// factors are the values of operands of products: integers of few digits.
func factors(f operations.Format) span {
	if f == operations.Int8 {
		return span{low: -127, high: 127, step: 1}
	}
	return span{low: -3, high: 3, step: 1}
}

// multiplied prepares operands of a product: of two types, both become float32.
func multiplied(m *module, a, b value) (value, value) {
	if a.element == b.element {
		return a, b
	}
	return m.convert(a, "f32"), m.convert(b, "f32")
}

// multiplyAdd adds the product of columns from..to of a, which has inner columns, and these rows of b to sum.
func multiplyAdd(sum, a, b []float64, inner, columns, from, to int) {
	for row := range len(sum) / columns {
		line := sum[row*columns : (row+1)*columns]
		for k := from; k < to; k++ {
			x := a[row*inner+k]
			if x == 0 {
				continue
			}
			for j, y := range b[k*columns : (k+1)*columns] {
				line[j] += x * y
			}
		}
	}
}

// steps are those of a loop that adds products up.
type steps struct {
	count, width int               // width of a step along the inner dimension, in elements
	carried      operations.Format // of what is carried from step to step
	inL1         bool              // products are added in that format
}

// emit writes the loop. A step gets its number and returns its product.
func (s steps) emit(m *module, d *definition, step func(i value) value) value {
	start := m.constant("0", storage(s.carried), d.shape...)
	zero, count := m.constant("0", "i32"), m.constant(strconv.Itoa(s.count), "i32")
	sum := m.loop(zero, count, start, func(i, carried value) value {
		return s.add(m, carried, step(i))
	})
	return m.store(m.load(sum, s.carried), d.format)
}

func (s steps) add(m *module, carried, product value) value {
	if s.inL1 {
		product = m.load(m.store(product, s.carried), s.carried)
	}
	return m.store(m.apply("add", m.load(carried, s.carried), product), s.carried)
}

// reference adds up as the loop does. A step adds its product to a sum.
func (s steps) reference(d *definition, step func(i int, sum []float64)) []float64 {
	sum := make([]float64, product(d.shape))
	one := make([]float64, len(sum))
	for i := range s.count {
		if s.inL1 {
			clear(one)
			step(i, one)
			for j, x := range stored(one, d.shape[2], s.carried) {
				sum[j] += x
			}
		} else {
			step(i, sum)
		}
		stored(sum, d.shape[2], s.carried)
	}
	return stored(sum, d.shape[2], d.format)
}

// depthwise defines a depthwise product: a loop over mb_inner parts of the first operand, each as wide as the output.
// A step multiplies each column of its part with a number of its own, and adds the product. The numbers are the first
// row of the part's row of tiles of the second operand.
func depthwise(c *operations.Configuration) *definition {
	first, second := c.Format("input0"), c.Format("input1")
	d := &definition{
		inputs: []input{operandOf(c, "input0", factors(first)), operandOf(c, "input1", factors(second))},
		shape:  extent(c, "output"), format: c.Format("output"), tolerance: exactly,
	}
	t, rows, columns := d.shape[0], d.shape[1], d.shape[2]
	s := steps{c.Int("mb_inner"), columns, c.Format("intermed"), false}
	d.flop = 2 * float64(product(d.shape)) * float64(s.count)
	wide, weights := d.inputs[0].shape[2], d.inputs[1].shape[1]
	d.emit = func(m *module, args []value) value {
		zero, width := m.constant("0", "i32"), m.constant(strconv.Itoa(columns), "i32")
		tile := m.constant(strconv.Itoa(operations.Tile), "i32")
		return s.emit(m, d, func(i value) value {
			at, row := m.apply("multiply", i, width), m.apply("multiply", i, tile)
			part := m.load(m.window(args[0], []value{zero, zero, at}, t, rows, columns), first)
			w := m.load(m.window(args[1], []value{zero, row, zero}, t, 1, columns), second)
			return m.apply("multiply", part, m.spread(w, slices.Clone(d.shape), 0, 1, 2))
		})
	}
	d.reference = func(args [][]float64) []float64 {
		return s.reference(d, func(step int, sum []float64) {
			for i := range sum {
				z, row, column := i/(rows*columns), i/columns%rows, i%columns
				x := args[0][(z*rows+row)*wide+step*columns+column]
				sum[i] += x * args[1][(z*weights+step*operations.Tile)*columns+column]
			}
		})
	}
	return d
}
