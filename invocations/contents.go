package invocations

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"zonemark/invocations/remedy"
	"zonemark/invocations/spelling"
)

// ElementType is the type of one array element or scalar.
type ElementType string

// The element types.
const (
	Bool     ElementType = "bool"
	Int8     ElementType = "int8"
	Int16    ElementType = "int16"
	Int32    ElementType = "int32"
	Int64    ElementType = "int64"
	Uint8    ElementType = "uint8"
	Uint16   ElementType = "uint16"
	Uint32   ElementType = "uint32"
	Uint64   ElementType = "uint64"
	Float16  ElementType = "float16"
	BFloat16 ElementType = "bfloat16"
	Float32  ElementType = "float32"
	Float64  ElementType = "float64"

	// Floating-point types of eight bits, by the names that ml_dtypes and torch give them.
	Float8E5M2     ElementType = "float8_e5m2"
	Float8E4M3FN   ElementType = "float8_e4m3fn"
	Float8E5M2FNUZ ElementType = "float8_e5m2fnuz"
	Float8E4M3FNUZ ElementType = "float8_e4m3fnuz"
)

// Size returns the size of an element in bytes, 0 for an unknown type.
func (t ElementType) Size() int64 {
	switch t {
	case Bool, Int8, Uint8, Float8E5M2, Float8E4M3FN, Float8E5M2FNUZ, Float8E4M3FNUZ:
		return 1
	case Int16, Uint16, Float16, BFloat16:
		return 2
	case Int32, Uint32, Float32:
		return 4
	case Int64, Uint64, Float64:
		return 8
	}
	return 0
}

// ElementTypes returns all element types: first integers, then floating-point numbers.
func ElementTypes() []ElementType {
	return []ElementType{
		Bool, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64, Float16, Float32, Float64, BFloat16,
		Float8E5M2, Float8E4M3FN, Float8E5M2FNUZ, Float8E4M3FNUZ,
	}
}

// Float reports whether the type is a floating-point type.
func (t ElementType) Float() bool {
	return t == Float16 || t == BFloat16 || t == Float32 || t == Float64 || t.Float8()
}

// Float8 reports whether the type is a floating-point type of eight bits.
func (t ElementType) Float8() bool {
	return t == Float8E5M2 || t == Float8E4M3FN || t == Float8E5M2FNUZ || t == Float8E4M3FNUZ
}

// SameBits reports whether two types are equal, or integers of one size, which differ in what the sign bit means.
func (t ElementType) SameBits(other ElementType) bool {
	integers := !t.Float() && !other.Float() && t != Bool && other != Bool
	return t == other || integers && t.Size() > 0 && t.Size() == other.Size()
}

// Fill is a way to fill an argument.
type Fill string

// The fills. FillDefault leaves the choice to the runtime: random for inputs, with integers of four and eight bytes
// from 0 to 15, since they may be indices or counts.
const (
	FillDefault Fill = ""
	// FillRandom stands for floats uniform in [0,1), and integers over their whole range, from the invocation's seed.
	FillRandom   Fill = "random"
	FillZeros    Fill = "zeros"    // all bytes zero
	FillIota     Fill = "iota"     // 0, 1, 2, … in memory order, wrapping at the type's range
	FillConstant Fill = "constant" // Value in every element
	FillList     Fill = "list"     // Value holds one number for each element, separated by spaces
	// FillFile is an array of a .npy file of the same element type and number of elements, an image, or a file of the
	// bytes as they lie in memory.
	FillFile Fill = "file"
)

// Contents is what an argument holds before the first call.
type Contents struct {
	Fill Fill
	Seed uint64 // FillRandom: added to the invocation's seed
	// Value holds decimal numbers for FillConstant and FillList, as text so that no bit of a 64-bit integer is lost. For
	// FillFile it is the position of the array among those of a .npy file; empty: the file has one.
	Value string
	Path  string // FillFile
}

