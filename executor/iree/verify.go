package iree

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"zonemark/executor/iree/tensor"
	"zonemark/executor/values"
	"zonemark/invocations"
	"zonemark/invocations/spelling"
)

// verify calls the function once and compares its results with the expected ones, or with those of the reference on the same inputs. Results that are no
// numbers are noted.
func (p *program) verify(b bound, inv *invocations.Invocation, phase func(string), note func(string)) (mismatch string, err error) {
	var want []tensor.Tensor
	if inv.Verify.Reference != "" {
		phase("reference")
		if want, err = p.reference(inv); err != nil {
			return "", err
		}
	}
	phase("verify")
	if err := b.invoke(); err != nil {
		return "", err
	}
	got, err := b.outputs()
	if err != nil {
		return "", err
	}
	noteNaN(got, note)
	if len(inv.Verify.Expected) > 0 {
		if mismatch, err = compareExpected(got, inv.Verify.Expected, inv.Verify.Tolerance); mismatch != "" || err != nil {
			return mismatch, err
		}
	}
	if inv.Verify.Reference != "" {
		return compareResults(got, want, inv.Verify.Tolerance), nil
	}
	return "", nil
}

// reference calls another function of the module on the same inputs.
func (p *program) reference(inv *invocations.Invocation) ([]tensor.Tensor, error) {
	f, known := p.module.Function(inv.Verify.Reference)
	if !known {
		near := spelling.Suggest(inv.Verify.Reference, functionNames(p.module))
		return nil, fmt.Errorf("the module has no reference function %q%s", inv.Verify.Reference, near)
	}
	return runOnce(p.session, f.Name, inv)
}

// runOnce calls a function of a session on the first set of an invocation's inputs.
func runOnce(s session, function string, inv *invocations.Invocation) ([]tensor.Tensor, error) {
	list, err := inputs(inv, 0)
	if err != nil {
		return nil, err
	}
	b, err := s.bind(function, list)
	if err != nil {
		return nil, err
	}
	defer b.close()
	if err := b.invoke(); err != nil {
		return nil, err
	}
	return b.outputs()
}

// compareResults describes how results differ; empty when they do not.
func compareResults(got, want []tensor.Tensor, tolerance float64) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d results, want %d", len(got), len(want))
	}
	var differences []string
	for i := range got {
		if text := compareTensor(&got[i], &want[i], tolerance); text != "" {
			differences = append(differences, fmt.Sprintf("result %d: %s", i, text))
		}
	}
	return strings.Join(differences, "; ")
}

func compareTensor(got, want *tensor.Tensor, tolerance float64) string {
	if got.Element != want.Element || !slices.Equal(got.Shape, want.Shape) {
		return fmt.Sprintf("got %s, want %s", got.Type(), want.Type())
	}
	text := values.Compare(got.Data, want.Data, got.Element, tolerance)
	if text != "" && len(got.Shape) > 1 {
		text += " (counted row by row over " + got.Type() + ")"
	}
	return text
}

// compareExpected compares results with what the user expects of them, in order. Results beyond those that are expected may be anything.
func compareExpected(got []tensor.Tensor, expected []string, tolerance float64) (mismatch string, err error) {
	if len(expected) > len(got) {
		return "", fmt.Errorf("%d outputs are expected and the function has %d results", len(expected), len(got))
	}
	want := make([]tensor.Tensor, len(expected))
	for i, text := range expected {
		if want[i], err = expectedTensor(text, &got[i]); err != nil {
			return "", fmt.Errorf("expected output %d: %w", i, err)
		}
	}
	return compareResults(got[:len(want)], want, tolerance), nil
}

// expectedTensor reads an expected result; a file has the type of its array.
func expectedTensor(text string, like *tensor.Tensor) (tensor.Tensor, error) {
	a, err := invocations.ParseTensor(text)
	if err != nil {
		return tensor.Tensor{}, fmt.Errorf("%q: %w", text, err)
	}
	if a.Fill == invocations.FillDefault {
		return tensor.Tensor{}, fmt.Errorf("%q: the values are missing; want one such as 4x4xf32=0.5", text)
	}
	if a.Fill == invocations.FillFile {
		if _, a.Shape, err = values.NPYType(a.Path); err != nil {
			return tensor.Tensor{}, err
		}
		a.Element = like.Element // the reader refuses a file of another type, and knows how bfloat16 is saved
	}
	return fillInput(&a, 0)
}

// noteNaN tells of results that hold no numbers.
func noteNaN(results []tensor.Tensor, note func(string)) {
	for i := range results {
		r := &results[i]
		if n := countNaN(r); n > 0 {
			note(fmt.Sprintf("%d of %d elements of result %d are NaN", n, r.Elements(), i))
		}
	}
}

// countNaN counts the elements of a floating-point tensor that are no numbers.
func countNaN(t *tensor.Tensor) (n int64) {
	size := int(t.Element.Size())
	if !t.Element.Float() || size == 0 {
		return 0
	}
	for data := t.Data; len(data) >= size; data = data[size:] {
		if math.IsNaN(values.FloatAt(data, t.Element)) {
			n++
		}
	}
	return n
}
