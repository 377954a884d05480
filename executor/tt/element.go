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

// elements are how elements of each type of arrays of numbers are stored.
var elements = map[pjrt.Type]element{
	pjrt.Pred: {storage: invocations.Bool},
	pjrt.S8:   {storage: invocations.Int8},
	pjrt.S16:  {storage: invocations.Int16},
	pjrt.S32:  {storage: invocations.Int32},
	pjrt.S64:  {storage: invocations.Int64},
	pjrt.U8:   {storage: invocations.Uint8},
	pjrt.U16:  {storage: invocations.Uint16},
	pjrt.U32:  {storage: invocations.Uint32},
	pjrt.U64:  {storage: invocations.Uint64},
	pjrt.F16:  {storage: invocations.Float16},
	pjrt.BF16: {storage: invocations.BFloat16},
	pjrt.F32:  {storage: invocations.Float32},
	pjrt.F64:  {storage: invocations.Float64},
	pjrt.C64:  {storage: invocations.Float32, pair: true},
	pjrt.C128: {storage: invocations.Float64, pair: true},
	pjrt.S4:   {storage: invocations.Int8, bits: 4},
	pjrt.U4:   {storage: invocations.Uint8, bits: 4},
	pjrt.S2:   {storage: invocations.Int8, bits: 2},
	pjrt.U2:   {storage: invocations.Uint8, bits: 2},

	pjrt.F4E2M1FN:      {storage: invocations.Uint8, bits: 4, pattern: true},
	pjrt.F8E5M2:        {storage: invocations.Uint8, pattern: true},
	pjrt.F8E4M3FN:      {storage: invocations.Uint8, pattern: true},
	pjrt.F8E4M3B11FNUZ: {storage: invocations.Uint8, pattern: true},
	pjrt.F8E5M2FNUZ:    {storage: invocations.Uint8, pattern: true},
	pjrt.F8E4M3FNUZ:    {storage: invocations.Uint8, pattern: true},
	pjrt.F8E4M3:        {storage: invocations.Uint8, pattern: true},
	pjrt.F8E3M4:        {storage: invocations.Uint8, pattern: true},
	pjrt.F8E8M0FNU:     {storage: invocations.Uint8, pattern: true},
}

// elementOf returns how elements of a type are stored. Returns false if the type is no array of numbers.
func elementOf(code pjrt.Type) (element, bool) {
	e, known := elements[code]
	e.code = code
	return e, known
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
