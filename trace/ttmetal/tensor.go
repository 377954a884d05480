package ttmetal

import (
	"bytes"
	"strconv"
	"strings"

	"zonemark/trace/ttmetal/columns"
)

// Tensor is an input or an output of an op, as its row of the table of ops has it.
type Tensor struct {
	W, Z, Y, X int64  // its padded shape, from the slowest dimension; 0: not said
	DataType   string // "BFLOAT16"
	Memory     string // "DEV_0_DRAM_INTERLEAVED"; empty: not said
}

// tensorColumns are the columns of a tensor whose name is "INPUT_0" or alike. In newer tables, shapes have the padded
// size with the logical one behind it, in columns of other names.
func tensorColumns(texts map[string]string, name string, tensor func(*Op) *Tensor) (list []columns.Column[Op]) {
	dimensions := map[string]func(*Tensor) *int64{
		"W": func(t *Tensor) *int64 { return &t.W }, "Z": func(t *Tensor) *int64 { return &t.Z },
		"Y": func(t *Tensor) *int64 { return &t.Y }, "X": func(t *Tensor) *int64 { return &t.X },
	}
	for letter, field := range dimensions {
		set := func(op *Op, cell []byte) error { *field(tensor(op)) = paddedSize(cell); return nil }
		list = append(list, columns.Column[Op]{Name: name + "_" + letter, Set: set},
			columns.Column[Op]{Name: name + "_" + letter + "_PAD[LOGICAL]", Set: set})
	}
	return append(list,
		columns.Shared(texts, name+"_DATATYPE", false, func(op *Op) *string { return &tensor(op).DataType }),
		columns.Shared(texts, name+"_MEMORY", false, func(op *Op) *string { return &tensor(op).Memory }))
}

// mostElements bounds a dimension. No device has memory for more, and products of four stay finite.
const mostElements = 1 << 32

// mostWindow bounds the sides of the window of a convolution: with mostElements, products of both fit 64 bits.
const mostWindow = 1 << 15

// paddedSize is the padded size in a cell such as "3200[3197]", "3200" or, from pandas, "3200.0". It is 0 if the cell
// has none: then the shape is not known, and the times of the call are still good.
func paddedSize(cell []byte) int64 {
	padded, _, _ := bytes.Cut(cell, []byte{'['})
	if len(padded) == 0 { // the most frequent, and errors take memory
		return 0
	}
	if n, short := columns.ShortNumber(bytes.TrimSuffix(padded, []byte(".0"))); short && n <= mostElements {
		return n
	}
	n, err := strconv.ParseFloat(string(padded), 64)
	if err != nil || !(n >= 1 && n <= mostElements) || n != float64(int64(n)) {
		return 0
	}
	return int64(n)
}

// known reports whether the shape is said.
func (t *Tensor) known() bool { return t.W > 0 && t.Z > 0 && t.Y > 0 && t.X > 0 }

// inDRAM reports whether the tensor is in the memory outside the chip.
func (t *Tensor) inDRAM() bool { return strings.Contains(t.Memory, "DRAM") }

// bytes is the size of the tensor without the exponents that blocks of BFLOAT8_B and BFLOAT4_B share.
func (t *Tensor) bytes() float64 {
	return float64(t.W) * float64(t.Z) * float64(t.Y) * float64(t.X) * t.elementBytes()
}

// elementBytes is the size of an element by the bits in the name of its type, 4 without any.
func (t *Tensor) elementBytes() float64 {
	name := strings.TrimLeft(t.DataType, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")
	digits := name[:len(name)-len(strings.TrimLeft(name, "0123456789"))]
	if bits, err := strconv.Atoi(digits); err == nil && bits > 0 && bits <= 128 {
		return float64(bits) / 8
	}
	return 4
}

// Placement is where the tensor is, such as "L1 block sharded", without the number of its device.
func (t *Tensor) Placement() string {
	place := t.Memory
	if rest, found := strings.CutPrefix(place, "DEV_"); found {
		if _, behind, found := strings.Cut(strings.TrimLeft(rest, "0123456789"), "_"); found {
			place = behind
		}
	}
	memory, layout, _ := strings.Cut(place, "_")
	return strings.TrimSpace(memory + " " + strings.ToLower(strings.ReplaceAll(layout, "_", " ")))
}

// TypeName is the short name of the tensor's data type that tt-metal's documents use, such as "BFP8".
func (t *Tensor) TypeName() string {
	switch t.DataType {
	case "FLOAT32":
		return "FP32"
	case "BFLOAT16":
		return "BF16"
	case "BFLOAT8_B":
		return "BFP8"
	case "BFLOAT4_B":
		return "BFP4"
	case "nan": // pandas wrote an empty cell
		return ""
	}
	return t.DataType
}

// Settings are what a row's attributes say of how an op runs, as far as its speed is judged by it. Numbers are 0 where
// they are not said.
type Settings struct {
	Program          bool // a program_config is given
	DRAMSharded      bool // weights are read by the cores beside the DRAM's ports
	BlockW           int64
	SubblockH        int64 // of the output, in tiles
	SubblockW        int64
	WindowH, WindowW int64 // of a convolution
	TransposeA       bool  // a matmul takes the transposed matrices of its first input
	TransposeB       bool  // likewise of its second
	NonZero          int64 // batches that a sparse matmul computes; -1: not said
}

// readSettings finds the settings in a cell of the column ATTRIBUTES.
func readSettings(cell string) Settings {
	s := Settings{NonZero: -1}
	if program, given := programConfig(cell); given {
		s.Program = true
		s.DRAMSharded = strings.HasPrefix(program, "MatmulMultiCoreReuseMultiCastDRAMSharded")
		s.BlockW = max(numberBehind(program, "in0_block_w="), numberBehind(program, "K_block_size="))
		s.SubblockH = numberBehind(program, "subblock_h=")
		s.SubblockW = numberBehind(program, "subblock_w=")
	}
	if _, window, found := strings.Cut(cell, "window_hw=("); found {
		s.WindowH = numberBehind(window, "")
		_, window, _ = strings.Cut(window, ";")
		s.WindowW = numberBehind(strings.TrimSpace(window), "")
		if s.WindowH > mostWindow || s.WindowW > mostWindow {
			s.WindowH, s.WindowW = 0, 0
		}
	}
	s.TransposeA, s.TransposeB = isSet(cell, "'transpose_a': '"), isSet(cell, "'transpose_b': '")
	if _, count, found := strings.Cut(cell, "'nnz': '"); found && !strings.HasPrefix(count, "std::nullopt") {
		s.NonZero = numberBehind(count, "")
	}
	return s
}

// programConfig is the configuration of a matmul's program, which MinimalMatmul has under another name.
func programConfig(cell string) (text string, given bool) {
	_, text, found := strings.Cut(cell, "'program_config': '")
	if !found {
		_, text, found = strings.Cut(cell, "'config': 'MinimalMatmul")
	}
	text, _, _ = strings.Cut(text, "'")
	return text, found && !strings.HasPrefix(text, "std::nullopt")
}

// isSet reports whether what stands behind a name is true.
func isSet(cell, name string) bool {
	_, value, _ := strings.Cut(cell, name)
	return strings.HasPrefix(value, "true'") || strings.HasPrefix(value, "1'")
}

// numberBehind is the number from 1 to mostElements that stands behind a name in a text; 0 if there is none.
func numberBehind(text, name string) int64 {
	_, rest, found := strings.Cut(text, name)
	if !found {
		return 0
	}
	n, err := strconv.ParseInt(rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))], 10, 64)
	if err != nil || n > mostElements {
		return 0
	}
	return n
}
