package operations

import "math/rand/v2"

// Pattern says which tiles of the first operand of a sparse product are not zero. The operand is output_t times
// output_mb_r × mb_inner ublocks of output_ub_r × ub_inner tiles. A strip is a column of ublocks of one t: it needs one
// strip of rows of the second operand.
type Pattern struct{ Strips []Strip }

// Strip is a column of ublocks that is not all zero.
type Strip struct {
	T, Column int // Column counts ublocks along the inner dimension
	Blocks    []SparseBlock
}

// SparseBlock is a ublock that is not all zero.
type SparseBlock struct {
	Row   int // counts ublocks
	Tiles []SparseTile
}

// SparseTile is a tile that is not zero, by its place in its ublock. Value is its place in input0, the list of
// different tiles.
type SparseTile struct{ Row, Column, Value int }

// Blocks returns the number of ublocks that are not zero.
func (p *Pattern) Blocks() int {
	n := 0
	for i := range p.Strips {
		n += len(p.Strips[i].Blocks)
	}
	return n
}

// Tiles returns the number of tiles that are not zero.
func (p *Pattern) Tiles() int {
	n := 0
	for i := range p.Strips {
		for j := range p.Strips[i].Blocks {
			n += len(p.Strips[i].Blocks[j].Tiles)
		}
	}
	return n
}

// Pattern returns the pattern of a sparse product, which its shape alone decides, the same everywhere. The shares of
// strips, of ublocks in a strip and of tiles in a ublock that are not zero differ from shape to shape over the ranges
// of the published sweeps, each by itself, so that a model can tell them apart. Nothing is empty: there is at least one
// strip, each has at least one ublock, and each of those at least one tile.
func (c *Configuration) Pattern() *Pattern {
	out, k, u := c.Block("output"), c.Int("mb_inner"), c.Int("ub_inner")
	seed := uint64(0)
	for _, n := range []int{out.T, out.GridR, out.BlocksR, out.TilesR, out.BlocksC, out.TilesC, k, u} {
		seed = seed*extentMost + uint64(n)*0x9e3779b97f4a7c15>>3
	}
	r := rand.New(rand.NewPCG(seed, 2))
	strips, blocks, tiles := 0.1+0.6*r.Float64(), 0.25+0.65*r.Float64(), 0.3+0.65*r.Float64()
	values := max(1, c.Block("input0").Tiles())
	p := &Pattern{}
	for _, s := range some(r, out.T*k, strips) {
		strip := Strip{T: s / k, Column: s % k}
		for _, row := range some(r, out.GridR*out.BlocksR, blocks) {
			block := SparseBlock{Row: row}
			for _, at := range some(r, out.TilesR*u, tiles) {
				block.Tiles = append(block.Tiles, SparseTile{at / u, at % u, r.IntN(values)})
			}
			strip.Blocks = append(strip.Blocks, block)
		}
		p.Strips = append(p.Strips, strip)
	}
	return p
}

// some returns about a share of the numbers from 0 to n-1, in order and at least one.
func some(r *rand.Rand, n int, share float64) []int {
	want := min(n, max(1, int(share*float64(n)+0.5)))
	var list []int
	for i := range n { // the chance of each makes exactly want of n
		if r.IntN(n-i) < want-len(list) {
			list = append(list, i)
		}
	}
	return list
}
