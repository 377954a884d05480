package arguments

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// floats returns an output of float32 in a shape.
func floats(shape []int64, values ...float32) Output {
	o := Output{Label: "result 0", Element: invocations.Float32, Shape: shape}
	for _, v := range values {
		o.Data = binary.LittleEndian.AppendUint32(o.Data, math.Float32bits(v))
	}
	return o
}

// Expected outputs are compared with what is there. What cannot be compared is an error where the type was declared
// before the call, and a mismatch where the call chose it.
func TestExpected(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ones.npy")
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\n"
	npy := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	npy = append(append(npy, header...), floats(nil, 1, 1, 1, 1).Data...)
	if err := os.WriteFile(file, npy, 0o644); err != nil {
		t.Fatal(err)
	}
	flat := floats(nil, 1, 1, 1, 1)
	flat.AnyShape = true
	declared := floats([]int64{2, 2}, 1, 1, 1, 1)
	declared.Declared = true
	square := floats([]int64{2, 2}, 1, 1, 1, 1)
	scalar := Output{Label: "result 0", Element: invocations.Int32, Data: []byte{7, 0, 0, 0}}
	signlessScalar := scalar
	signlessScalar.Signless = true
	signed := Output{Label: "result 0", Element: invocations.Int8, Shape: []int64{2}, Data: []byte{200, 200}}
	signless := signed
	signless.Signless = true
	unsigned := filepath.Join(t.TempDir(), "unsigned.npy")
	header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n"
	npy = append(append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), 0), header...)
	if err := os.WriteFile(unsigned, append(npy, 200, 200), 0o644); err != nil {
		t.Fatal(err)
	}
	words := func(r remedy.Remedy) string { return string(r.Kind) + " " + r.Name + " " + r.Value }
	ints := Output{Label: "n", Element: invocations.Int16, Data: []byte{5, 0}, Declared: true}
	for _, c := range []struct {
		name           string
		output         Output
		expected       string
		mismatch, fail string // both empty if the output is as expected
	}{
		{"equal", square, "2x2xf32=1", "", ""},
		{"a number without a type", signlessScalar, "7", "", ""},
		{"within the tolerance", square, "2x2xf32=1.00001", "", ""},
		{"a file", square, "@" + file, "", ""},
		{"another value", square, "2x2xf32=1 1 3 1", "result 0 is not as expected: 1 of 4 elements differ; the first is " +
			"element 2: got 1, want 3; largest relative error 0.667, tolerance 0.001 (counted row by row over shape [2 2])",
			""},
		{"another shape", square, "4xf32=1", "result 0 is not as expected: got 2x2xf32, want 4xf32", ""},
		{"another type", square, "2x2xi32=1", "result 0 is not as expected: got 2x2xf32, want 2x2xi32", ""},
		{"another shape of a declared output", declared, "4xf32=1", "",
			"result 0 is 2x2xf32; correct the type or the shape; instead 4xf32 2x2xf32"},
		{"another type of a declared output", declared, "2x2xi32=1", "",
			"result 0 is 2x2xf32; correct the type or the shape; instead 2x2xi32 2x2xf32"},
		{"a file of another shape", floats([]int64{4}, 1, 1, 1, 1), "@" + file, "got 4xf32, want 2x2xf32", ""},
		{"anything", square, "(ignored)", "", ""},
		{"a number", scalar, "7", "", ""},
		{"another number", scalar, "8", "got 7, want 8", ""},
		{"a number for several elements", square, "1", "got 2x2xf32, want f32", ""},
		{"an unsigned type", signless, "2xui8=200", "", ""},
		{"another unsigned number", signless, "2xui8=201", "got 200, want 201", ""},
		{"a signed type", signless, "2xi8=-56", "", ""},
		{"a file of unsigned numbers", signless, "@" + unsigned, "", ""},
		{"an unsigned type of another size", signless, "2xui16=200", "got 2xi8, want 2xui16", ""},
		{"a type of its own sign", signed, "2xui8=200", "got 2xi8, want 2xui8", ""},
		{"any shape", flat, "4x1xf32=1", "", ""},
		{"a file for any shape", flat, "@" + file, "", ""},
		{"another number of elements", flat, "5xf32=1", "got 4xf32, want 5xf32", ""},
		{"a shape that no memory holds", square, "1000000x1000000xf32=1", "want 1000000x1000000xf32", ""},
		{"a single number", ints, "i16=5", "", ""},
		{"a single number that differs", ints, "i16=-1", "n is not as expected: 1 of 1 elements differ", ""},
		{"a file of another type", ints, "@" + file, "", "ones.npy"},
		{"no values", square, "2x2xf32", "", "the values are missing; want one such as 4x4xf32=0.5"},
		{"no file", square, "@missing.npy", "", "missing.npy"},
		{"no tensor", square, "two", "", "expected output two of result 0"},
	} {
		mismatch, err := (Comparison{}).Expected([]Output{c.output}, []string{c.expected})
		switch {
		case c.fail != "":
			if err == nil || !strings.Contains(remedy.Told(err, words), c.fail) || !strings.Contains(err.Error(), c.output.Label) {
				t.Errorf("%s: error %v, want %q", c.name, err, c.fail)
			}
		case err != nil || !strings.Contains(mismatch, c.mismatch) || (mismatch == "") != (c.mismatch == ""):
			t.Errorf("%s: %q, error %v, want %q", c.name, mismatch, err, c.mismatch)
		}
	}
	if _, err := (Comparison{}).Expected([]Output{square}, []string{"2x2xf32=1", "f32=1"}); err == nil ||
		!strings.Contains(err.Error(), "2 outputs are expected, and the function has 1; name fewer") {
		t.Errorf("too many expected outputs: %v", err)
	}
	if got, err := (Comparison{}).Expected([]Output{square, ints}, []string{"2x2xf32=1"}); got != "" || err != nil {
		t.Errorf("outputs beyond the expected ones: %q, %v", got, err)
	}
}

