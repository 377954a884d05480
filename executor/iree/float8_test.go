package iree

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"zonemark/driver/setup/setuptest"
	"zonemark/executor/iree/capi"
	"zonemark/executor/iree/tensor"
	"zonemark/executor/values"
	"zonemark/invocations"
)

// Every float of eight bits has the value that IREE's code finds in it, and goes in and comes out by each provider.
func TestFloat8(t *testing.T) {
	in := compiler(t)
	var elements []invocations.ElementType
	source := ""
	for _, element := range invocations.ElementTypes() {
		if !element.Float8() {
			continue
		}
		elements = append(elements, element)
		source += strings.NewReplacer("NAME", string(element), "T", invocations.MLIRName(element)).Replace(
			`func.func @NAME(%a: tensor<256xT>) -> (tensor<256xf32>, tensor<256xT>) {
  %0 = arith.extf %a : tensor<256xT> to tensor<256xf32>
  return %0, %a : tensor<256xf32>, tensor<256xT>
}
`)
	}
	module := compiled(t, in, source, "")
	input := make([]byte, 256)
	for i := range input {
		input[i] = byte(i)
	}
	check := func(p provider) (err error) {
		s, e := p.open(module, nil)
		if e != nil {
			return e
		}
		defer func() { err = errors.Join(err, s.close()) }()
		for _, element := range elements {
			b, e := s.bind(string(element), []tensor.Tensor{{Element: element, Shape: []int64{256}, Data: input}})
			if e != nil {
				return e
			}
			defer b.close()
			if e := b.invoke(); e != nil {
				return e
			}
			out, e := b.outputs()
			if e != nil || len(out) != 2 || out[1].Element != element || string(out[1].Data) != string(input) {
				return fmt.Errorf("%s: results %v, %w", element, out, e)
			}
			for i := range input {
				got := float64(math.Float32frombits(binary.NativeEndian.Uint32(out[0].Data[4*i:])))
				want := values.FloatAt(input[i:], element)
				if got != want && !math.IsNaN(want) { // code of IREE 3.13 makes -480 of float8_e4m3fn's -NaN
					return fmt.Errorf("%s %#02x: IREE reads %v, zonemark %v", element, i, got, want)
				}
			}
		}
		return nil
	}
	onPython(t, func() error { return check(pythonProvider{in}) })
	if capi.Supported() == nil {
		if err := check(capiProvider{setuptest.CAPI(t)}); err != nil {
			t.Error(err)
		}
	}
}
