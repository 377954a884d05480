package operations

import "math"

// derive sets the variables that have no value yet, which are NaN:
//
//   - The data formats of a quantization: real numbers and scales are Float32, quantized numbers Int8.
//   - intermed_df is the output's format; Int32 for products of integers; with accumulation in L1 Float16_b, or Float16
//     if the inputs have short exponents.
//   - The t and the grid of an input are the output's. The first operand of a matrix product has one column of cores,
//     the second one row. A sparse product has one t of the second operand for all t of the output.
//   - The blocks of an input are the output's. In a matrix product, the first operand has mb_inner × ub_inner columns
//     of tiles, and the second as many rows, in ublocks no larger than the output may have. A depthwise product has one
//     row of the second operand for each of mb_inner. The inputs of splice lie side by side in the output.
//   - A reduction names by the variables of the output the block that it reads. Along z it reads z values of t for each
//     that it writes.
//   - Orders of ublocks are by rows.
func (c *Configuration) derive() {
	c.deriveFormats()
	c.deriveExtents()
	for _, operand := range append(c.Inputs(), "output") {
		c.fill(operand+"_ublock_order", 1)
	}
}

// fill sets a variable that has no value yet.
func (c *Configuration) fill(name string, value int) {
	for i := range c.variables {
		if c.variables[i].Name == name && math.IsNaN(c.values[i]) {
			c.values[i] = float64(value)
		}
	}
}

func (c *Configuration) deriveFormats() {
	if c.Type == Quant {
		from, to := Float32, Int8
		switch c.Int("quant_type") {
		case Dequantization:
			from, to = Int8, Float32
		case Requantization:
			from = Int8
		}
		c.fill("input0_df", int(from))
		c.fill("input1_df", int(Float32))
		c.fill("output_df", int(to))
	}
	intermediate := c.Format("output")
	switch {
	case !c.Has("mb_inner"):
	case c.Format("input0").Integer():
		intermediate = Int32
	case c.Int("l1_acc") == 1 && (c.Format("input0").Wide() || c.Format("input0").Integer()):
		intermediate = Float16B
	case c.Int("l1_acc") == 1:
		intermediate = Float16
	}
	c.fill("intermed_df", int(intermediate))
}

func (c *Configuration) deriveExtents() {
	switch c.Type {
	case Matmul, MatmulL1Acc, Depthwise:
		c.deriveProduct()
	case MatmulSparse:
		c.deriveSparse()
	case Splice:
		c.deriveSplice()
	case Reduce:
		z := 1
		if c.Int("reduce_dim") == AlongZ {
			z = c.Int("z")
		}
		c.like("input0", z)
	default:
		for _, operand := range c.Inputs() {
			c.like(operand, 1)
		}
	}
}

// like gives an input the extents of the output, with times as many t.
func (c *Configuration) like(operand string, times int) {
	out := c.Block("output")
	c.extents(operand, Block{out.T * times, out.GridR, out.GridC, out.BlocksR, out.BlocksC, out.TilesR, out.TilesC})
}

func (c *Configuration) extents(operand string, b Block) {
	for name, n := range map[string]int{
		"_t": b.T, "_grid_size_r": b.GridR, "_grid_size_c": b.GridC, "_mb_r": b.BlocksR, "_mb_c": b.BlocksC,
		"_ub_r": b.TilesR, "_ub_c": b.TilesC,
	} {
		c.fill(operand+name, n)
	}
}

func (c *Configuration) deriveProduct() {
	out, k, u := c.Block("output"), c.Int("mb_inner"), 1
	if c.Has("ub_inner") {
		u = c.Int("ub_inner")
	}
	if c.Type == Depthwise { // a column of tiles of each of the k parts belongs to each column of the output
		c.extents("input0", Block{out.T, out.GridR, out.GridC, out.BlocksR, k * out.BlocksC, out.TilesR, out.TilesC})
		c.extents("input1", Block{out.T, 1, out.GridC, k, out.BlocksC, 1, out.TilesC})
		return
	}
	dest := c.dest()
	first, second := ublock(u, out.TilesR, dest), ublock(u, out.TilesC, dest)
	c.extents("input0", Block{out.T, out.GridR, 1, out.BlocksR, k * u / first, out.TilesR, first})
	c.extents("input1", Block{out.T, 1, out.GridC, k * u / second, out.BlocksC, second, out.TilesC})
}

// ublock returns how many of u tiles along the inner dimension, beside the other ones, a ublock of an input holds: u,
// halved until the ublock has no more tiles than one of the output may have.
func ublock(u, other, most int) int {
	for u%2 == 0 && u*other > most {
		u /= 2
	}
	return u
}

func (c *Configuration) deriveSparse() {
	out := c.Block("output")
	c.extents("input0", Block{1, 1, 1, 1, 1, 1, 1}) // a list of tiles: input0_mb_c has a default
	c.extents("input1", Block{1, 1, out.GridC, c.Int("mb_inner"), out.BlocksC, c.Int("ub_inner"), out.TilesC})
	c.extents("input2", Block{1, 1, 1, 1, 1, 1, 1}) // a list of indices: input2_mb_c has a default
}

// deriveSplice: input0_mb_c always has a value, of its default or of an override.
func (c *Configuration) deriveSplice() {
	out := c.Block("output")
	for _, operand := range c.Inputs() {
		c.extents(operand, Block{
			out.T, out.GridR, out.GridC, out.BlocksR, c.Int("input0_mb_c"), out.TilesR, out.TilesC,
		})
	}
	c.fill("output_mb_c", c.Int("input0_mb_c")+c.Int("input1_mb_c")+c.Int("input2_mb_c"))
}
