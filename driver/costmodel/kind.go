package costmodel

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"zonemark/driver/costmodel/table"
)

// Kind is a family of operations whose cost follows the same formula.
type Kind string

// The kinds. The zero value lets the columns of a table decide.
const (
	Auto     Kind = ""
	Eltwise  Kind = "eltwise"   // unary, binary, n-ary, quant, reduce over rows or columns, splice
	ReduceZ  Kind = "reduce-z"  // reduce over z
	Matmul   Kind = "matmul"    // of Grayskull
	MatmulV2 Kind = "matmul-v2" // of Wormhole and Blackhole
	Sparse   Kind = "sparse"    // matrix multiplication with sparse left side
	Products Kind = "products"  // anything else: products of variables that the caller names
)

// Kinds returns the names that a user may choose from.
func Kinds() []Kind { return []Kind{Eltwise, ReduceZ, Matmul, MatmulV2, Sparse, Products} }

// mostVariables of a model of products: 2^6 products are more than most sweeps can tell apart.
const mostVariables = 6

// Recognize tells the kind from the columns of a table. Architecture decides between the two formulas of a matrix
// multiplication: grayskull has the first, all others the second.
func Recognize(t *table.Table, architecture string) Kind {
	has := func(name string) bool { return t.Number(name) != nil }
	switch {
	case has("nz_tiles"):
		return Sparse
	case has("k") && has("u") && t.Column("reduce_dim") == nil:
		if architecture == "grayskull" {
			return Matmul
		}
		return MatmulV2
	case has("z") && slices.ContainsFunc(t.Number("z"), func(z float64) bool { return z > 1 }):
		return ReduceZ
	}
	return Eltwise
}

// needs returns the columns that the terms of a kind are made of.
func (k Kind) needs() []string {
	switch k {
	case ReduceZ:
		return []string{"z", "m", "n", "r", "c"}
	case Matmul, MatmulV2:
		return []string{"m", "n", "k", "r", "c", "u"}
	case Sparse:
		return []string{"m", "n", "k", "r", "c", "u", "nz_strips", "nz_ublocks", "nz_tiles"}
	}
	return []string{"m", "n", "r", "c"}
}

// hasPhases reports whether the cost depends on the math fidelity by formula.
func (k Kind) hasPhases() bool { return k == Matmul || k == MatmulV2 || k == Sparse }

// Phases returns how often the matrix unit passes over a tile at a math fidelity: LoFi 1, HiFi2 2, HiFi3 3, HiFi4 4. It
// returns 0 for an unknown name.
func Phases(fidelity string) float64 {
	return float64(1 + slices.Index([]string{"LoFi", "HiFi2", "HiFi3", "HiFi4"}, fidelity))
}

// Term is one product of a cost formula. A model is a sum of terms with weights that are not negative.
type Term struct {
	Name   string // the formula
	Weight string // what params files call its weight; empty if they have none
	value  func(p *point) float64
}

// point is a configuration: the variables that terms are made of. A variable that a table lacks is 1.
type point struct {
	t, z, m, n, k, r, c, u, phases      float64
	strips, nzUblocks, nzTiles          float64
	ublocks, tiles, unit, kmn, reloaded float64 // m·n, m·n·r·c, r·c, k·m·n, and 1 if k > 1
	free                                []float64
}

func (p *point) derive() {
	p.ublocks = p.m * p.n
	p.unit = p.r * p.c
	p.tiles = p.ublocks * p.unit
	p.kmn = p.k * p.ublocks
	p.reloaded = 0
	if p.k > 1 {
		p.reloaded = 1
	}
}

// published returns the terms that the published weights belong to (formats/opmodel, formulas): the fit of the sweeps
// had t = 1.
func (k Kind) published(variables []string) []Term {
	switch k {
	case ReduceZ:
		return []Term{
			{"t*z*m*n", "ublock_weight", func(p *point) float64 { return p.t * p.z * p.ublocks }},
			{"t*z*m*n*r*c", "tile_weight", func(p *point) float64 { return p.t * p.z * p.tiles }},
			{"t*z", "z_weight", func(p *point) float64 { return p.t * p.z }},
		}
	case Matmul:
		return []Term{
			{"t*(k-1)", "m_k_weight", func(p *point) float64 { return p.t * (p.k - 1) }},
			{"t*k*m*n", "ublock_weight", func(p *point) float64 { return p.t * p.kmn }},
			{"t*k*m*n*r*c*u*phases", "tile_weight",
				func(p *point) float64 { return p.t * p.kmn * p.unit * p.u * p.phases }},
		}
	case MatmulV2:
		return []Term{
			{"t*k*m*n*r*c*u*phases", "math_tiles_weight",
				func(p *point) float64 { return p.t * p.kmn * p.unit * p.u * p.phases }},
			{"t*(k-1)*m*n*r*c", "math_dest_spill_weight", func(p *point) float64 { return p.t * (p.k - 1) * p.tiles }},
			{"t*k*m*n", "unpack_ublocks_weight", func(p *point) float64 { return p.t * p.kmn }},
			{"t*k*m*n*u*r*(1+c)", "unpack_tiles_weight",
				func(p *point) float64 { return p.t * p.kmn * p.u * p.r * (1 + p.c) }},
		}
	case Sparse:
		return sparseTerms()
	case Products:
		return products(variables)
	}
	return []Term{
		{"t*m*n", "ublock_weight", func(p *point) float64 { return p.t * p.ublocks }},
		{"t*m*n*r*c", "tile_weight", func(p *point) float64 { return p.t * p.tiles }},
	}
}

