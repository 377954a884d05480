package params

import (
	"math"
	"slices"
)

// HasSecondFormula reports whether the second formula for a sparse matmul applies: it was measured on wormhole_b0, for
// 16-bit floats at HiFi2 to HiFi4 and for Bfp8 at LoFi, and needs the counts of strips and units.
func (d *Descriptor) HasSecondFormula(architecture string) bool {
	if architecture != "wormhole_b0" || d.NzStrips == 0 || d.NzUblocks == 0 {
		return false
	}
	if d.Fidelity == "LoFi" {
		return d.Format == "Bfp8" || d.Format == "Bfp8_b"
	}
	return d.Format == "Float16" || d.Format == "Float16_b"
}

// sparseV1 sums what it takes to multiply, to reload partial results, to pack and to decode. Strips of the sparse side
// are t·k, units are at least strips·m, and non-zero units are nz_tiles/(t·r·c), cut.
func sparseV1(d *Descriptor, w *weights) float32 {
	t, m, n, r, c := uint64(d.T), uint64(d.M), uint64(d.N), uint64(d.R), uint64(d.C)
	nzTiles := uint64(d.NzTiles)
	nonZero := nzTiles / max(1, t*r*c)
	units := max(t*uint64(max(d.K, 1))*m, nonZero)

	sum := float32(float32(nzTiles*n*c) * float32(w.get("tile_weight")*float32(d.phases())))
	reload := float32(w.get("reload_config") + float32(w.get("reload")*float32(c*r)))
	reloads := float32(float32(units)*w.get("reload_wait_pop")) + float32(float32(nonZero)*reload)
	sum += float32(reloads * float32(n))
	if d.K > 1 {
		sum += float32(float32(m*t*n) * reload)
	}
	sum += float32(w.get("pack_wait_push") * float32((units-nonZero)*n))
	sum += float32(w.get("pack") * float32(2*t*n*m*c*r))
	sum += float32(float32(nzTiles*(2+n)) * w.get("nz_tile_decode"))
	sum += float32(float32(units) * w.get("ublock_decode"))
	sum += float32(float32(nonZero) * w.get("nz_ublock_decode"))
	return sum
}

// sparseV2 takes the cycles for a tile from a table by the shape of a unit.
func sparseV2(d *Descriptor, w *weights) float32 {
	entry := blockCycles(d)
	decode := float32(product(d.NzStrips, d.M) * w.get("v2_ublock_decode"))
	decode += float32(product(d.NzUblocks) * w.get("v2_nz_ublock_decode"))
	decode += float32(product(d.NzStrips) * w.get("v2_nz_strip_decode"))
	scale := 1.0
	switch d.Fidelity {
	case "HiFi3":
		scale = 1.2
	case "HiFi4":
		scale = 1.7
	}
	math := math.Floor(float64(d.NzTiles) * float64(d.N) * float64(d.C) * float64(entry.math) * scale)
	reload := float32(0)
	if d.K > 1 {
		reload = product(d.NzUblocks, d.N, d.C, d.R) * entry.reload
	}
	pack := product(d.T, d.N, d.M, d.C, d.R) * entry.pack
	return decode + float32(math) + reload + pack
}

// cycles are those of the second formula for a unit's shape: to multiply a tile and decode it, to reload a tile of a
// partial result, and to pack a tile.
type cycles struct{ math, reload, pack float32 }

// blockCycles finds the entry for a unit of r × c tiles and u inner tiles. Where the table lacks r, c or u, the next
// smaller one that it has counts, in that order.
func blockCycles(d *Descriptor) cycles {
	table := hifiCycles
	if d.Fidelity == "LoFi" {
		table = lofiCycles
	}
	byC := table[nextSmaller([]uint32{1, 2, 4, 8}, d.R)]
	byU := byC[nextSmaller([]uint32{1, 2, 4, 8}[:len(byC)], d.C)]
	return byU[nextSmaller([]uint32{1, 4, 8}, max(d.U, 1))]
}

// nextSmaller returns the place of the largest of some ascending numbers that is not above v.
func nextSmaller(of []uint32, v uint32) int {
	at, found := slices.BinarySearch(of, v)
	if found {
		return at
	}
	return max(at-1, 0)
}

// The tables of the second formula (tt-budabackend, perf_lib/op_model/params/wormhole_b0_sparse_v2_formula_params,
// Apache-2.0): rows for r = 1, 2, 4, 8, in them c = 1, 2, 4, 8, in them u = 1, 4, 8.
var (
	lofiCycles = [][][3]cycles{
		{
			{{335, 140, 150}, {100, 136, 117}, {55, 140, 115}},
			{{125, 110, 100}, {50, 110, 90}, {26, 110, 80}},
			{{26, 50, 50}, {26, 50, 50}, {26, 50, 50}},
			{{26, 45, 40}, {26, 45, 36}, {26, 45, 35}},
		},
		{
			{{125, 110, 100}, {55, 110, 90}, {55, 110, 80}},
			{{26, 50, 50}, {26, 50, 50}, {26, 50, 50}},
			{{26, 45, 40}, {26, 45, 36}, {26, 45, 35}},
		},
		{
			{{55, 45, 35}, {55, 45, 35}, {55, 45, 35}},
			{{26, 45, 40}, {26, 45, 36}, {26, 45, 35}},
		},
		{
			{{55, 45, 35}, {55, 45, 35}, {55, 45, 35}},
		},
	}
	hifiCycles = [][][3]cycles{
		{
			{{335, 142, 150}, {100, 140, 123}, {55, 140, 120}},
			{{125, 110, 100}, {50, 110, 90}, {38, 110, 80}},
			{{38, 50, 50}, {38, 50, 50}, {38, 50, 50}},
			{{38, 45, 42}, {37, 45, 40}, {38, 45, 40}},
		},
		{
			{{125, 110, 100}, {55, 110, 90}, {55, 110, 80}},
			{{38, 50, 50}, {38, 50, 50}, {38, 50, 50}},
			{{38, 45, 42}, {37, 45, 40}, {38, 45, 40}},
		},
		{
			{{55, 45, 40}, {55, 45, 40}, {55, 45, 40}},
			{{38, 45, 42}, {37, 45, 40}, {38, 45, 40}},
		},
		{
			{{55, 45, 35}, {55, 45, 35}, {55, 45, 35}},
		},
	}
)
