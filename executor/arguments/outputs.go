package arguments

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"zonemark/executor/values"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// Output is what a call has written into one of its outputs, or has returned.
type Output struct {
	Label   string // for messages: "result 0", "argument 2 (x)"
	Element invocations.ElementType
	Shape   []int64 // empty for a single element
	Data    []byte  // the elements, dense and in row-major order
	// AnyShape reports that the output is known by the number of its elements: what is expected of it may have any
	// shape with as many.
	AnyShape bool
	// Signless reports that the type of integers does not say whether they have a sign: it is as in what is expected.
	Signless bool
	// Declared reports that the type was known before the call. It is then an error to expect another one, and no
	// mismatch.
	Declared bool
	// Read reads what is expected of the output if it knows more of types and files than values.Fill; else it is nil. It
	// returns no data for another shape, and an error for another type.
	Read func(expected *invocations.Argument) (shape []int64, data []byte, err error)
}

// typeText returns the type of an output, such as "4x8xf32".
func (o *Output) typeText() string {
	shape := o.Shape
	if o.AnyShape {
		shape = []int64{o.elements()}
	}
	return invocations.TensorShape(o.Element, shape)
}

// sameType reports whether another output has the same elements and shape.
func (o *Output) sameType(other *Output) bool {
	if o.AnyShape {
		return o.Element == other.Element && o.elements() == other.elements()
	}
	return o.Element == other.Element && slices.Equal(o.Shape, other.Shape)
}

// elements returns the number of elements.
func (o *Output) elements() int64 {
	if o.AnyShape {
		return int64(len(o.Data)) / max(1, o.Element.Size())
	}
	n := int64(1)
	for _, extent := range o.Shape {
		n *= extent
	}
	return n
}

// Comparison says how outputs are compared.
type Comparison struct {
	Tolerance float64      // relative; 0: the default of the element type, and of what the outputs are compared with
	Note      func(string) // is told if the tolerance decides that outputs are equal; nil: nobody is
}

// Compare describes how outputs differ from those of a reference. It returns "" if they do not.
func (c Comparison) Compare(got, want []Output) (mismatch string) {
	if len(got) != len(want) {
		return fmt.Sprintf("%d results, want %d", len(got), len(want))
	}
	var differences []string
	for i := range got {
		if text := c.compare(&got[i], &want[i], values.DefaultTolerance); text != "" {
			differences = append(differences, got[i].Label+": "+text)
		}
	}
	return strings.Join(differences, "; ")
}

// compare compares two outputs with the tolerance that is given, or with that of their type.
func (c Comparison) compare(got, want *Output, ofType func(invocations.ElementType) float64) string {
	tolerance := c.Tolerance
	if !(tolerance > 0) {
		tolerance = ofType(got.Element)
	}
	if !got.sameType(want) {
		return fmt.Sprintf("got %s, want %s", got.typeText(), want.typeText())
	}
	text := values.Compare(got.Data, want.Data, got.Element, tolerance)
	if text == "" && c.Note != nil {
		c.noteTolerance(got, want, tolerance)
	}
	if text != "" && len(got.Shape) > 1 {
		text += fmt.Sprintf(" (counted row by row over shape %v)", got.Shape)
	}
	return text
}

// decides is the part of a tolerance above which an error is told, though it is within the tolerance.
const decides = 0.1

// noteTolerance tells that an output is equal to another one within the tolerance only.
func (c Comparison) noteTolerance(got, want *Output, tolerance float64) {
	largest, taken := values.Deviation(got.Data, want.Data, got.Element, tolerance)
	if largest > decides*taken {
		c.Note(fmt.Sprintf("%s is as expected within the tolerance: its largest relative error is %.2g, "+
			"the tolerance of %s is %g", got.Label, largest, invocations.MLIRName(got.Element), taken))
	}
}

