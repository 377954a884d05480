package iree

import (
	"fmt"
	"testing"

	"zonemark/driver/setup/setuptest"
	"zonemark/executor"
	"zonemark/executor/iree/capi"
	"zonemark/executor/iree/tensor"
	"zonemark/invocations"
)

// Memory that a caller hands over for a result is passed as such, by each provider; the function writes its result
// there. A result that is memory is read as bytes.
func TestStorage(t *testing.T) {
	in := compiler(t)
	module := compiled(t, in, `util.func public @twice(
  %a: tensor<4xf32>, %storage: !hal.buffer {iree.abi.output = 0 : index}
) -> (tensor<4xf32>, !hal.buffer) {
  %0 = arith.addf %a, %a : tensor<4xf32>
  util.return %0, %storage : tensor<4xf32>, !hal.buffer
}
`, "")
	list, err := Runtime{in}.Describe(module, executor.DescribeOptions{Options: map[string]string{}})
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if f := list[0].Functions[0]; f.Skip != "" || f.Arguments[1].Usage != invocations.InputOutput {
		t.Errorf("%+v", f)
	}
	check := func(p provider) error {
		s, err := p.open(module, nil)
		if err != nil {
			return err
		}
		storage := filled(9, 4)
		storage.Storage = true
		b, err := s.bind("twice", []tensor.Tensor{filled(3, 4), storage})
		if err != nil {
			return err
		}
		if err := b.invoke(); err != nil {
			return err
		}
		out, err := b.outputs()
		want := string(filled(6, 4).Data)
		if err != nil || len(out) != 2 || string(out[0].Data) != want || out[1].Type() != "16xi8" {
			return fmt.Errorf("results %v, %w", out, err)
		}
		if string(out[1].Data) != want {
			return fmt.Errorf("the memory holds % x, and the result is % x", out[1].Data, want)
		}
		b.close()
		return s.close()
	}
	onPython(t, func() error { return check(pythonProvider{in}) })
	if capi.Supported() == nil {
		if err := check(capiProvider{setuptest.CAPI(t)}); err != nil {
			t.Error(err)
		}
	}
}
