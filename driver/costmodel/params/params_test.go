package params

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func wormhole(t testing.TB) *File {
	t.Helper()
	f, err := ReadFile(filepath.Join("testdata", "wormhole_b0_params_v3.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	f.Architecture = "wormhole_b0"
	return f
}

// TestRoundTrip reads the published file, writes it, and gets the same bytes.
func TestRoundTrip(t *testing.T) {
	want, err := os.ReadFile(filepath.Join("testdata", "wormhole_b0_params_v3.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(wormhole(t).Bytes())); diff != "" {
		t.Error(diff)
	}
}

func TestParseErrors(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":   {"", "p.yaml: no operations"},
		"list":    {"- 1\n", "p.yaml: line 1: want the operations as a map"},
		"no sets": {"nop:\n", "line 1: want the attribute sets of nop as a map"},
		"operation twice": {"nop:\n  base: {a: 1}\nnop:\n  base: {a: 1}\n",
			`line 3: "nop" stands twice in the operations; the first is in line 1`},
		"set twice": {"nop:\n  base: {a: 1}\n  base: {a: 2}\n",
			`line 3: "base" stands twice in the attribute sets of nop`},
		"weight twice": {"nop:\n  base:\n    a: 1\n    a: 2\n", `line 4: "a" stands twice in the weights of nop, base`},
		"unknown attribute": {"nop:\n  base: {a: 1}\n  df_int9/approx:\n    a: 1\n",
			`line 3: nop: unknown attribute "df_int9"; did you mean "df_int8"?`},
		"empty attribute": {"nop:\n  approx/: {a: 1}\n", `line 2: nop: unknown attribute ""`},
		"text":            {"nop:\n  base:\n    a: x\n", "line 3: nop, base, a: want a number"},
		"quoted":          {"nop:\n  base:\n    a: '1'\n", "line 3: nop, base, a: want a number"},
		"infinite":        {"nop:\n  base:\n    a: .inf\n", "line 3: nop, base, a: want a number"},
		"alias":           {"nop: &n\n  base: {a: 1}\nexp: *n\n", "line 3: want the attribute sets of exp as a map"},
		"syntax":          {"nop: [\n", "p.yaml: "},
		"odd name":        {"\"a b\":\n  base: {a: 1}\n", `line 1: the name "a b" in the operations`},
	} {
		_, err := Parse([]byte(c.text), "p.yaml")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}

// unit returns a descriptor of 2 × 3 blocks of 4 × 2 tiles.
func unit(op string) Descriptor {
	return Descriptor{Operation: op, T: 2, M: 2, N: 3, R: 4, C: 2, Format: "Bfp8_b", Fidelity: "LoFi", VectorMode: "rc"}
}

func TestLookup(t *testing.T) {
	f := wormhole(t)
	for _, c := range []struct {
		name    string
		change  func(d *Descriptor)
		op, set string
		warned  bool
	}{
		{"base", func(*Descriptor) {}, "exp", "base", false},
		{"approximate", func(d *Descriptor) { d.Approximate = true }, "exp", "approx", false},
		{"two attributes", func(d *Descriptor) { d.Approximate, d.VectorMode = true, "r" },
			"exp", "approx/vector_r", false},
		{"vector mode", func(d *Descriptor) { d.VectorMode = "c" }, "exp", "vector_c", false},
		{"unknown operation", func(d *Descriptor) { d.Operation = "topk" }, "nop", "base", true},
		{"bfp has no set here", func(d *Descriptor) { d.Format = "Bfp2" }, "exp", "base", false},
		{"bfp", func(d *Descriptor) { d.Operation = "matmul" }, "matmul", "df_bfp", false},
		{"the last one wins", func(d *Descriptor) { d.Operation, d.L1Accumulate = "matmul", true }, "matmul",
			"l1_acc_en/df_bfp", false},
		{"16 bits", func(d *Descriptor) { d.Operation, d.L1Accumulate, d.Format = "matmul", true, "Float16" }, "matmul",
			"l1_acc_en", false},
		{"sparse", func(d *Descriptor) { d.Operation, d.Sparse = "matmul", true }, "matmul_sparse", "base", false},
		{"reduce z", func(d *Descriptor) { d.Operation, d.Z = "reduce", 4 }, "reduce_z", "base", false},
		{"reduce c", func(d *Descriptor) { d.Operation, d.ReduceDim = "reduce", "c" }, "reduce", "dim_c", false},
		{"int8", func(d *Descriptor) { d.Operation, d.Format = "add", "Int8" }, "add", "df_int8", false},
		{"int32", func(d *Descriptor) { d.Operation, d.Format = "add", "Int32" }, "add", "df_int32", false},
	} {
		d := unit("exp")
		c.change(&d)
		op, set, warnings, err := f.Lookup(&d)
		if err != nil || op != c.op || set.Name != c.set || (len(warnings) > 0) != c.warned {
			t.Errorf("%s: got %s, %+v, %v, %v; want %s, %s", c.name, op, set, warnings, err, c.op, c.set)
		}
	}
	only, err := Parse([]byte("exp:\n  approx: {tile_weight: 1}\n"), "p.yaml")
	if err != nil {
		t.Fatal(err)
	}
	d := unit("exp")
	if _, set, _, err := only.Lookup(&d); err == nil {
		t.Errorf("got %v, want an error: no set matches", set)
	}
	d.Operation = "add"
	if _, _, _, err := only.Lookup(&d); err == nil {
		t.Error("want an error: neither add nor nop")
	}
}

// TestFormulas computes estimates by hand with simple weights.
func TestFormulas(t *testing.T) {
	f, err := Parse([]byte(`
nop: {base: {ublock_weight: 10, tile_weight: 3}}
add: {base: {ublock_weight: 10, tile_weight: 3}}
maximum: {base: {ublock_weight: 10, tile_weight: 3}}
reduce_z: {base: {ublock_weight: 10, tile_weight: 3, z_weight: 7}}
matmul: {base: {math_tiles_weight: 2, math_dest_spill_weight: 5, unpack_ublocks_weight: 11, unpack_tiles_weight: 3}}
depthwise: {base: {m_k_weight: 100, ublock_weight: 10, tile_weight: 3}}
exp: {base: {tile_weight: 3.9999}}
gelu: {base: {ublock_weight: 0, tile_weight: 0}}
log: {base: {ublock_weight: 1e9, tile_weight: 0}}
power: {base: {ublock_weight: 1e8, tile_weight: 0}}
`), "p.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		op     string
		change func(d *Descriptor)
		want   uint32
		warned string
		failed string
	}{
		{"unary", "nop", func(*Descriptor) {}, 2 * (6*10 + 48*3), "", ""},
		{"unary does not look at the format", "nop", func(d *Descriptor) { d.Format = "Float16" },
			2 * (6*10 + 48*3), "", ""},
		{"binary", "add", func(*Descriptor) {}, 2 * (6*10 + 48*3), "", ""},
		{"binary, 16 bits", "add", func(d *Descriptor) { d.Format = "Float16_b" }, 2 * (6*10 + 48*3*2), "", ""},
		{"binary, 32 bits", "add", func(d *Descriptor) { d.Format = "Float32" }, 2 * (6*10 + 48*3*4), "", ""},
		{"maximum, 32 bits", "maximum", func(d *Descriptor) { d.Format = "Float32" }, 2 * (6*10 + 48*3), "", ""},
		{"reduce z", "reduce", func(d *Descriptor) { d.Z = 4 }, 2 * 4 * (6*10 + 48*3 + 7), "", ""},
		{"matmul v2", "matmul", func(d *Descriptor) { d.K, d.U, d.Fidelity = 3, 5, "HiFi2" },
			2 * (3*48*5*2*2 + 2*48*5 + 3*6*11 + 3*6*5*4*3*3), "", ""},
		{"matmul v1", "depthwise", func(d *Descriptor) { d.K, d.U, d.Fidelity = 3, 5, "HiFi4" },
			2 * (2*100 + 3*6*10 + 3*48*5*3*4), "", ""},
		{"a missing weight, and the cut", "exp", func(d *Descriptor) { d.T = 1 }, 191,
			"no weight ublock_weight: it counts as 0", ""},
		{"unknown", "topk", func(*Descriptor) {}, 2 * (6*10 + 48*3), "no operation topk: estimated as nop", ""},
		{"zero", "gelu", func(*Descriptor) {}, 0, "", "the estimate is 0 cycles"},
		{"overflow", "log", func(*Descriptor) {}, 0, "", "overflows 32 bits"},
		{"huge shape", "nop", func(d *Descriptor) { d.T, d.M, d.N, d.R = 1<<31, 1<<31, 1<<31, 1<<31 }, 0, "",
			"overflows 32 bits"},
		{"clamped", "power", func(*Descriptor) {}, 1 << 30, "are cut to 2^30", ""},
		{"no t", "nop", func(d *Descriptor) { d.T = 0 }, 0, "", "t is 0"},
		{"no k", "matmul", func(*Descriptor) {}, 0, "", "k is 0"},
		{"format", "nop", func(d *Descriptor) { d.Format = "Bfp9" }, 0, "", `format "Bfp9"`},
		{"fidelity", "nop", func(d *Descriptor) { d.Fidelity = "" }, 0, "", `math fidelity ""`},
		{"vector mode", "nop", func(d *Descriptor) { d.VectorMode = "cr" }, 0, "", `vector mode "cr"`},
	} {
		d := unit(c.op)
		c.change(&d)
		got, err := f.Estimate(&d)
		if c.failed != "" {
			if err == nil || !strings.Contains(err.Error(), c.failed) {
				t.Errorf("%s: got %+v, %v, want the error %s", c.name, got, err, c.failed)
			}
			continue
		}
		if err != nil || got.Cycles != c.want || !strings.Contains(strings.Join(got.Warnings, "\n"), c.warned) {
			t.Errorf("%s: got %+v, %v, want %d", c.name, got, err, c.want)
		}
	}
	f.Architecture = "grayskull"
	d := unit("nop")
	d.Format = "Int8"
	if _, err := f.Estimate(&d); err == nil || !strings.Contains(err.Error(), "only wormhole_b0") {
		t.Errorf("got %v, want an error: integers on grayskull", err)
	}
}

// TestSparse computes the first row of the published sweep by hand.
func TestSparse(t *testing.T) {
	f := wormhole(t)
	d := Descriptor{
		Operation: "matmul", Sparse: true, T: 1, M: 7, N: 1, R: 2, C: 2, K: 16, U: 4, Format: "Bfp8", Fidelity: "LoFi",
		VectorMode: "rc", NzStrips: 2, NzUblocks: 7, NzTiles: 39,
	}
	// decode 2·7·80 + 7·80 + 2·100; math 39·2·26; reload 7·2·2·50; pack 7·2·2·50
	const second = 1120 + 560 + 200 + 2028 + 1400 + 1400
	// strips 16, units 112, non-zero units ⌊39/4⌋ = 9, a reload 20 + 20·4 = 100:
	// math 39·2·18; reload 112·20 + 9·100 + 7·100; pack 25·103 + 25·2·28; decode 39·12·3 + 112·8 + 9·8
	const first = 1404 + 2240 + 900 + 700 + 2575 + 1400 + 1404 + 896 + 72
	for _, c := range []struct {
		name     string
		estimate func(*Descriptor) (Estimated, error)
		change   func(d *Descriptor)
		want     uint32
	}{
		{"v2", f.Estimate, func(*Descriptor) {}, second},
		{"v1", f.EstimateSparseV1, func(*Descriptor) {}, first},
		{"v1 without counts", f.Estimate, func(d *Descriptor) { d.NzStrips = 0 }, first},
		{"v1 for other formats", f.Estimate, func(d *Descriptor) { d.Format = "Bfp4" }, first},
	} {
		changed := d
		c.change(&changed)
		if got, err := c.estimate(&changed); err != nil || got.Cycles != c.want || len(got.Warnings) > 0 {
			t.Errorf("%s: got %+v, %v, want %d", c.name, got, err, c.want)
		}
	}
}

func TestBlockCyclesFallBack(t *testing.T) {
	for _, c := range []struct {
		fidelity string
		r, c, u  uint32
		want     cycles
	}{
		{"LoFi", 1, 1, 1, cycles{335, 140, 150}},
		{"LoFi", 1, 1, 7, cycles{100, 136, 117}},  // u 4
		{"LoFi", 3, 8, 16, cycles{26, 45, 35}},    // r 2, c 4, u 8
		{"HiFi4", 8, 8, 2, cycles{55, 45, 35}},    // c 1, u 1
		{"HiFi2", 100, 1, 0, cycles{55, 45, 35}},  // r 8
		{"HiFi3", 1, 100, 4, cycles{37, 45, 40}},  // c 8
		{"HiFi2", 4, 3, 8, cycles{38, 45, 40}},    // c 2
		{"LoFi", 1, 2, 8, cycles{26, 110, 80}},    // as it stands
		{"HiFi2", 2, 1, 4, cycles{55, 110, 90}},   // as it stands
		{"HiFi2", 1, 1, 4, cycles{100, 140, 123}}, // as it stands
	} {
		if got := blockCycles(&Descriptor{Fidelity: c.fidelity, R: c.r, C: c.c, U: c.u}); got != c.want {
			t.Errorf("%+v: got %v", c, got)
		}
	}
}

func TestDestination(t *testing.T) {
	for _, c := range []struct {
		change  func(d *Descriptor)
		op, set string
	}{
		{func(*Descriptor) {}, "exp", "base"},
		{func(d *Descriptor) { d.Approximate, d.VectorMode = true, "r" }, "exp", "approx/vector_r"},
		{func(d *Descriptor) { d.Operation, d.L1Accumulate = "matmul", true }, "matmul", "l1_acc_en/df_bfp"},
		{func(d *Descriptor) { d.Operation, d.Z = "reduce", 2 }, "reduce_z", "base"},
		{func(d *Descriptor) { d.Format = "Int32" }, "exp", "df_int32"},
	} {
		d := unit("exp")
		c.change(&d)
		if op, set := d.Destination(); op != c.op || set != c.set {
			t.Errorf("%+v: got %s, %s, want %s, %s", d, op, set, c.op, c.set)
		}
	}
}

func TestSet(t *testing.T) {
	f := &File{}
	for _, s := range []struct{ op, set string }{
		{"nop", "base"}, {"exp", "base"}, {"nop", "df_int8"}, {"nop", "base"},
	} {
		if err := f.Set(s.op, s.set, []Weight{{Name: "ublock_weight", Value: 31.80978820123}, {Name: "tile_weight",
			Value: 1e-12}}); err != nil {
			t.Fatal(err)
		}
	}
	const set = "    ublock_weight: 31.8097882\n    tile_weight: 0\n"
	const want = "nop:\n  base:\n" + set + "  df_int8:\n" + set + "\nexp:\n  base:\n" + set
	if diff := cmp.Diff(want, string(f.Bytes())); diff != "" {
		t.Error(diff)
	}
	if err := f.Set("nop", "df_int9", []Weight{{Name: "a", Value: 1}}); err == nil {
		t.Error("want an error: an unknown attribute")
	}
	if err := f.Set("a b", "base", []Weight{{Name: "a", Value: 1}}); err == nil {
		t.Error("want an error: a name with a space")
	}
	if err := f.Set("nop", "base", nil); err == nil {
		t.Error("want an error: no weights")
	}
}

func TestVersions(t *testing.T) {
	folder := t.TempDir()
	f := wormhole(t)
	if _, err := ReadVersion(folder, "blackhole", 0); err == nil {
		t.Error("want an error: there is none")
	}
	if err := f.WriteVersion(folder, "blackhole", 2); err == nil {
		t.Error("want an error: version 1 is skipped")
	}
	for version := 1; version <= 2; version++ {
		if err := f.WriteVersion(folder, "blackhole", version); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.WriteVersion(folder, "blackhole", 1); !errors.Is(err, ErrExists) {
		t.Errorf("got %v, want %v", err, ErrExists)
	}
	got, err := ReadVersion(folder, "blackhole", 0)
	if err != nil || got.Version != 2 || got.Architecture != "blackhole" {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := ReadVersion(folder, "blackhole", 3); err == nil {
		t.Error("want an error: there is no version 3")
	}
	if err := os.Rename(VersionFile(folder, "blackhole", 2), VersionFile(folder, "blackhole", 4)); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadVersion(folder, "blackhole", 1); err == nil || !strings.Contains(err.Error(), "may not skip") {
		t.Errorf("got %v, want an error: versions skip", err)
	}
	if left, err := filepath.Glob(filepath.Join(folder, "blackhole", ".*")); err != nil || len(left) > 0 {
		t.Errorf("drafts were left: %v, %v", left, err)
	}
	path := filepath.Join(folder, "mine.yaml")
	if err := f.Write(path); err != nil {
		t.Fatal(err)
	}
	if err := f.writeInPlace(path); !errors.Is(err, ErrExists) {
		t.Errorf("got %v, want %v", err, ErrExists)
	}
}

func FuzzParse(f *testing.F) {
	text, err := os.ReadFile(filepath.Join("testdata", "wormhole_b0_params_v3.yaml"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte("nop: {base: {ublock_weight: 300, tile_weight: 55}}\n"))
	f.Add([]byte("a: &x {base: {b: 1}}\n<<: *x\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := Parse(text, "p.yaml")
		if err != nil {
			return
		}
		again, err := Parse(file.Bytes(), "p.yaml")
		if err != nil {
			t.Fatalf("%v\n%s", err, file.Bytes())
		}
		if diff := cmp.Diff(file, again, cmp.AllowUnexported(Weight{})); diff != "" {
			t.Error(diff)
		}
		d := Descriptor{Operation: "nop", T: 1, M: 1, N: 1, R: 1, C: 1, Format: "Bfp8", Fidelity: "LoFi",
			VectorMode: "rc"}
		if e, err := file.Estimate(&d); err == nil && (e.Cycles == 0 || e.Cycles > mostCycles) {
			t.Errorf("estimate %d", e.Cycles)
		}
	})
}
