package ttmetal

import (
	"math"
	"strings"
	"testing"
)

// matmul is a row of a matmul of 64 × 128 by 128 × 256 on 10 cores of Wormhole, all in DRAM, that takes 1 µs.
func matmul() *Op {
	return &Op{Code: "Matmul", MathFidelity: "HiFi2", Cores: 10, AvailableCores: 64,
		Inputs: [2]Tensor{
			{1, 1, 64, 128, "BFLOAT8_B", "DEV_0_DRAM_INTERLEAVED"},
			{1, 1, 128, 256, "BFLOAT8_B", "DEV_0_DRAM_INTERLEAVED"}},
		Output:   Tensor{1, 1, 64, 256, "BFLOAT8_B", "DEV_0_DRAM_INTERLEAVED"},
		Settings: Settings{Program: true, BlockW: 2, SubblockH: 2, SubblockW: 2, NonZero: -1}}
}

// callOf is a call of a row.
func callOf(op *Op, kernelNS float64) *Call {
	return &Call{Op: op.Code, Row: op, Cores: op.Cores, FWNS: kernelNS, KernelNS: kernelNS}
}

func TestRates(t *testing.T) {
	n150 := ChipNamed("n150")
	r := callOf(matmul(), 1000).Rates(n150)
	const flop, bytes = 2 * 64 * 128 * 256, 64*128 + 128*256 + 64*256
	if r.FLOPS() != flop*1e6 || r.DRAMRate() != bytes*1e6 || !near(r.FLOPShare(), flop*1e6/(10*2.048e12)) ||
		!near(r.DRAMShare(), bytes*1e6/288e9) || r.Bound() != BoundNeither {
		t.Errorf("%v %v %v %v %q", r.FLOPS(), r.DRAMRate(), r.FLOPShare(), r.DRAMShare(), r.Bound())
	}
	for _, test := range []struct {
		name   string
		change func(op *Op)
		ns     float64
		want   string
	}{
		{"DRAM", func(op *Op) { op.Cores = 60 }, 210, BoundDRAM},
		{"matrix engine", func(op *Op) { op.Cores = 1 }, 3000, BoundFLOP},
		{"both", func(op *Op) { op.Cores = 10 }, 210, BoundBoth},
		{"another fidelity", func(op *Op) { op.MathFidelity = "HiFi5" }, 1000, ""},
		{"no shape", func(op *Op) { op.Inputs[1].X = 0 }, 1000, ""},
		{"no kernel time", func(*Op) {}, -1, ""},
		{"sparse, unknown", func(op *Op) { op.Code = "SparseMatmulDeviceOperation" }, 1000, ""},
	} {
		op := matmul()
		test.change(op)
		if r := callOf(op, test.ns).Rates(n150); r.Bound() != test.want {
			t.Errorf("%s: %q at %v and %v", test.name, r.Bound(), r.FLOPShare(), r.DRAMShare())
		}
	}
	if r := callOf(matmul(), 1000).Rates(nil); !(r.FLOPS() > 0) || !math.IsNaN(r.FLOPShare()) || r.Bound() != "" {
		t.Errorf("without a chip: %v, %v, %q", r.FLOPS(), r.FLOPShare(), r.Bound())
	}
	op := matmul()
	op.Settings.DRAMSharded = true
	if cores := callOf(op, 1000).WorkingCores(n150); cores != 12 {
		t.Errorf("%d cores", cores)
	}
	op = matmul()
	op.Inputs[0].Y, op.Inputs[0].X, op.Inputs[1].Y, op.Inputs[1].X = 128, 64, 256, 128
	op.Settings.TransposeA, op.Settings.TransposeB = true, true
	if c := callOf(op, 1000); c.Rates(n150).FLOP != flop || c.Shape() != "64 × 128 × 256" {
		t.Errorf("transposed: %v of %s", c.Rates(n150).FLOP, c.Shape())
	}
	op = matmul()
	op.Code, op.Settings.NonZero = "SparseMatmulDeviceOperation", 3
	if c := callOf(op, 1000); c.Rates(n150).FLOP != 3*flop || c.Shape() != "3 of 64 × 128 × 256" {
		t.Errorf("%v of %s", c.Rates(n150).FLOP, c.Shape())
	}
}

// TestRatesOfConvolutions: a convolution is the matmul of its windows.
func TestRatesOfConvolutions(t *testing.T) {
	op := &Op{Code: "Conv2dDeviceOperation", MathFidelity: "LoFi", Cores: 64, Inputs: [2]Tensor{{X: 32}, {X: 64}},
		Output: Tensor{Y: 1024}, Settings: readSettings("window_hw=(3; 5); stride_hw=(1;1)")}
	c := callOf(op, 1000)
	r := c.Rates(ChipNamed("p150"))
	if want := 2. * 1024 * 32 * 3 * 5 * 64; r.FLOP != want || c.Shape() != "1024 × 480 × 64" ||
		!near(r.FLOPShare(), want*1e6/(64*4096*1.35e9)) || !math.IsNaN(r.DRAMRate()) || r.Bound() != "" {
		t.Errorf("%v of %s, %v, %q", r.FLOP, c.Shape(), r.FLOPShare(), r.Bound())
	}
	op.Inputs[0].X, op.Settings = mostElements, readSettings("window_hw=(32768;32768)")
	if r := c.Rates(nil); !(r.FLOP > 0) || math.IsInf(r.FLOP, 0) {
		t.Errorf("%v", r.FLOP)
	}
}

