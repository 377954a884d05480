package iree

import (
	"errors"
	"fmt"

	"zonemark/executor/iree/libpython"
	"zonemark/executor/iree/tensor"
	"zonemark/executor/tracy"
	"zonemark/invocations"
)

// pythonSession is a module loaded by the Python bindings.
type pythonSession struct {
	python *libpython.Interpreter
	client *tracy.Client
	number int // number of the session in the session module
}

// input holds what bind takes of a tensor, beside its data.
type input struct {
	Shape       []int64 `json:"shape"`
	ElementType uint32  `json:"element_type"` // iree_hal_element_type_t
	Scalar      string  `json:"scalar"`       // see scalarKind; empty for a tensor
	Storage     bool    `json:"storage"`      // passed as its buffer alone
}

func (s *pythonSession) bind(function string, inputs []tensor.Tensor) (*bound, error) {
	request := struct {
		Session  int     `json:"session"`
		Function string  `json:"function"`
		Inputs   []input `json:"inputs"`
	}{s.number, function, []input{}}
	var data [][]byte
	for n, t := range inputs {
		code, ok := tensor.Code(t.Element)
		if size := t.Elements() * t.Element.Size(); !ok || size != int64(len(t.Data)) {
			return nil, fmt.Errorf("input %d: %d bytes do not make a %s", n, len(t.Data), t.Type())
		}
		i := input{Shape: t.Shape, ElementType: code, Storage: t.Storage}
		if i.Shape == nil {
			i.Shape = []int64{}
		}
		if t.Scalar {
			i.Scalar = scalarKind(t.Element)
		}
		request.Inputs, data = append(request.Inputs, i), append(data, t.Data)
	}
	var reply struct{ Bound int }
	if err := s.exchange("bind", request, data, &reply, nil); err != nil {
		return nil, fmt.Errorf("function %s: %w", function, words(err))
	}
	return s.callOf(reply.Bound)
}

// callOf returns a bound function by its number in the session module.
func (s *pythonSession) callOf(number int) (*bound, error) {
	call, err := s.python.Get(sessionModule, fmt.Sprintf("calls[%d]", number))
	if err != nil {
		return nil, err
	}
	return &bound{calls: &pythonCalls{session: s, call: call, number: number}}, nil
}

func (pythonProvider) chain(samples int64, stages []*bound, moves [][]move) (*bound, error) {
	request := struct {
		Samples int64    `json:"samples"`
		Bounds  []int    `json:"bounds"`
		Moves   [][]move `json:"moves"`
	}{Samples: samples, Moves: moves}
	var s *pythonSession
	for _, one := range stages {
		calls := one.calls.(*pythonCalls)
		request.Bounds, s = append(request.Bounds, calls.number), calls.session
	}
	var reply struct{ Bound int }
	if err := s.exchange("chain", request, nil, &reply, nil); err != nil {
		return nil, words(err)
	}
	return s.callOf(reply.Bound)
}

func (s *pythonSession) tracyClient() *tracy.Client { return s.client }

func (s *pythonSession) close() error {
	return s.exchange("close_session", map[string]int{"session": s.number}, nil, &struct{}{}, nil)
}

// pythonCalls are the calls of a function with its inputs on the device.
type pythonCalls struct {
	session *pythonSession
	call    *libpython.Callable // the runtime's own invoke with all its arguments, no Python code
	number  int                 // number of the bound function in the session module
}

func (b *pythonCalls) invoke() error {
	if err := b.call.Call(); err != nil {
		return words(err)
	}
	return nil
}

func (b *pythonCalls) close() {
	// For a bound function, neither call can fail, and a caller could not react to an error.
	_ = b.call.Close()
	_ = b.session.exchange("unbind", map[string]int{"bound": b.number}, nil, &struct{}{}, nil)
}

func (b *pythonCalls) outputs() ([]tensor.Tensor, error) {
	var reply struct {
		Outputs []struct {
			Shape       []int64
			ElementType uint32 `json:"element_type"`
			Scalar      string // type of a number in the virtual machine: "i32"
		}
	}
	var data [][]byte
	if err := b.session.exchange("outputs", map[string]int{"bound": b.number}, nil, &reply, &data); err != nil {
		return nil, words(err)
	}
	if len(data) != len(reply.Outputs) {
		return nil, errors.New("the session module described other results than it returned")
	}
	var out []tensor.Tensor
	for n, o := range reply.Outputs {
		t := tensor.Tensor{Shape: o.Shape, Data: data[n], Scalar: o.Scalar != ""}
		var known bool
		if t.Scalar {
			t.Element, known = invocations.ParseMLIRName(o.Scalar)
			if known {
				t.Data = t.Data[:t.Element.Size()] // the low bytes, since the machine is little-endian
			}
		} else {
			t.Element, known = tensor.OfCode(o.ElementType)
		}
		if !known {
			return nil, fmt.Errorf("result %d has elements of a type that zonemark does not know (%s%#x)",
				n, o.Scalar, o.ElementType)
		}
		if want := t.Elements() * t.Element.Size(); int64(len(t.Data)) != want {
			return nil, fmt.Errorf("result %d, a %s, has %d bytes instead of %d", n, t.Type(), len(t.Data), want)
		}
		out = append(out, t)
	}
	return out, nil
}

// How the session module reads a scalar argument.
const (
	scalarFloat    = "float"
	scalarSigned   = "signed"
	scalarUnsigned = "unsigned"
)

// scalarKind returns how the session module reads a number of a type. The virtual machine takes 32- and 64-bit integers
// and floats. Smaller integers are passed in 32 bits and smaller floats by their bits. For integers of the same width
// the sign does not matter.
func scalarKind(t invocations.ElementType) string {
	switch t {
	case invocations.Float32, invocations.Float64:
		return scalarFloat
	case invocations.Bool, invocations.Uint8, invocations.Uint16, invocations.Float16, invocations.BFloat16,
		invocations.Float8E5M2, invocations.Float8E4M3FN, invocations.Float8E5M2FNUZ, invocations.Float8E4M3FNUZ:
		return scalarUnsigned
	}
	return scalarSigned
}
