package pjrt

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// These are field numbers of xla/service/hlo.proto and xla/xla_data.proto.
const (
	configuredModule    = 1 // HloModuleProtoWithConfig.hlo_module
	moduleProgramShape  = 4 // HloModuleProto.host_program_shape
	programParameters   = 1 // ProgramShapeProto.parameters
	programResult       = 2 // ProgramShapeProto.result
	shapeElement        = 2 // ShapeProto.element_type
	shapeDimensions     = 3 // ShapeProto.dimensions
	shapeTuple          = 4 // ShapeProto.tuple_shapes
	primitiveTuple      = 13
	hloFormat           = "hlo"
	hloWithConfigFormat = "hlo_with_config"
	maxParameters       = 1 << 16
)

// Signature holds the types of a program's arguments and results.
type Signature struct{ Arguments, Results []Shape }

// ProgramSignature reads the signature of a compiled program from the result of OptimizedProgram, in the formats "hlo"
// and "hlo_with_config".
func ProgramSignature(program []byte, format string) (Signature, error) {
	var s Signature
	module, err := hloModule(program, format)
	if err != nil {
		return s, err
	}
	found := false
	err = messageFields(module, func(field protowire.Number, _ uint64, message []byte) error {
		if field != moduleProgramShape || message == nil {
			return nil
		}
		found = true
		return s.read(message)
	})
	if err == nil && !found {
		err = errors.New("it does not say what the program's arguments are")
	}
	if err != nil {
		return Signature{}, fmt.Errorf("compiled program (%s): %w", format, err)
	}
	return s, nil
}

// hloModule returns the HloModuleProto of a compiled program.
func hloModule(program []byte, format string) (module []byte, err error) {
	switch format {
	case hloFormat:
		return program, nil
	case hloWithConfigFormat:
		err = messageFields(program, func(field protowire.Number, _ uint64, message []byte) error {
			if field == configuredModule {
				module = message
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("compiled program (%s): %w", format, err)
		}
		return module, nil
	}
	return nil, fmt.Errorf("the plugin gives the compiled program as %q, of which zonemark cannot read the types", format)
}

// read adds the types of a ProgramShapeProto.
func (s *Signature) read(program []byte) error {
	return messageFields(program, func(field protowire.Number, _ uint64, message []byte) error {
		switch field {
		case programParameters:
			list, err := readShape(message, nil)
			if err == nil && len(list) != 1 {
				err = errors.New("an argument is a tuple")
			}
			if s.Arguments = append(s.Arguments, list...); len(s.Arguments) > maxParameters {
				err = fmt.Errorf("more than %d arguments", maxParameters)
			}
			return err
		case programResult:
			list, err := readShape(message, nil)
			s.Results = list
			return err
		}
		return nil
	})
}

// readShape reads a ShapeProto, which is one array or a tuple of arrays.
func readShape(message []byte, list []Shape) ([]Shape, error) {
	shape := Shape{Dimensions: []int64{}}
	var tuple [][]byte
	primitive := uint64(0)
	err := messageFields(message, func(field protowire.Number, value uint64, bytes []byte) error {
		switch {
		case field == shapeElement:
			primitive = value
		case field == shapeDimensions && bytes == nil:
			shape.Dimensions = append(shape.Dimensions, int64(value))
		case field == shapeDimensions:
			for len(bytes) > 0 {
				n, size := protowire.ConsumeVarint(bytes)
				if size < 0 {
					return errors.New("a dimension is cut off")
				}
				shape.Dimensions, bytes = append(shape.Dimensions, int64(n)), bytes[size:]
			}
		case field == shapeTuple:
			tuple = append(tuple, bytes)
		}
		return nil
	})
	if err != nil || primitive != primitiveTuple {
		if len(shape.Dimensions) > maxRank {
			return nil, fmt.Errorf("an array of %d dimensions", len(shape.Dimensions))
		}
		shape.Element = primitiveType(primitive)
		return append(list, shape), err
	}
	if len(tuple) > maxParameters {
		return nil, fmt.Errorf("more than %d results", maxParameters)
	}
	for _, one := range tuple {
		more, err := readShape(one, nil)
		if err != nil {
			return nil, err
		}
		if len(more) != 1 {
			return nil, errors.New("a result is a tuple")
		}
		list = append(list, more[0])
	}
	return list, nil
}

// primitiveType translates xla.PrimitiveType, whose numbers differ from those of PJRT_Buffer_Type. Returns Invalid for
// an unknown type.
func primitiveType(primitive uint64) Type {
	types := [...]Type{
		1: Pred, 2: S8, 3: S16, 4: S32, 5: S64, 6: U8, 7: U16, 8: U32, 9: U64,
		10: F16, 11: F32, 12: F64, 15: C64, 16: BF16, 17: Token, 18: C128,
		19: F8E5M2, 20: F8E4M3FN, 21: S4, 22: U4, 23: F8E4M3B11FNUZ, 24: F8E5M2FNUZ, 25: F8E4M3FNUZ,
		26: S2, 27: U2, 28: F8E4M3, 29: F8E3M4, 32: F4E2M1FN, 33: F8E8M0FNU,
	}
	if primitive < uint64(len(types)) {
		return types[primitive]
	}
	return Invalid
}
