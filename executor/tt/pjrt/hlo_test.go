package pjrt

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// shapeMessage is a ShapeProto.
func shapeMessage(primitive uint64, packed bool, dimensions ...int64) []byte {
	b := appendVarintField(nil, shapeElement, primitive)
	var all []byte
	for _, n := range dimensions {
		if !packed {
			b = appendVarintField(b, shapeDimensions, uint64(n))
		}
		all = append(all, byte(n))
	}
	if packed {
		b = appendBytesField(b, shapeDimensions, all)
	}
	return b
}

// moduleMessage is a HloModuleProto with a name, and fields that nobody knows, around its signature.
func moduleMessage(result []byte, parameters ...[]byte) []byte {
	var program []byte
	for _, p := range parameters {
		program = appendBytesField(program, programParameters, p)
	}
	program = appendBytesField(program, programResult, result)
	b := appendBytesField(nil, 1, []byte("module"))
	b = append(b, 0x7d, 1, 2, 3, 4)             // field 15, fixed32
	b = append(b, 0x79, 1, 2, 3, 4, 5, 6, 7, 8) // field 15, fixed64
	return appendBytesField(b, moduleProgramShape, program)
}

func TestProgramSignature(t *testing.T) {
	tuple := appendVarintField(nil, shapeElement, primitiveTuple)
	tuple = appendBytesField(tuple, shapeTuple, shapeMessage(16, true, 2, 3))
	tuple = appendBytesField(tuple, shapeTuple, shapeMessage(1, false))
	module := moduleMessage(tuple, shapeMessage(11, true, 4, 4), shapeMessage(21, false, 7), shapeMessage(15, true))
	for format, program := range map[string][]byte{"hlo": module, "hlo_with_config": appendBytesField(nil,
		configuredModule, module)} {
		s, err := ProgramSignature(program, format)
		if got, want := fmt.Sprint(s.Arguments, s.Results), "[4x4xf32 7xi4 complex<f32>] [2x3xbf16 i1]"; err != nil ||
			got != want {
			t.Errorf("%s: %s, %v; want %s", format, got, err, want)
		}
	}
	for _, c := range []struct {
		program []byte
		format  string
		want    string
	}{
		{module, "mlir", `"mlir"`},
		{nil, "hlo", "does not say what the program's arguments are"},
		{module[:len(module)-1], "hlo", "longer than the message"},
		{[]byte{0x80}, "hlo", "cut off"},
		{[]byte{0x0b}, "hlo", "wire type 3"},
		{moduleMessage(nil, tuple), "hlo", "an argument is a tuple"},
	} {
		if _, err := ProgramSignature(c.program, c.format); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("% x (%s): error %v, want %q in it", c.program, c.format, err, c.want)
		}
	}
}

func FuzzProgramSignature(f *testing.F) {
	module := moduleMessage(shapeMessage(11, true, 4), shapeMessage(11, true, 4, 4))
	f.Add(module)
	f.Add(appendBytesField(nil, configuredModule, module))
	f.Add([]byte{0x22, 0x04, 0x0a, 0x02, 0x10, 0x0b})
	f.Fuzz(func(t *testing.T, program []byte) {
		for _, format := range []string{"hlo", "hlo_with_config"} {
			before := bytes.Clone(program)
			s, err := ProgramSignature(program, format)
			if err != nil && (s.Arguments != nil || s.Results != nil) {
				t.Error("an error and a signature")
			}
			if !bytes.Equal(before, program) {
				t.Error("the program was changed")
			}
			for _, shape := range slices.Concat(s.Arguments, s.Results) {
				if len(shape.Dimensions) > rankMax {
					t.Errorf("%d dimensions", len(shape.Dimensions))
				}
			}
		}
	})
}