// ParseContents reads contents as users write them: "random", "random:SEED", "zeros", "iota", "constant:VALUE", a bare
// number (a constant), "list:VALUE VALUE …", or the path of a .npy or .png file. "FILE.npy[1]" is the second array of a
// file of several, and "@FILE" any file.
func ParseContents(s string) (Contents, error) {
	kind, rest, has := strings.Cut(s, ":")
	switch Fill(kind) {
	case FillRandom:
		if !has {
			return Contents{Fill: FillRandom}, nil
		}
		seed, err := strconv.ParseUint(rest, 10, 64)
		if err != nil {
			return Contents{}, fmt.Errorf("contents %q: the seed is not an unsigned integer", s)
		}
		return Contents{Fill: FillRandom, Seed: seed}, nil
	case FillZeros, FillIota:
		if has {
			return Contents{}, fmt.Errorf("contents %q: %s takes no value", s, kind)
		}
		return Contents{Fill: Fill(kind)}, nil
	case FillConstant:
		value, ok := number(rest)
		if !ok {
			return Contents{}, fmt.Errorf("contents %q: want constant:NUMBER", s)
		}
		return Contents{Fill: FillConstant, Value: value}, nil
	case FillList:
		values := strings.Fields(rest)
		for i, v := range values {
			var ok bool
			if values[i], ok = number(v); !ok {
				return Contents{}, fmt.Errorf("contents %q: %q is not a number", s, v)
			}
		}
		if len(values) == 0 {
			return Contents{}, fmt.Errorf("contents %q: want list:NUMBER NUMBER …", s)
		}
		return Contents{Fill: FillList, Value: strings.Join(values, " ")}, nil
	}
	if c, isFile := fileContents(s); isFile {
		if c.Path == "" {
			return Contents{}, fmt.Errorf("contents %q: the name of the file is missing", s)
		}
		return c, nil
	}
	if value, ok := number(s); ok {
		return Contents{Fill: FillConstant, Value: value}, nil
	}
	meant := cmp.Or(spelling.Nearest(s, []string{string(FillRandom), string(FillZeros), string(FillIota)}), "1")
	if strings.ContainsAny(s, "./") {
		meant = "@" + s
	}
	return Contents{},
		remedy.With(fmt.Errorf("contents %q: want random, random:SEED, zeros, iota, constant:NUMBER, a number, "+
			"list:NUMBERS, a .npy file, a .png file or @FILE", s), remedy.Remedy{Kind: remedy.Instead, Name: s, Value: meant})
}

// fileContents reads a file that can fill an argument: "FILE.npy", "FILE.npy[1]", "FILE.png" or "@FILE".
func fileContents(s string) (c Contents, isFile bool) {
	path, isFile := strings.CutPrefix(s, "@")
	c = Contents{Fill: FillFile, Path: path}
	if inside, closed := strings.CutSuffix(path, "]"); closed {
		if at := strings.LastIndexByte(inside, '['); at > 0 && strings.HasSuffix(inside[:at], ".npy") {
			if n, err := strconv.ParseUint(inside[at+1:], 10, 16); err == nil {
				c.Path, c.Value = inside[:at], strconv.FormatUint(n, 10)
			}
		}
	}
	return c, isFile || hasContentsSuffix(c.Path)
}

func hasContentsSuffix(path string) bool {
	return strings.HasSuffix(path, ".npy") || strings.HasSuffix(path, ".png")
}

// number returns the decimal text of a number. Hexadecimal integers begin with 0x.
func number(s string) (decimal string, ok bool) {
	digits, negative := strings.CutPrefix(s, "-")
	if len(digits) > 2 && (digits[:2] == "0x" || digits[:2] == "0X") {
		if n, err := strconv.ParseUint(digits[2:], 16, 64); err == nil {
			decimal = strconv.FormatUint(n, 10)
			if negative {
				decimal = "-" + decimal
			}
			return decimal, true
		}
	}
	_, err := strconv.ParseFloat(s, 64)
	return s, err == nil
}

// String returns the text that ParseContents reads back.
func (c Contents) String() string {
	switch {
	case c.Fill == FillRandom && c.Seed != 0:
		return "random:" + strconv.FormatUint(c.Seed, 10)
	case c.Fill == FillConstant:
		return "constant:" + c.Value
	case c.Fill == FillList:
		return "list:" + c.Value
	case c.Fill == FillFile:
		return c.file()
	}
	return string(c.Fill)
}

// file returns a file with an "@" before it if its path alone would read as something else.
func (c Contents) file() string {
	text := c.Path
	kind, _, _ := strings.Cut(text, ":")
	switch Fill(kind) {
	case FillRandom, FillZeros, FillIota, FillConstant, FillList:
		text = "@" + text
	default:
		if !hasContentsSuffix(text) || text[0] == '@' {
			text = "@" + text
		}
	}
	if c.Value != "" {
		text += "[" + c.Value + "]"
	}
	return text
}
