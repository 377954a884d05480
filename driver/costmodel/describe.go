package costmodel

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/driver/costmodel/params"
	"zonemark/driver/costmodel/table"
)

// Identity describes the operation of a sweep, by the file's name and columns.
type Identity struct {
	Operation    string // as params files call it: gelu_derivative, matmul, reduce, splice
	Approximate  bool
	L1Accumulate bool
	ReduceDim    string // r, c or empty
}

// Identify reads the name of a sweep's file: <operation>[-approx|-int8|-int32|-bfp8|-fp16]-op-performance.csv, which is
// the layout of the published ones. Formats are read from the columns, not from the name.
func Identify(file string) Identity {
	name := strings.ToLower(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
	name = strings.ReplaceAll(name, "-", "_")
	name = strings.TrimSuffix(strings.TrimSuffix(name, "_performance"), "_op")
	name = strings.TrimPrefix(name, "whb0_")
	var id Identity
	for more := true; more; {
		more = false
		for _, suffix := range []string{"_int8", "_int32", "_bfp8", "_fp16", "_approx", "_l1_acc"} {
			rest, found := strings.CutSuffix(name, suffix)
			if !found || rest == "" {
				continue
			}
			name, more = rest, true
			id.Approximate = id.Approximate || suffix == "_approx"
			id.L1Accumulate = id.L1Accumulate || suffix == "_l1_acc"
		}
	}
	if dim, reduces := strings.CutPrefix(name, "reduce_"); reduces && len(dim) == 1 {
		name, id.ReduceDim = "reduce", dim
	}
	if name == "matmul_sparse" || name == "matmul_sparse_nz_counts" {
		name = "matmul"
	}
	id.Operation = name
	return id
}

// ArchitectureOf returns the architecture that a folder of a path names, as the published files lie, or an empty text.
func ArchitectureOf(path string) string {
	for folder := filepath.Dir(path); ; folder = filepath.Dir(folder) {
		if name := filepath.Base(folder); slices.Contains(Architectures(), name) {
			return name
		}
		if folder == filepath.Dir(folder) {
			return ""
		}
	}
}

// Architectures returns the architectures that have published parameters.
func Architectures() []string { return []string{"grayskull", "wormhole_b0", "blackhole"} }

// ModelName names the model of an attribute set of an operation: matmul, or matmul/df_bfp.
func ModelName(operation, set string) string {
	if set == "" || set == "base" {
		return operation
	}
	return operation + "/" + set
}

// Describe makes descriptors for parameter files of the rows of a table. What a row says of the operation (its type,
// approximate and vector mode) goes before what the file's name says.
func Describe(t *table.Table, id Identity) ([]params.Descriptor, error) {
	kind := Recognize(t, "")
	s, err := kind.space(t, nil)
	if err != nil {
		return nil, err
	}
	out := make([]params.Descriptor, t.Rows)
	for i, p := range s.points(make([]point, 0, t.Rows), 0, t.Rows) {
		d := &out[i]
		*d = params.Descriptor{
			Operation: id.Operation, Approximate: id.Approximate,
			L1Accumulate: id.L1Accumulate, ReduceDim: id.ReduceDim,
			T: uint32(p.t), M: uint32(p.m), N: uint32(p.n), R: uint32(p.r), C: uint32(p.c), VectorMode: "rc",
		}
		if kind == ReduceZ || t.Number("z") != nil {
			d.Z = uint32(p.z)
		}
		if kind == Matmul || kind == MatmulV2 || kind == Sparse {
			d.K, d.U = uint32(p.k), uint32(p.u)
		}
		if kind == Sparse {
			d.Sparse = true
			d.NzStrips, d.NzUblocks, d.NzTiles = uint32(p.strips), uint32(p.nzUblocks), uint32(p.nzTiles)
		}
		describeTexts(d, t, i)
	}
	return out, nil
}

// describeTexts adds what the columns of text and of switches say.
func describeTexts(d *params.Descriptor, t *table.Table, row int) {
	text := func(name string) string {
		if c := t.Text(name); c != nil {
			return c[row]
		}
		return ""
	}
	set := func(name string) bool {
		c := t.Number(name)
		return c != nil && c[row] > 0
	}
	for _, column := range []string{"unary_type", "binary_type", "quant_type", "op_name"} {
		if name := text(column); name != "" {
			d.Operation = name
			break
		}
	}
	d.Fidelity = text("math_fidelity")
	d.Format = text("output_df")
	if d.Format == "" || d.Operation == "dequantization" || d.Operation == "requantization" {
		d.Format = text("input0_df")
	}
	if mode := text("vector_mode"); slices.Contains([]string{"rc", "r", "c"}, strings.ToLower(mode)) {
		d.VectorMode = strings.ToLower(mode)
	}
	if dim := text("reduce_dim"); dim != "" {
		d.Operation, d.ReduceDim = "reduce", strings.ToLower(dim)
	}
	d.Approximate = d.Approximate || set("approximate_mode")
	d.L1Accumulate = d.L1Accumulate || set("l1_acc")
}

// Destination says where the weights of a sweep belong in a parameter file: the operation and the attribute set that
// all of its rows have. An error names two rows that differ.
func Destination(t *table.Table, id Identity) (operation, set string, err error) {
	descriptors, err := Describe(t, id)
	if err != nil {
		return "", "", err
	}
	for i := range descriptors {
		o, s := descriptors[i].Destination()
		switch {
		case i == 0:
			operation, set = o, s
		case o != operation || s != set:
			return "", "", fmt.Errorf("%s: the row belongs to %s, %s in a parameter file; the first row to %s, %s",
				t.Where(i), o, s, operation, set)
		}
	}
	return operation, set, nil
}
