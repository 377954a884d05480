package params

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Descriptor is an operation with its shape: t·z loops over blocks of m × n (and k) units of r × c (and u) tiles.
type Descriptor struct {
	Operation              string // as the file calls it, such as gelu, matmul, reduce
	T, Z, M, N, K, R, C, U uint32 // Z is 0 if nothing is reduced over z; K and U are 0 outside of matmul
	Format                 string // of the data: of the output, for de- and requantization of the first input
	Fidelity               string // LoFi, HiFi2, HiFi3, HiFi4
	VectorMode             string // rc, r, c
	Approximate            bool
	L1Accumulate           bool
	ReduceDim              string // of reduce: r, c or empty
	Sparse                 bool   // the left side of a matmul is sparse
	NzStrips, NzUblocks    uint32 // of a sparse matmul: 0 if unknown
	NzTiles                uint32
}

// Estimated is the estimate of a parameter file for an operation.
type Estimated struct {
	Cycles    uint32
	Operation string // whose weights were used
	Set       string // the attribute set
	Warnings  []string
}

// mostCycles is the greatest estimate. Larger ones are cut to it.
const mostCycles = 1 << 30

var formats = []string{
	"Float16", "Float16_b", "Bfp8", "Bfp8_b", "Bfp4", "Bfp4_b", "Bfp2", "Bfp2_b", "RawUInt32", "Int32", "Int8",
	"Float32", "Tf32",
}

// check returns an error if the descriptor is not one of an operation that can run.
func (d *Descriptor) check(architecture string) error {
	for _, v := range []struct {
		name  string
		value uint32
	}{{"t", d.T}, {"m", d.M}, {"n", d.N}, {"r", d.R}, {"c", d.C}} {
		if v.value == 0 {
			return fmt.Errorf("%s: %s is 0", d.Operation, v.name)
		}
	}
	if d.Operation == "matmul" || d.Operation == "depthwise" {
		if d.K == 0 || d.U == 0 {
			return fmt.Errorf("%s: k is %d and u is %d: want more than 0", d.Operation, d.K, d.U)
		}
	}
	switch {
	case !slices.Contains(formats, d.Format):
		return fmt.Errorf("%s: format %q: want one of %s", d.Operation, d.Format, strings.Join(formats, ", "))
	case d.phases() == 0:
		return fmt.Errorf("%s: math fidelity %q: want LoFi, HiFi2, HiFi3 or HiFi4", d.Operation, d.Fidelity)
	case !slices.Contains([]string{"rc", "r", "c"}, d.VectorMode):
		return fmt.Errorf("%s: vector mode %q: want rc, r or c", d.Operation, d.VectorMode)
	case (d.Format == "Int8" || d.Format == "Int32") && architecture != "" && architecture != "wormhole_b0":
		return fmt.Errorf("%s: format %s: only wormhole_b0 computes with integers, not %s",
			d.Operation, d.Format, architecture)
	}
	return nil
}

func (d *Descriptor) phases() uint32 {
	return uint32(1 + slices.Index([]string{"LoFi", "HiFi2", "HiFi3", "HiFi4"}, d.Fidelity))
}

// weights are the weights of a set by name, with what was missing.
type weights struct {
	of       []Weight
	warnings []string
	where    string
}

// get returns a weight as a 32-bit float, as the published program computes. A missing one is 0, with a warning.
func (w *weights) get(name string) float32 {
	for _, v := range w.of {
		if v.Name == name {
			return float32(v.Value)
		}
	}
	w.warnings = append(w.warnings, fmt.Sprintf("%s: no weight %s: it counts as 0", w.where, name))
	return 0
}

func (w *weights) has(name string) bool {
	return slices.ContainsFunc(w.of, func(v Weight) bool { return v.Name == name })
}

// Lookup finds the weights of an operation. A sparse matmul is matmul_sparse, and a reduce over z is reduce_z; an
// operation that the file lacks is taken for nop, with a warning. Of its sets the last one in the file of whose
// attributes the operation has all is used; nil and an error are returned if there is none.
func (f *File) Lookup(d *Descriptor) (op string, set *Set, warnings []string, err error) {
	op = d.Operation
	switch {
	case op == "matmul" && d.Sparse:
		op = "matmul_sparse"
	case op == "reduce" && d.Z > 0:
		op = "reduce_z"
	}
	o := f.Operation(op)
	if o == nil {
		warnings = append(warnings, fmt.Sprintf("%s: no operation %s: estimated as nop", f.Name, op))
		if op, o = "nop", f.Operation("nop"); o == nil {
			return "", nil, warnings, fmt.Errorf("%s: no operation %s and no nop", f.Name, d.Operation)
		}
	}
	for i := len(o.Sets) - 1; i >= 0; i-- {
		if o.Sets[i].matches(d) {
			return op, &o.Sets[i], warnings, nil
		}
	}
	return op, nil, warnings, fmt.Errorf("%s: operation %s has no weights for these attributes", f.Name, op)
}

// Destination returns the operation and the attribute set that the weights of an operation are written under, with the
// attributes in the published order. Bfp formats have sets of their own for a matmul only.
func (d *Descriptor) Destination() (operation, set string) {
	operation = d.Operation
	switch {
	case operation == "matmul" && d.Sparse:
		operation = "matmul_sparse"
	case operation == "reduce" && d.Z > 0:
		operation = "reduce_z"
	}
	var parts []string
	for _, name := range []string{"l1_acc_en", "df_bfp", "df_int8", "df_int32", "approx", "vector_r", "vector_c",
		"dim_c"} {
		at := slices.IndexFunc(attributes, func(a attribute) bool { return a.name == name })
		if attributes[at].has(d) && (name != "df_bfp" || operation == "matmul") {
			parts = append(parts, name)
		}
	}
	if len(parts) == 0 {
		return operation, "base"
	}
	return operation, strings.Join(parts, "/")
}