// A runtime may read what is expected itself.
func TestRead(t *testing.T) {
	own := floats([]int64{2}, 1, 2)
	own.Read = func(a *invocations.Argument) ([]int64, []byte, error) {
		if a.Fill == invocations.FillFile {
			return nil, nil, errors.New("no files")
		}
		return []int64{2}, floats(nil, 1, 3).Data, nil
	}
	if got, err := (Comparison{}).Expected([]Output{own}, []string{"4xf32=0"}); err != nil || !strings.Contains(got, "want 3") {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := (Comparison{}).Expected([]Output{own}, []string{"@x.npy"}); err == nil ||
		!strings.Contains(err.Error(), "no files") {
		t.Errorf("error %v", err)
	}
}

// Outputs are compared with those of a reference one by one.
func TestCompare(t *testing.T) {
	a, b := floats([]int64{2}, 1, 2), floats([]int64{2}, 1, 3)
	b.Label = "result 1"
	shorter, flat := floats(nil, 1), floats(nil, 1, 2)
	shorter.AnyShape, flat.AnyShape = true, true
	for _, c := range []struct {
		got, want []Output
		text      string
	}{
		{[]Output{a, b}, []Output{a, b}, ""},
		{[]Output{a, b}, []Output{a, a}, "result 1: 1 of 2 elements differ; the first is element 1: got 3, want 2"},
		{[]Output{a, a}, []Output{b, b}, "; result 0: 1 of 2"},
		{[]Output{a}, []Output{a, b}, "1 results, want 2"},
		{[]Output{a}, []Output{floats([]int64{1, 2}, 1, 2)}, "result 0: got 2xf32, want 1x2xf32"},
		{[]Output{flat}, []Output{flat}, ""},
		{[]Output{shorter}, []Output{flat}, "result 0: got 1xf32, want 2xf32"},
	} {
		if got := (Comparison{}).Compare(c.got, c.want); !strings.Contains(got, c.text) || (got == "") != (c.text == "") {
			t.Errorf("%q, want %q", got, c.text)
		}
	}
}

// Outputs that hold NaN are noted, integers never.
func TestNoteNaN(t *testing.T) {
	nan := float32(math.NaN())
	var notes []string
	NoteNaN([]Output{floats([]int64{3}, nan, 1, nan), floats([]int64{1}, 1),
		{Label: "n", Element: invocations.Int32, Shape: []int64{1}, Data: []byte{0xff, 0xff, 0xff, 0xff}}},
		func(text string) { notes = append(notes, text) })
	if len(notes) != 1 || notes[0] != "2 of 3 elements of result 0 are NaN" {
		t.Errorf("notes %q", notes)
	}
}

// A tolerance that decides is told. Errors far below it are not. What is expected comes from another program, and may
// differ by more than the variants of one.
func TestNoteTolerance(t *testing.T) {
	for text, want := range map[string]string{
		"2xf32=1":          "",
		"2xf32=1.00001 1":  "",
		"2xf32=1.00016 1":  "result 0 is as expected within the tolerance: its largest relative error is 0.00016, the tolerance of f32 is 0.001",
		"2xf32=1.002 0.99": "", // a mismatch
		"2xbf16=1":         "", // another type
	} {
		var notes []string
		outputs := []Output{floats([]int64{2}, 1, 1)}
		how := Comparison{Note: func(note string) { notes = append(notes, note) }}
		_, err := how.Expected(outputs, []string{text})
		got := strings.Join(notes, "; ")
		if err != nil || (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
	got, other := []Output{floats([]int64{2}, 1, 1)}, []Output{floats([]int64{2}, 1.00016, 1)}
	if mismatch := (Comparison{}).Compare(got, other); !strings.Contains(mismatch, "tolerance 0.0001") {
		t.Errorf("variants differ: %q", mismatch)
	}
	narrow := Comparison{Tolerance: 1e-4}
	if mismatch, err := narrow.Expected(got, []string{"2xf32=1.00016 1"}); err != nil || !strings.Contains(mismatch, "tolerance 0.0001") {
		t.Errorf("a narrower tolerance: %q, %v", mismatch, err)
	}
}
