package operations

import "slices"

// Constraint is a rule that every configuration keeps. A configuration that breaks several counts for the first.
type Constraint struct {
	Name string
	Rule string // in a sentence without its period
	kept func(c *Configuration) bool
}

// Limits of a core, in tiles and bytes without headers. No document states them. They are what the published sweeps
// kept to: each published list of shapes is the product of its lists under these limits, none missing and none more.
const (
	destTiles   = 8           // in the registers that a ublock of the result is computed in
	destTiles32 = 4           // of them, if the results have 32 bits there, as with integers
	outputBytes = 512 << 10   // for two blocks of the output: one is written while one is sent
	inputBytes  = 512<<10 - 1 // for a block of an operand of a matrix product
	l1Bytes     = 1200 << 10  // for the blocks that a core has of a matrix product at a time
)

// Constraints returns the rules in the order in which they are applied.
func Constraints() []Constraint {
	return []Constraint{
		{"format-pair", "operands have formats that the operation takes together: element-wise operations " +
			"equal ones; products all integers (Int8 to Int32) or none; quantizations integers on one side, " +
			"no block formats", legalFormats},
		{"exponent-width", "formats with exponents of 5 bits (Float16, Bfp8, Bfp4, Bfp2) and of 8 bits " +
			"(the others) do not mix", oneExponentWidth},
		{"fidelity", "LoFi goes with block formats in all inputs, the higher fidelities with all others", fidelityFits},
		{"shape", "the blocks of the inputs fit the block of the output", shapesFit},
		{"dest", "a ublock of the output has at most 8 tiles, 4 with integers or Float32", fitsDest},
		{"output-block", "two blocks of the output take at most 512 KiB", fitsOutput},
		{"input-block", "a block of an operand of a matrix product takes less than 512 KiB", fitsInputs},
		{"l1", "two columns of ublocks of each operand of a matrix product and two blocks of the output " +
			"take at most 1200 KiB", fitsL1},
		{"memory", "no operand has more than 2^28 elements, the zeros of a sparse one included", fitsMemory},
		{"sparse-index", "the non-zero tiles fit into the indices (1024 in each tile of input2)", fitsIndices},
	}
}

func legalFormats(c *Configuration) bool {
	in, out := c.Format("input0"), c.Format("output")
	switch c.Type {
	case Quant:
		return legalQuantization(c)
	case Matmul, MatmulL1Acc, MatmulSparse, Depthwise:
		second := c.Format("input1")
		if in == Int8 && second == Int8 {
			return out == Int32 && c.Format("intermed") == Int32
		}
		return !in.Integer() && !second.Integer() && !out.Integer() && !c.Format("intermed").Integer()
	case Splice:
		return in == out && c.Format("input1") == in && c.Format("input2") == in
	case Binary:
		return in == out && c.Format("input1") == in && in.Integer() == c.Format("intermed").Integer()
	}
	return in == out && in.Integer() == c.Format("intermed").Integer()
}

func legalQuantization(c *Configuration) bool {
	quantized := func(f Format) bool { return f == Int8 || f == Int32 }
	plain := func(f Format) bool { return !f.Integer() && !f.Block() }
	in, scale, out := c.Format("input0"), c.Format("input1"), c.Format("output")
	switch c.Int("quant_type") {
	case Quantization:
		return plain(in) && plain(scale) && out == Int8
	case Dequantization:
		return quantized(in) && plain(scale) && plain(out)
	}
	return quantized(in) && plain(scale) && out == Int8
}

func oneExponentWidth(c *Configuration) bool {
	wide, narrow := false, false
	for _, operand := range append(c.Inputs(), "output", "intermed") {
		switch f := c.Format(operand); {
		case f.Integer(), f == 0:
		case f.Wide():
			wide = true
		default:
			narrow = true
		}
	}
	return !wide || !narrow
}

func fidelityFits(c *Configuration) bool {
	for _, operand := range c.Inputs() {
		if f := c.Format(operand); !f.Block() && (c.Type != MatmulSparse || operand == "input1") {
			return c.Int("math_fidelity") != LoFi
		}
	}
	return c.Int("math_fidelity") == LoFi
}