func TestAdvice(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(op *Op)
		ns     float64
		want   string
	}{
		{"neither", func(*Op) {}, 1000, "place input 0 in L1"},
		{"no program", func(op *Op) { op.Settings = readSettings("{'program_config': 'std::nullopt'}") }, 1000, "give a program_config"},
		{"small blocks", func(op *Op) { op.Settings.BlockW = 1 }, 1000, "in0_block_w is 1"},
		{"small subblocks", func(op *Op) { op.Settings.SubblockH, op.Settings.SubblockW = 1, 1 }, 1000, "1 × 1 tile"},
		{"DRAM", func(op *Op) { op.Cores = 60 }, 210, "shard the weights"},
		{"cores", func(op *Op) { op.Cores = 1 }, 3000, "it has 1 of 64"},
		{"too high", func(op *Op) { op.MathFidelity = "HiFi4" }, 1000,
			"HiFi2 is enough for BFP8 × BFP8 → BFP8: it computes 2 times as fast as HiFi4"},
		{"too low", func(op *Op) { op.MathFidelity = "LoFi" }, 1000, "HiFi2 keeps them, for 2 times the cycles"},
		{"4 bits", func(op *Op) { op.Inputs[1].DataType = "BFLOAT4_B" }, 1000, "LoFi is enough"},
		{"16 bits", func(op *Op) { op.Inputs[0].DataType = "BFLOAT16" }, 1000, "HiFi4 keeps them"},
	} {
		op := matmul()
		test.change(op)
		c := callOf(op, test.ns)
		r := &Report{Chip: ChipNamed("n150"), Calls: []Call{*c}}
		got := strings.Join(r.Advice(r.Shapes()[0]), "; ")
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	host := &Report{Calls: []Call{{Op: "(torch) add", HostOnly: true, FWNS: -1, KernelNS: -1}}}
	if got := host.Advice(host.Shapes()[0]); len(got) != 1 || !strings.Contains(got[0], "runs on the device") {
		t.Errorf("%q", got)
	}
}

func TestTensor(t *testing.T) {
	for cell, want := range map[string]int64{"3200[3197]": 3200, "3200": 3200, "3200.0": 3200, "": 0, "nan": 0, "-1": 0,
		"1.5": 0, "1e300": 0, "[7]": 0, "4294967296": 1 << 32, "4294967297": 0} {
		if got := paddedSize([]byte(cell)); got != want {
			t.Errorf("%q: %d, want %d", cell, got, want)
		}
	}
	for name, want := range map[string]float64{"BFLOAT16": 2, "BFLOAT8_B": 1, "BFLOAT4_B": 0.5, "UINT32": 4, "": 4} {
		if got := (&Tensor{DataType: name}).elementBytes(); got != want {
			t.Errorf("%s: %v bytes, want %v", name, got, want)
		}
	}
	for memory, want := range map[string]string{"DEV_1_L1_HEIGHT_SHARDED": "L1 height sharded", "": "",
		"DEV_0_DRAM_INTERLEAVED": "DRAM interleaved", "SYSTEM_MEMORY": "SYSTEM memory", "DEV_": "DEV"} {
		if got := (&Tensor{Memory: memory}).Placement(); got != want {
			t.Errorf("%s: %q, want %q", memory, got, want)
		}
	}
}

// FuzzSettings holds what is read of attributes to its bounds.
func FuzzSettings(f *testing.F) {
	f.Add("{'program_config': 'MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig(in0_block_w=14;out_subblock_h=5;" +
		"out_subblock_w=1)'; 'window_hw=(3;3); 'nnz': '7'}")
	f.Add("{'config': 'MinimalMatmulConfig(M_block_size=2;K_block_size=8;subblock_h=2;subblock_w=2)'; " +
		"'program_config': 'std::nullopt'; 'nnz': 'std::nullopt'}")
	f.Add("window_hw=(99999999999999999999;")
	f.Add("window_hw=(3; 4294967295)")
	f.Add("'transpose_a': 'true'; 'transpose_b': '1'")
	f.Fuzz(func(t *testing.T, cell string) {
		s := readSettings(cell)
		for _, n := range []int64{s.BlockW, s.SubblockH, s.SubblockW, s.WindowH, s.WindowW} {
			if n < 0 || n > mostElements {
				t.Fatalf("%+v", s)
			}
		}
		if max(s.WindowH, s.WindowW) > mostWindow || s.NonZero < -1 || s.NonZero > mostElements || !s.Program && (s.DRAMSharded || s.BlockW > 0) {
			t.Fatalf("%+v", s)
		}
	})
}