// CheckExpected refuses more expected outputs than a function has. Of names the function.
func CheckExpected(expected []string, outputs int, of string) error {
	if len(expected) > outputs {
		return fmt.Errorf("%d outputs are expected, and %s has %d; name fewer", len(expected), of, outputs)
	}
	return nil
}

// Expected describes how outputs differ from what the user expects of them, in order. Outputs beyond the expected ones
// may be anything. It returns "" if they do not differ.
func (c Comparison) Expected(got []Output, expected []string) (mismatch string, err error) {
	if err := CheckExpected(expected, len(got), "the function"); err != nil {
		return "", err
	}
	var differences []string
	for i, text := range expected {
		if text == invocations.IgnoredTensor {
			continue
		}
		output, err := got[i].signed(text)
		var want Output
		if err == nil {
			want, err = output.expected(text)
		}
		if err != nil {
			return "", fmt.Errorf("expected output %s of %s: %w", text, got[i].Label, err)
		}
		if difference := c.compare(&output, &want, values.ExpectedTolerance); difference != "" {
			differences = append(differences, got[i].Label+" is not as expected: "+difference)
		}
	}
	return strings.Join(differences, "; "), nil
}

// signed returns the output with the sign of what is expected of it, if its type says none.
func (o *Output) signed(text string) (Output, error) {
	out := *o
	if !o.Signless || o.Element.Float() {
		return out, nil
	}
	a, err := invocations.ParseExpected(text)
	if err == nil && a.Fill == invocations.FillFile && a.Element == "" {
		a.Element, _, err = values.FileType(a.Contents)
	}
	if a.Element.SameBits(o.Element) {
		out.Element = a.Element
	}
	return out, err
}

// expected reads what is expected of the output. A file has the type of the output: reading refuses another one, and
// knows how types are saved that NumPy does not have.
func (o *Output) expected(text string) (Output, error) {
	a, err := invocations.ParseExpected(text)
	if err != nil {
		return Output{}, err
	}
	switch a.Fill {
	case invocations.FillConstant:
		if a.Element == "" { // a number alone has the type of the output, and is one element
			a.Element, a.Shape = o.Element, []int64{}
		}
	case invocations.FillDefault:
		return Output{}, errors.New("the values are missing; want one such as 4x4xf32=0.5")
	case invocations.FillFile:
		if a.Element == "" {
			a.Element = o.Element
			if o.Read == nil {
				if a.Shape, err = values.FileShape(a.Contents); err != nil {
					return Output{}, err
				}
			}
		}
	}
	want := Output{Element: a.Element, Shape: a.Shape}
	if o.Read != nil {
		if want.Shape, want.Data, err = o.Read(&a); err != nil {
			return Output{}, err
		}
	}
	if !o.sameType(&want) {
		if o.Declared {
			return Output{}, remedy.With(fmt.Errorf("%s is %s; correct the type or the shape", o.Label, o.typeText()),
				remedy.Remedy{Kind: remedy.Instead, Name: want.typeText(), Value: o.typeText()})
		}
		return want, nil // the comparison says so
	}
	if want.Data == nil {
		want.Data = make([]byte, len(o.Data))
		err = values.Fill(want.Data, o.Element, a.Contents, 0)
	}
	return want, err
}

// NoteNaN adds a note for each output with elements that are not a number.
func NoteNaN(outputs []Output, note func(string)) {
	for i := range outputs {
		o := &outputs[i]
		if n := o.countNaN(); n > 0 {
			note(fmt.Sprintf("%d of %d elements of %s are NaN", n, o.elements(), o.Label))
		}
	}
}

// countNaN returns how many elements of a floating-point output are not a number.
func (o *Output) countNaN() (n int64) {
	size := int(o.Element.Size())
	if !o.Element.Float() || size == 0 {
		return 0
	}
	for data := o.Data; len(data) >= size; data = data[size:] {
		if math.IsNaN(values.FloatAt(data, o.Element)) {
			n++
		}
	}
	return n
}