func shapesFit(c *Configuration) bool {
	out := c.Block("output")
	switch c.Type {
	case Matmul, MatmulL1Acc:
		return productFits(out, c.Block("input0"), c.Block("input1"), c.Int("mb_inner"), c.Int("ub_inner"))
	case Depthwise:
		a, w, k := c.Block("input0"), c.Block("input1"), c.Int("mb_inner")
		return a.T == out.T && w.T == out.T && a.Rows() == out.Rows() && a.Columns() == k*out.Columns() &&
			w.Rows() == k*Tile && w.Columns() == out.Columns()
	case MatmulSparse:
		b := c.Block("input1")
		return b.T == 1 && b.Rows() == c.Int("mb_inner")*c.Int("ub_inner")*Tile && b.Columns() == out.Columns()
	case Splice:
		columns := 0
		for _, operand := range c.Inputs() {
			b := c.Block(operand)
			columns += b.Columns()
			if b.T != out.T || b.Rows() != out.Rows() {
				return false
			}
		}
		return columns == out.Columns()
	case Reduce:
		if out.T *= c.Int("z"); c.Int("reduce_dim") != AlongZ && c.Int("z") != 1 {
			return false
		}
	}
	return !slices.ContainsFunc(c.Inputs(), func(operand string) bool { return c.Block(operand) != out })
}

func productFits(out, a, b Block, k, u int) bool {
	inner := k * u * Tile
	return a.T == out.T && b.T == out.T && a.Rows() == out.Rows() && b.Columns() == out.Columns() &&
		a.Columns() == inner && b.Rows() == inner
}

// dest returns the most tiles that a ublock of the output may have.
func (c *Configuration) dest() int {
	for _, operand := range append(c.Inputs(), "output", "intermed") {
		if f := c.Format(operand); f != RawUInt32 && (f.Integer() || f == Float32) {
			return destTiles32
		}
	}
	return destTiles
}

func fitsDest(c *Configuration) bool {
	out := c.Block("output")
	return out.TilesR*out.TilesC <= c.dest()
}

func fitsOutput(c *Configuration) bool {
	return 2*c.Block("output").Tiles()*c.Format("output").TileBytes() <= outputBytes
}

func fitsInputs(c *Configuration) bool {
	if c.Type != Matmul && c.Type != MatmulL1Acc {
		return true
	}
	return !slices.ContainsFunc(c.Inputs(), func(operand string) bool {
		return c.Block(operand).Tiles()*c.Format(operand).TileBytes() > inputBytes
	})
}

func fitsL1(c *Configuration) bool {
	if c.Type != Matmul && c.Type != MatmulL1Acc {
		return true
	}
	out, u := c.Block("output"), c.Int("ub_inner")
	first := out.BlocksR * out.TilesR * u * c.Format("input0").TileBytes()
	second := out.BlocksC * out.TilesC * u * c.Format("input1").TileBytes()
	return 2*(first+second+out.Tiles()*c.Format("output").TileBytes()) <= l1Bytes
}

// elementsMost bounds an operand: 1 GiB of Float32.
const elementsMost = 1 << 28

func fitsMemory(c *Configuration) bool {
	size := func(b Block) float64 { // extents may multiply to more than an integer holds
		return float64(b.T) * float64(b.GridR*b.BlocksR*b.TilesR) * float64(b.GridC*b.BlocksC*b.TilesC)
	}
	blocks := []Block{c.Block("output")}
	for _, operand := range c.Inputs() {
		blocks = append(blocks, c.Block(operand))
	}
	if c.Type == MatmulSparse {
		dense := c.Block("output")
		dense.GridC, dense.BlocksC, dense.TilesC = 1, c.Int("mb_inner"), c.Int("ub_inner")
		blocks = append(blocks, dense)
	}
	return !slices.ContainsFunc(blocks, func(b Block) bool { return size(b)*Tile*Tile > elementsMost })
}

func fitsIndices(c *Configuration) bool {
	return c.Type != MatmulSparse || c.Pattern().Tiles() <= c.Block("input2").Tiles()*Tile*Tile
}
