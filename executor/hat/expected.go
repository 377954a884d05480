package hat

import (
	"fmt"

	"zonemark/executor/values"
	"zonemark/invocations"
)

// declaredOutputs returns the positions of the arguments that are declared as outputs.
func (b *binding) declaredOutputs() (list []int) {
	for i := range b.arguments {
		if b.arguments[i].Usage != invocations.Input {
			list = append(list, i)
		}
	}
	return list
}

// checkExpected refuses more expected outputs than there are. The return value comes after the arguments.
func (b *binding) checkExpected(expected []string) error {
	n := len(b.declaredOutputs())
	if b.result != "" {
		n++
	}
	if len(expected) > n {
		return fmt.Errorf("%d outputs are expected, and %s has %d; name fewer", len(expected), b.symbol, n)
	}
	return nil
}

// compareExpected describes how the outputs of a call differ from the expected ones. It returns nothing if they do not.
func (c *comparison) compareExpected(got *argumentSets, r returned) (differences []string, err error) {
	outputs := c.binding.declaredOutputs()
	for n, text := range c.verify.Expected {
		label, element := "return value", c.binding.result
		var elements []byte
		if n < len(outputs) {
			a := &c.binding.arguments[outputs[n]]
			label, element = a.label(), a.Element
			if elements, err = got.elementsOf(outputs[n]); err != nil {
				return nil, fmt.Errorf("%s: %w", label, err)
			}
		} else {
			elements = r.bytes(element)
		}
		want, err := expectedElements(text, label, element, len(elements))
		if err != nil {
			return nil, fmt.Errorf("expected output %d: %w", n+1, err)
		}
		if difference := values.Compare(elements, want, element, c.verify.Tolerance); difference != "" {
			differences = append(differences, label+" is not as expected: "+difference)
		}
	}
	return differences, nil
}

// expectedElements reads an expected output of so many bytes.
func expectedElements(text, label string, element invocations.ElementType, size int) ([]byte, error) {
	t, err := invocations.ParseTensor(text)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	if t.Fill != invocations.FillFile { // a file is checked when it is read
		n, ok := shapeElements(t.Shape)
		switch {
		case t.Element != element:
			return nil, fmt.Errorf("%q: %s is %s; correct the type", text, label, element)
		case !ok || n*element.Size() != int64(size):
			return nil, fmt.Errorf("%q: %s has %d elements; correct the shape", text, label, int64(size)/element.Size())
		}
	}
	data := make([]byte, size)
	return data, values.Fill(data, element, t.Contents, 0)
}
