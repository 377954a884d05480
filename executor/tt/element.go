package tt

import (
	"zonemark/executor/tt/pjrt"
	"zonemark/executor/tt/stablehlo"
	"zonemark/invocations"
)

// element describes how elements of a plugin's type are stored on the host, filled and compared. Types that zonemark
// has no numbers for are treated as ones that it has: complex numbers as pairs along a last dimension of 2,
// floating-point types of at most eight bits as their bit patterns, integers of fewer than eight bits as bytes.
type element struct {
	code    pjrt.Type
	storage invocations.ElementType
	pair    bool
	bits    uint // used bits of a byte of storage; 0 if all are used
	pattern bool // the storage is a bit pattern
}

// elementOf returns how elements of a type are stored. Returns false if the type is no array of numbers.
func elementOf(code pjrt.Type) (element, bool) {
	e := element{code: code}
	switch code {
	case pjrt.Pred:
		e.storage = invocations.Bool
	case pjrt.S8:
		e.storage = invocations.Int8
	case pjrt.S16:
		e.storage = invocations.Int16
	case pjrt.S32:
		e.storage = invocations.Int32
	case pjrt.S64:
		e.storage = invocations.Int64
	case pjrt.U8:
		e.storage = invocations.Uint8
	case pjrt.U16:
		e.storage = invocations.Uint16
	case pjrt.U32:
		e.storage = invocations.Uint32
	case pjrt.U64:
		e.storage = invocations.Uint64
	case pjrt.F16:
		e.storage = invocations.Float16
	case pjrt.BF16:
		e.storage = invocations.BFloat16
	case pjrt.F32:
		e.storage = invocations.Float32
	case pjrt.F64:
		e.storage = invocations.Float64
	case pjrt.C64:
		e.storage, e.pair = invocations.Float32, true
	case pjrt.C128:
		e.storage, e.pair = invocations.Float64, true
	case pjrt.S4:
		e.storage, e.bits = invocations.Int8, 4
	case pjrt.U4:
		e.storage, e.bits = invocations.Uint8, 4
	case pjrt.S2:
		e.storage, e.bits = invocations.Int8, 2
	case pjrt.U2:
		e.storage, e.bits = invocations.Uint8, 2
	case pjrt.F4E2M1FN:
		e.storage, e.bits, e.pattern = invocations.Uint8, 4, true
	case pjrt.F8E5M2, pjrt.F8E4M3FN, pjrt.F8E4M3B11FNUZ, pjrt.F8E5M2FNUZ, pjrt.F8E4M3FNUZ, pjrt.F8E4M3, pjrt.F8E3M4,
		pjrt.F8E8M0FNU:
		e.storage, e.pattern = invocations.Uint8, true
	default:
		return e, false
	}
	return e, true
}

// note explains how the elements are represented if not as themselves. Returns "" if they are.
func (e element) note() string {
	switch {
	case e.pair:
		return e.code.String() + " is given as pairs of " + string(e.storage)
	case e.pattern:
		return e.code.String() + " is given as bit patterns"
	case e.bits > 0:
		return e.code.String() + " is given as " + string(e.storage)
	}
	return ""
}

// value is an argument or a result as the program declares it.
type value struct {
	name       string
	element    element
	known      bool    // elementOf knows the element type
	dimensions []int64 // stablehlo.Open if the caller chooses
	text       string  // the type, for people
	donated    bool
	sharding   stablehlo.Sharding // which part each device holds, if the program is split over them
}

// fromText returns a value that a program in text declares.
func fromText(v stablehlo.Value) value {
	out := value{name: v.Name, dimensions: v.Type.Dimensions, text: v.Type.Text, donated: v.Donated,
		sharding: v.Sharding}
	code, _ := pjrt.TypeNamed(v.Type.Element)
	out.element, out.known = elementOf(code)
	return out
}

// fromShape returns a value that a plugin reports.
func fromShape(name string, s pjrt.Shape) value {
	out := value{name: name, dimensions: s.Dimensions, text: "tensor<" + s.String() + ">"}
	out.element, out.known = elementOf(s.Element)
	return out
}

// onDevice returns the part of the value that one device holds.
func (v value) onDevice() value {
	if !v.sharding.Split() {
		return v
	}
	v.dimensions = v.sharding.PartDimensions(v.dimensions)
	return v
}

// signature holds the arguments and results of a program, whole, and how many devices it is written for.
type signature struct {
	arguments, results   []value
	partitions, replicas int  // 0 if the program does not say
	shardy               bool // the shardings are for the partitioner Shardy
}