func (s *Set) matches(d *Descriptor) bool {
	for part := range strings.SplitSeq(s.Name, "/") {
		at := slices.IndexFunc(attributes, func(a attribute) bool { return a.name == part })
		if at < 0 || !attributes[at].has(d) {
			return false
		}
	}
	return true
}

// Estimate computes the cycles for one input by the published formulas, in sums of 32-bit floats. The result is cut to
// a whole number of at most 2^30; zero and what does not fit 32 bits are errors.
func (f *File) Estimate(d *Descriptor) (Estimated, error) {
	return f.estimate(d, true)
}

// EstimateSparseV1 is Estimate with the first formula for a sparse matmul, also where the second applies.
func (f *File) EstimateSparseV1(d *Descriptor) (Estimated, error) {
	return f.estimate(d, false)
}

func (f *File) estimate(d *Descriptor, second bool) (Estimated, error) {
	if err := d.check(f.Architecture); err != nil {
		return Estimated{}, err
	}
	op, set, warnings, err := f.Lookup(d)
	e := Estimated{Operation: op, Warnings: warnings}
	if err != nil {
		return e, err
	}
	e.Set = set.Name
	w := &weights{of: set.Weights, where: fmt.Sprintf("%s: %s, %s", f.Name, op, set.Name)}
	var cycles float32
	switch {
	case op == "matmul_sparse" && second && d.HasSecondFormula(f.Architecture):
		cycles = sparseV2(d, w)
	case op == "matmul_sparse":
		cycles = sparseV1(d, w)
	case op == "matmul" || op == "depthwise":
		cycles = matmul(d, w)
	default:
		cycles = eltwise(op, d, w)
	}
	e.Warnings = append(e.Warnings, w.warnings...)
	switch {
	case !(cycles < 1<<32):
		return e, fmt.Errorf("%s: %s: the estimate of %g cycles overflows 32 bits", f.Name, op, cycles)
	case cycles < 1:
		return e, fmt.Errorf("%s: %s: the estimate is 0 cycles", f.Name, op)
	case cycles > mostCycles:
		e.Warnings = append(e.Warnings, fmt.Sprintf("%s: %s: %g cycles are cut to 2^30", f.Name, op, cycles))
	}
	e.Cycles = uint32(min(cycles, mostCycles))
	return e, nil
}

// product multiplies whole numbers, and becomes an infinite float where 64 bits do not hold it.
func product(numbers ...uint32) float32 {
	all := 1.0
	for _, n := range numbers {
		all *= float64(n)
	}
	if all >= 1<<63 {
		return float32(math.Inf(1))
	}
	return float32(all)
}

// eltwise is t·(m·n·ublock_weight + m·n·r·c·tile_weight·f), and with z > 0 reduced over z
// t·z·(m·n·ublock_weight + m·n·r·c·tile_weight + z_weight).
func eltwise(op string, d *Descriptor, w *weights) float32 {
	blocks := float32(product(d.M, d.N) * w.get("ublock_weight"))
	tiles := float32(product(d.M, d.N, d.R, d.C) * w.get("tile_weight"))
	tiles *= formatFactor(op, d.Format)
	sum := blocks + tiles
	if op == "reduce_z" {
		return product(d.T, d.Z) * float32(sum+w.get("z_weight"))
	}
	return product(d.T) * sum
}

// formatFactor returns 2 for 16-bit and 4 for 32-bit floats in binary and quantizing operations but maximum, and else
// 1.
func formatFactor(op, format string) float32 {
	if !slices.Contains([]string{
		"add", "subtract", "multiply", "quantization", "dequantization", "requantization",
	}, op) {
		return 1
	}
	switch format {
	case "Float16", "Float16_b":
		return 2
	case "Float32", "Tf32":
		return 4
	}
	return 1
}

// matmul is the first formula where the weights are those of the first, and else the second:
//
//	t·((k−1)·m_k_weight + k·m·n·ublock_weight + k·m·n·r·c·u·tile_weight·phases)
//	t·(k·m·n·r·c·u·phases·math_tiles_weight + (k−1)·m·n·r·c·math_dest_spill_weight + k·m·n·unpack_ublocks_weight +
//	   k·m·n·u·r·(1+c)·unpack_tiles_weight)
func matmul(d *Descriptor, w *weights) float32 {
	if w.has("m_k_weight") {
		sum := float32(product(d.K-1) * w.get("m_k_weight"))
		sum += float32(product(d.K, d.M, d.N) * w.get("ublock_weight"))
		tiles := float32(product(d.K, d.M, d.N, d.R, d.C, d.U) * w.get("tile_weight"))
		sum += float32(tiles * product(d.phases()))
		return product(d.T) * sum
	}
	sum := float32(product(d.K, d.M, d.N, d.R, d.C, d.U, d.phases()) * w.get("math_tiles_weight"))
	sum += float32(product(d.K-1, d.M, d.N, d.R, d.C) * w.get("math_dest_spill_weight"))
	sum += float32(product(d.K, d.M, d.N) * w.get("unpack_ublocks_weight"))
	sum += float32(product(d.K, d.M, d.N, d.U, d.R, 1+d.C) * w.get("unpack_tiles_weight"))
	return product(d.T) * sum
}
