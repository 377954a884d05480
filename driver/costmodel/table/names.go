package table

import (
	"slices"
	"strings"
)

// synonyms are the names that the published files have for the variables of a shape, and for the rest of what changed
// its name from file to file. The first is the canonical one.
var synonyms = [][]string{
	{"t", "output_t"},
	{"z"},
	{"m", "mblock_m", "output_mb_r"},
	{"n", "mblock_n", "output_mb_c"},
	{"k", "mblock_k", "m_k"},
	{"r", "ublock_rt", "output_ub_r"},
	{"c", "ublock_ct", "output_ub_c"},
	{"u", "ublock_kt", "u_kt"},
	{"nz_strips"},
	{"nz_ublocks"},
	{"nz_tiles"},
	{"math_fidelity"},
	{"input0_df", "input0"},
	{"input1_df", "input1"},
	{"runtime"},
	{"total_runtime"},
	{"first_input_idx_recorded"},
	{"last_input_idx_recorded"},
	{"runtime_last_input"},
}

// Shape returns the canonical names of the columns that make up the shape of an operation: loops over t and z, blocks
// of m × n (and k) units, units of r × c (and u) tiles.
func Shape() []string { return []string{"t", "z", "m", "n", "k", "r", "c", "u"} }

// Canonical returns the name that the program has for a header: t, z, m, n, k, r, c, u for the shape, and else the
// header in lower case with underscores. It does not look at case, blanks around the name, and "-" for "_".
func Canonical(header string) string {
	name := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(header)), "-", "_")
	for _, s := range synonyms {
		if slices.Contains(s, name) {
			return s[0]
		}
	}
	return name
}

// Headers returns the names that a column goes by in the files; the published ones first.
func Headers(canonical string) []string {
	for _, s := range synonyms {
		if s[0] == canonical {
			return append(slices.Clone(s[1:]), s[0])
		}
	}
	return []string{canonical}
}

// numeric reports whether a column must hold numbers, N/A or nothing.
func numeric(name string) bool {
	switch name {
	case "math_fidelity", "input0_df", "input1_df":
		return false
	}
	for _, s := range synonyms {
		if s[0] == name {
			return true
		}
	}
	for _, suffix := range []string{
		"_t", "_mb_r", "_mb_c", "_ub_r", "_ub_c", "_grid_size_r", "_grid_size_c", "_buf_size_mb", "_bw", "_runtime",
		"_utilization", "_all_inputs",
	} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// role tells from its name what a column is good for.
func role(name string) Role {
	switch name {
	case "test_id", "input_idx", "cycles/tile", "core_label", "estimate", "ratio", "estimate_low", "estimate_high",
		"median_ns", "status", "not_applied", "target", "configuration": // the last five of zonemark's own sweeps
		return Outcome
	case "math_fidelity", "unary_type", "binary_type", "quant_type", "zero_point", "approximate_mode", "vector_mode",
		"l1_acc", "reduce_dim", "op_type", "op_name", "ublock_size", "blocks":
		return Choice
	}
	for _, part := range []string{"runtime", "utilization", "math_util", "input_idx_recorded", "total_wait", "_bw"} {
		if strings.Contains(name, part) {
			return Outcome
		}
	}
	for _, s := range synonyms {
		if s[0] == name {
			return Choice
		}
	}
	for _, suffix := range []string{
		"_df", "_t", "_mb_r", "_mb_c", "_ub_r", "_ub_c", "_grid_size_r", "_grid_size_c", "_ublock_order",
		"_buf_size_mb",
	} {
		if strings.HasSuffix(name, suffix) {
			return Choice
		}
	}
	for _, prefix := range []string{"index", "length", "stride"} { // of splice: index0, length0, stride0
		if rest, ok := strings.CutPrefix(name, prefix); ok && strings.Trim(rest, "_0123456789") == "" {
			return Choice
		}
	}
	return Unknown
}
