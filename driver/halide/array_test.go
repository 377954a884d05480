package halide

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// The bytes are those that numpy.save writes for array.reshape(2, 3).
func TestWriteNPY(t *testing.T) {
	header := func(text string) string {
		return "\x93NUMPY\x01\x00v\x00" + text + strings.Repeat(" ", 117-len(text)) + "\n"
	}
	for _, c := range []struct {
		array Array
		want  string
	}{
		{integerArray(Uint8, []int{3, 2}, []int32{1, 2, 3, 4, 5, 255}),
			header("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }") + "\x01\x02\x03\x04\x05\xff"},
		{integerArray(Int8, []int{1}, []int32{-1}),
			header("{'descr': '|i1', 'fortran_order': False, 'shape': (1,), }") + "\xff"},
		{integerArray(Int32, []int{1, 1}, []int32{-2}),
			header("{'descr': '<i4', 'fortran_order': False, 'shape': (1, 1), }") + "\xfe\xff\xff\xff"},
		{floatArray([]int{1, 1, 1}, []float64{1}),
			header("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1), }") + "\x00\x00\x80\x3f"},
	} {
		var got bytes.Buffer
		if err := c.array.WriteNPY(&got); err != nil || got.String() != c.want {
			t.Errorf("%v: %v\n%q, not\n%q", c.array.Extents, err, got.String(), c.want)
		}
	}
}

type full struct{ left int }

var errFull = errors.New("the disk is full")

func (f *full) Write(p []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteNPYErrors(t *testing.T) {
	a := integerArray(Uint8, []int{2}, []int32{1, 2})
	for left := range 2 {
		if err := a.WriteNPY(&full{left}); !errors.Is(err, errFull) {
			t.Errorf("after %d writes: %v", left, err)
		}
	}
	for _, a := range []Array{{"int128", []int{1}, nil}, {Int32, []int{2}, make([]byte, 4)}} {
		if err := a.WriteNPY(&bytes.Buffer{}); err == nil {
			t.Errorf("%v was written", a)
		}
	}
}
