package program

import (
	"strconv"

	"zonemark/driver/sweep/operations"
)

// sparse defines a product with a sparse first operand. The program loops over the strips that are not zero, in these
// over the ublocks, and in these over the tiles, whose numbers and places it reads from the indices of the third
// operand: a strip reads its rows of the second operand, a ublock reads its rows of the result and writes them back in
// the format of intermediates, and a tile is multiplied and added. What is zero costs nothing.
func sparse(c *operations.Configuration) *definition {
	p, out := c.Pattern(), c.Block("output")
	u, dense := c.Int("ub_inner"), c.Format("input1")
	list := input{
		shape:  []int{c.Block("input0").Tiles(), operations.Tile, operations.Tile},
		format: c.Format("input0"), span: factors(c.Format("input0")),
	}
	rows := operandOf(c, "input1", factors(dense))
	rows.shape = rows.shape[1:]
	d := &definition{inputs: []input{list, rows}, shape: extent(c, "output"), format: c.Format("output"),
		tolerance: exactly}
	s := sparseLoops{
		carried: c.Format("intermed"), computed: computing(dense),
		strip: u * operations.Tile, block: out.TilesR * operations.Tile, columns: d.shape[2],
	}
	d.flop = 2 * float64(p.Tiles()) * operations.Tile * operations.Tile * float64(s.columns)
	s.indices(p, d.shape[1])
	for _, table := range [][]int{s.stripRow, s.blocksFrom, s.blockRow, s.tilesFrom, s.tileValue, s.tileRow,
		s.tileColumn} {
		in := input{shape: []int{len(table)}, format: operations.Int32}
		for _, n := range table {
			in.values = append(in.values, float64(n))
		}
		d.inputs = append(d.inputs, in)
	}
	d.emit = func(m *module, args []value) value {
		s.values, s.dense = multiplied(m, args[0], args[1])
		sum := s.emit(m, m.constant("0", storage(s.carried), d.shape[0]*d.shape[1], s.columns), args[2:])
		return m.store(m.load(m.reshape(sum, d.shape...), s.carried), d.format)
	}
	d.reference = func(args [][]float64) []float64 {
		return stored(s.reference(product(d.shape), args[0], args[1]), s.columns, d.format)
	}
	return d
}

// sparseLoops are the loops of a sparse product and their tables. Places are rows of elements.
type sparseLoops struct {
	carried               operations.Format
	computed              string
	strip, block, columns int // rows of a strip and of a ublock; columns of the result
	stripRow, blocksFrom  []int
	blockRow, tilesFrom   []int
	tileValue             []int
	tileRow, tileColumn   []int

	values, dense value
}

// indices fills the tables. The tables of beginnings have one entry more, the end of the last.
func (s *sparseLoops) indices(p *operations.Pattern, rows int) {
	u := s.strip
	for i := range p.Strips {
		strip := &p.Strips[i]
		s.stripRow = append(s.stripRow, strip.Column*u)
		s.blocksFrom = append(s.blocksFrom, len(s.blockRow))
		for _, block := range strip.Blocks {
			s.blockRow = append(s.blockRow, strip.T*rows+block.Row*s.block)
			s.tilesFrom = append(s.tilesFrom, len(s.tileValue))
			for _, tile := range block.Tiles {
				s.tileValue = append(s.tileValue, tile.Value)
				s.tileRow = append(s.tileRow, tile.Row*operations.Tile)
				s.tileColumn = append(s.tileColumn, tile.Column*operations.Tile)
			}
		}
	}
	s.blocksFrom = append(s.blocksFrom, len(s.blockRow))
	s.tilesFrom = append(s.tilesFrom, len(s.tileValue))
}

func (s *sparseLoops) emit(m *module, start value, tables []value) value {
	zero, one := m.constant("0", "i32"), m.constant("1", "i32")
	read := func(table int, at value) value { return m.reshape(m.window(tables[table], []value{at}, 1)) }
	after := func(i value) value { return m.apply("add", i, one) }
	tile := func(i, sum, strip value) value {
		a := m.window(s.values, []value{read(4, i), zero, zero}, 1, operations.Tile, operations.Tile)
		b := m.window(strip, []value{read(6, i), zero}, operations.Tile, s.columns)
		row := read(5, i)
		product := m.dot(m.reshape(a, operations.Tile, operations.Tile), b, s.computed)
		part := m.window(sum, []value{row, zero}, operations.Tile, s.columns)
		return m.update(sum, m.apply("add", part, product), row, zero)
	}
	block := func(i, result, strip value) value {
		row := read(2, i)
		sum := m.load(m.window(result, []value{row, zero}, s.block, s.columns), s.carried)
		from, to := read(3, i), read(3, after(i))
		sum = m.loop(from, to, sum, func(i, sum value) value { return tile(i, sum, strip) })
		return m.update(result, m.store(sum, s.carried), row, zero)
	}
	count := m.constant(strconv.Itoa(len(s.stripRow)), "i32")
	return m.loop(zero, count, start, func(i, result value) value {
		strip := m.window(s.dense, []value{read(0, i), zero}, s.strip, s.columns)
		from, to := read(1, i), read(1, after(i))
		return m.loop(from, to, result, func(i, result value) value { return block(i, result, strip) })
	})
}

// reference computes what the loops compute.
func (s *sparseLoops) reference(size int, values, dense []float64) []float64 {
	const area = operations.Tile * operations.Tile
	result := make([]float64, size)
	for i, row := range s.stripRow {
		strip := dense[row*s.columns : (row+s.strip)*s.columns]
		for b := s.blocksFrom[i]; b < s.blocksFrom[i+1]; b++ {
			sum := result[s.blockRow[b]*s.columns : (s.blockRow[b]+s.block)*s.columns]
			for j := s.tilesFrom[b]; j < s.tilesFrom[b+1]; j++ {
				part := sum[s.tileRow[j]*s.columns : (s.tileRow[j]+operations.Tile)*s.columns]
				tile := values[s.tileValue[j]*area : (s.tileValue[j]+1)*area]
				multiplyAdd(part, tile, strip[s.tileColumn[j]*s.columns:], operations.Tile, s.columns, 0,
					operations.Tile)
			}
			stored(sum, s.columns, s.carried)
		}
	}
	return result
}