// sparseTerms returns the eleven physical terms: the costs of decoding strips and units, of multiplying, of reloading
// partial results, and of packing.
func sparseTerms() []Term {
	return []Term{
		{"nz_strips*m", "", func(p *point) float64 { return p.strips * p.m }},
		{"nz_ublocks", "", func(p *point) float64 { return p.nzUblocks }},
		{"nz_strips", "", func(p *point) float64 { return p.strips }},
		{"nz_tiles*n*c*phases", "", func(p *point) float64 { return p.nzTiles * p.n * p.c * p.phases }},
		{"nz_tiles*n*c", "", func(p *point) float64 { return p.nzTiles * p.n * p.c }},
		{"[k>1]*nz_ublocks*n*c*r", "", func(p *point) float64 { return p.reloaded * p.nzUblocks * p.n * p.unit }},
		{"[k>1]*nz_ublocks*n", "", func(p *point) float64 { return p.reloaded * p.nzUblocks * p.n }},
		{"t*n*m*c*r", "", func(p *point) float64 { return p.t * p.tiles }},
		{"nz_tiles*n", "", func(p *point) float64 { return p.nzTiles * p.n }},
		{"nz_tiles", "", func(p *point) float64 { return p.nzTiles }},
		constant(),
	}
}

// products returns the products of all subsets of the variables, and 1 for the empty one. The largest come first, so
// that of columns that a sweep cannot tell apart the one with most variables explains the cost.
func products(variables []string) []Term {
	var terms []Term
	for size := len(variables); size > 0; size-- {
		for set := range 1 << len(variables) {
			if bits.OnesCount(uint(set)) == size {
				terms = append(terms, productOf(variables, set))
			}
		}
	}
	return append(terms, constant())
}

// productOf returns the product of the variables whose bits are in set.
func productOf(variables []string, set int) Term {
	var names []string
	var factors []int
	for i, v := range variables {
		if set&(1<<i) != 0 {
			names, factors = append(names, v), append(factors, i)
		}
	}
	return Term{Name: strings.Join(names, "*"), value: func(p *point) float64 {
		product := 1.0
		for _, f := range factors {
			product *= p.free[f]
		}
		return product
	}}
}

// space is a table as configurations: the columns that terms need, checked.
type space struct {
	table   *table.Table
	columns [][]float64 // in the order of shapeVariables, nil if the table lacks it; or the variables of products
	free    bool
	phases  []string // nil if the table has no fidelity
}

// shapeVariables returns the variables of all kinds but Products.
func shapeVariables() []string { return append(table.Shape(), "nz_strips", "nz_ublocks", "nz_tiles") }

// space returns an error if a column is missing, has a gap, or a number that no shape has.
func (k Kind) space(t *table.Table, variables []string) (*space, error) {
	s := &space{table: t, free: k == Products}
	if s.free {
		if len(variables) == 0 || len(variables) > mostVariables {
			return nil, fmt.Errorf("a model of products needs 1 to %d variables, not %d", mostVariables, len(variables))
		}
		for _, name := range variables {
			s.columns = append(s.columns, t.Number(name))
		}
		return s, t.Require(variables...)
	}
	if err := t.Require(k.needs()...); err != nil {
		return nil, err
	}
	for _, name := range shapeVariables() {
		column := t.Number(name)
		if err := counts(t, name, column); err != nil {
			return nil, err
		}
		s.columns = append(s.columns, column)
	}
	s.phases = t.Text("math_fidelity")
	if s.phases == nil && k.hasPhases() {
		return nil, t.Require("math_fidelity")
	}
	for i, name := range s.phases {
		if Phases(name) == 0 {
			return nil, fmt.Errorf("%s: column %s: %q: want LoFi, HiFi2, HiFi3 or HiFi4",
				t.Where(i), t.Column("math_fidelity").Header, name)
		}
	}
	return s, nil
}

// points appends the configurations of some rows.
func (s *space) points(to []point, from, end int) []point {
	for i := from; i < end; i++ {
		to = append(to, point{})
		p := &to[len(to)-1]
		if s.free {
			for _, column := range s.columns {
				p.free = append(p.free, column[i])
			}
			continue
		}
		at := func(variable int) float64 {
			if column := s.columns[variable]; column != nil && !math.IsNaN(column[i]) {
				return column[i]
			}
			return 1
		}
		p.t, p.z, p.m, p.n, p.k, p.r, p.c, p.u = at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)
		p.strips, p.nzUblocks, p.nzTiles = at(8), at(9), at(10)
		p.phases = 1
		if s.phases != nil {
			p.phases = Phases(s.phases[i])
		}
		p.derive()
	}
	return to
}

// counts returns an error if a variable of the shape is below 1 somewhere, or no whole number of 32 bits; numbers of
// non-zeros may be 0.
func counts(t *table.Table, name string, column []float64) error {
	least := 1.0
	if strings.HasPrefix(name, "nz_") {
		least = 0
	}
	for i, v := range column {
		if v < least {
			return fmt.Errorf("%s: column %s: %g is below %g", t.Where(i), t.Column(name).Header, v, least)
		}
		if v != math.Trunc(v) && !math.IsNaN(v) || v > math.MaxUint32 {
			return fmt.Errorf("%s: column %s: %g is no whole number of 32 bits", t.Where(i), t.Column(name).Header, v)
		}
	}
	return nil
}
