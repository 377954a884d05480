package operations

import (
	"fmt"
	"strconv"
)

// Format is the number of a data format.
type Format int

// The data formats. Those with _b have exponents of 8 bits, Float16, Bfp8, Bfp4 and Bfp2 exponents of 5 bits.
const (
	Float16 Format = iota + 1
	Float16B
	Bfp8
	Bfp8B
	Bfp4
	Bfp4B
	Bfp2
	Bfp2B
	RawUInt32
	Int32
	Int8
	Float32
)

// Tile is the number of rows, and of columns, of a tile.
const Tile = 32

// String returns the name that result files have.
func (f Format) String() string { return formats.name(int(f)) }

// Block says whether 16 values share an exponent.
func (f Format) Block() bool { return f >= Bfp8 && f <= Bfp2B }

// Integer says whether the format is one of integers.
func (f Format) Integer() bool { return f >= RawUInt32 && f <= Int8 }

// Wide says whether the format is one of floats with exponents of 8 bits.
func (f Format) Wide() bool {
	return f == Float16B || f == Bfp8B || f == Bfp4B || f == Bfp2B || f == Float32
}

// TileBytes is what the values and shared exponents of a tile take, without the tile's header.
func (f Format) TileBytes() int {
	const values, exponents = Tile * Tile, Tile * Tile / 16
	switch f {
	case Float16, Float16B:
		return 2 * values
	case Bfp8, Bfp8B:
		return values + exponents
	case Bfp4, Bfp4B:
		return values/2 + exponents
	case Bfp2, Bfp2B:
		return values/4 + exponents
	case Int8:
		return values
	}
	return 4 * values
}

// Enum is a set of numbered names.
type Enum struct {
	title string // "data format"
	first int
	names []string
}

func (e *Enum) name(n int) string {
	if n < e.first || n >= e.first+len(e.names) {
		return strconv.Itoa(n)
	}
	return e.names[n-e.first]
}

// number returns the number of a name.
func (e *Enum) number(name string) (int, error) {
	for i, n := range e.names {
		if n == name {
			return e.first + i, nil
		}
	}
	return 0, fmt.Errorf("%q is no %s%s; %s", name, e.title, suggestion(name, e.names), e.list())
}

func (e *Enum) list() string {
	text := "there are"
	for i, n := range e.names {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %d %s", e.first+i, n)
	}
	return text
}

// The enumerations.
var (
	formats = &Enum{"data format", 1, []string{
		"Float16", "Float16_b", "Bfp8", "Bfp8_b", "Bfp4", "Bfp4_b", "Bfp2", "Bfp2_b",
		"RawUInt32", "Int32", "Int8", "Float32",
	}}
	fidelities = &Enum{"math fidelity", 1, []string{"LoFi", "HiFi2", "HiFi3", "HiFi4"}}
	unaryTypes = &Enum{"unary type", 1, []string{
		"exp", "log", "sqrt", "gelu", "reciprocal", "sigmoid", "gelu_derivative", "nop", "tanh", "square", "power",
		"sine", "cosine", "lrelu", "abs", "dropout",
	}}
	binaryTypes = &Enum{"binary type", 1, []string{"add", "subtract", "multiply", "maximum"}}
	quantTypes  = &Enum{"quant type", 1, []string{"quantization", "dequantization", "requantization"}}
	vectorModes = &Enum{"vector mode", 1, []string{"rc", "r", "c"}}
	reduceTypes = &Enum{"reduce type", 1, []string{"max", "sum"}}
	dimensions  = &Enum{"dimension", 1, []string{"r", "c", "z"}}
	orders      = &Enum{"order of ublocks", 1, []string{"r", "c"}}
	switches    = &Enum{"switch", 0, []string{"False", "True"}}
)

// LoFi is the lowest math fidelity; the others are two, three and four passes.
const LoFi = 1

// Numbers of enumerations that programs depend on.
const (
	Quantization, Dequantization, Requantization = 1, 2, 3
	VectorAll, VectorRows, VectorColumns         = 1, 2, 3
	ReduceMax, ReduceSum                         = 1, 2
	AlongRows, AlongColumns, AlongZ              = 1, 2, 3
)
