package costmodel

// extended returns more terms than params files have weights for. They make a sum of terms follow what the published
// formulas leave out: a constant cost, a cost for each row or column of units, the larger of two costs that run at the
// same time (a convex function of the tiles in a unit, in segments), and what repeats for each column of blocks.
func (k Kind) extended(variables []string) []Term {
	switch k {
	case ReduceZ:
		return append(k.published(variables),
			Term{"t*m*n*r*c", "", func(p *point) float64 { return p.t * p.tiles }},
			Term{"t*m*n", "", func(p *point) float64 { return p.t * p.ublocks }},
			Term{"t*(z-1)*m*n*r*c", "", func(p *point) float64 { return p.t * (p.z - 1) * p.tiles }},
			Term{"t*(z-1)*m*n", "", func(p *point) float64 { return p.t * (p.z - 1) * p.ublocks }},
			Term{"t*(z-1)", "", func(p *point) float64 { return p.t * (p.z - 1) }},
			Term{"t*[z>1]*m*n*r*c", "", func(p *point) float64 { return p.t * min(p.z-1, 1) * p.tiles }},
			constant(),
		)
	case Matmul, MatmulV2:
		terms := k.published(variables)
		if k == Matmul {
			spill := func(p *point) float64 { return p.t * (p.k - 1) * p.tiles }
			terms = append(terms, Term{"t*(k-1)*m*n*r*c", "", spill})
		}
		return append(terms,
			Term{"t*k*m*n*u*r", "", func(p *point) float64 { return p.t * p.kmn * p.u * p.r }},
			Term{"t*k*m*n*u*c", "", func(p *point) float64 { return p.t * p.kmn * p.u * p.c }},
			Term{"t*k*m*n*u", "", func(p *point) float64 { return p.t * p.kmn * p.u }},
			Term{"t*m*n*r*c", "", func(p *point) float64 { return p.t * p.tiles }},
			Term{"t*m*n", "", func(p *point) float64 { return p.t * p.ublocks }},
			constant(),
		)
	case Sparse:
		return sparseColumnTerms()
	case Products:
		return k.published(variables)
	}
	terms := append(k.published(variables),
		Term{"t*m*n*r", "", func(p *point) float64 { return p.t * p.ublocks * p.r }},
		Term{"t*m*n*c", "", func(p *point) float64 { return p.t * p.ublocks * p.c }},
		Term{"t*m", "", func(p *point) float64 { return p.t * p.m }},
		constant(),
	)
	for _, bend := range []struct {
		name string
		at   float64
	}{{"t*m*n*max(0,r*c-1)", 1}, {"t*m*n*max(0,r*c-2)", 2}, {"t*m*n*max(0,r*c-4)", 4}, {"t*m*n*max(0,r*c-8)", 8}} {
		terms = append(terms, Term{bend.name, "",
			func(p *point) float64 { return p.t * p.ublocks * max(0, p.unit-bend.at) }})
	}
	return terms
}

func constant() Term { return Term{"1", "", func(*point) float64 { return 1 }} }

// sparseColumnTerms returns the physical terms of a sparse multiplication with all work repeated for each of the n
// columns of blocks, as the measurements have it: leaving n = 4 out of the published sweep, the terms without n are 78
// % off.
func sparseColumnTerms() []Term {
	return []Term{
		{"nz_strips*m*n", "", func(p *point) float64 { return p.strips * p.ublocks }},
		{"nz_ublocks*n", "", func(p *point) float64 { return p.nzUblocks * p.n }},
		{"nz_strips*n", "", func(p *point) float64 { return p.strips * p.n }},
		{"nz_tiles*n*c*phases", "", func(p *point) float64 { return p.nzTiles * p.n * p.c * p.phases }},
		{"nz_tiles*n*c", "", func(p *point) float64 { return p.nzTiles * p.n * p.c }},
		{"[k>1]*nz_ublocks*n*c*r", "", func(p *point) float64 { return p.reloaded * p.nzUblocks * p.n * p.unit }},
		{"[k>1]*nz_ublocks*n", "", func(p *point) float64 { return p.reloaded * p.nzUblocks * p.n }},
		{"t*n*m*c*r", "", func(p *point) float64 { return p.t * p.tiles }},
		{"nz_tiles*n", "", func(p *point) float64 { return p.nzTiles * p.n }},
		{"t*m*n", "", func(p *point) float64 { return p.t * p.ublocks }},
		constant(),
	}
}
