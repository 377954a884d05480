package pjrt

import (
	"fmt"
	"strconv"
	"strings"
)

// Type is an element type, PJRT_Buffer_Type of pjrt_c_api.h.
type Type int32

// These are the element types of version 0.81.
const (
	Invalid Type = iota
	Pred
	S8
	S16
	S32
	S64
	U8
	U16
	U32
	U64
	F16
	F32
	F64
	BF16
	C64
	C128
	F8E5M2
	F8E4M3FN
	F8E4M3B11FNUZ
	F8E5M2FNUZ
	F8E4M3FNUZ
	S4
	U4
	Token
	S2
	U2
	F8E4M3
	F8E3M4
	F8E8M0FNU
	F4E2M1FN
)

// typeInfo holds a type's name in StableHLO and the size of an element on the host, where types of fewer than eight
// bits take a byte.
type typeInfo struct {
	name  string
	bytes int64
}

func (t Type) info() typeInfo {
	all := [...]typeInfo{
		Pred: {"i1", 1}, S8: {"i8", 1}, S16: {"i16", 2}, S32: {"i32", 4}, S64: {"i64", 8}, U8: {"ui8", 1},
		U16: {"ui16", 2}, U32: {"ui32", 4}, U64: {"ui64", 8},
		F16: {"f16", 2}, F32: {"f32", 4}, F64: {"f64", 8}, BF16: {"bf16", 2}, C64: {"complex<f32>", 8},
		C128:   {"complex<f64>", 16},
		F8E5M2: {"f8E5M2", 1}, F8E4M3FN: {"f8E4M3FN", 1}, F8E4M3B11FNUZ: {"f8E4M3B11FNUZ", 1},
		F8E5M2FNUZ: {"f8E5M2FNUZ", 1}, F8E4M3FNUZ: {"f8E4M3FNUZ", 1},
		S4: {"i4", 1}, U4: {"ui4", 1}, S2: {"i2", 1}, U2: {"ui2", 1},
		F8E4M3: {"f8E4M3", 1}, F8E3M4: {"f8E3M4", 1}, F8E8M0FNU: {"f8E8M0FNU", 1}, F4E2M1FN: {"f4E2M1FN", 1},
	}
	if t < 0 || int(t) >= len(all) {
		return typeInfo{}
	}
	return all[t]
}

// TypeNamed returns the type with this name in StableHLO. Returns false if PJRT does not have it.
func TypeNamed(name string) (Type, bool) {
	for t := Pred; t <= F4E2M1FN; t++ {
		if name != "" && t.info().name == name {
			return t, true
		}
	}
	return Invalid, false
}

// String returns the type as StableHLO writes it.
func (t Type) String() string {
	if name := t.info().name; name != "" {
		return name
	}
	return fmt.Sprintf("type %d", int32(t))
}

// Size returns the size of an element on the host in bytes, or 0 if elements of the type cannot be copied.
func (t Type) Size() int64 { return t.info().bytes }

// Shape is the type of an array.
type Shape struct {
	Element    Type
	Dimensions []int64 // elements along each; empty for an array of one element without dimensions
}

const (
	maxRank  = 64
	maxBytes = 1 << 46
)

// Bytes returns the size of the array on the host, dense. Returns false if the type has no size or the array is too
// large for any memory.
func (s Shape) Bytes() (int64, bool) {
	size := s.Element.Size()
	for _, n := range s.Dimensions {
		if n < 0 || n > 0 && size > maxBytes/n {
			return 0, false
		}
		size *= n
	}
	return size, s.Element.Size() > 0
}

// strides returns the distances in bytes between neighbours along each dimension of the dense array.
func (s Shape) strides() []int64 {
	list := make([]int64, len(s.Dimensions))
	size := s.Element.Size()
	for d := len(list) - 1; d >= 0; d-- {
		list[d] = size
		size *= s.Dimensions[d]
	}
	return list
}

// String returns the type as StableHLO writes it, without the word tensor: "4x4xf32".
func (s Shape) String() string {
	var b strings.Builder
	for _, n := range s.Dimensions {
		b.WriteString(strconv.FormatInt(n, 10))
		b.WriteByte('x')
	}
	return b.String() + s.Element.String()
}
