package invocations

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxRank bounds the dimensions of a tensor that a user writes.
const maxRank = 64

// MLIRName returns an element type as MLIR and IREE's tools write it, "f32"; empty for an unknown type.
func MLIRName(t ElementType) string {
	switch t {
	case Bool:
		return "i1"
	case Int8, Int16, Int32, Int64:
		return fmt.Sprintf("i%d", 8*t.Size())
	case Uint8, Uint16, Uint32, Uint64:
		return fmt.Sprintf("ui%d", 8*t.Size())
	case Float16, Float32, Float64:
		return fmt.Sprintf("f%d", 8*t.Size())
	case BFloat16:
		return "bf16"
	case Float8E5M2, Float8E4M3FN, Float8E5M2FNUZ, Float8E4M3FNUZ:
		return "f8" + strings.ToUpper(strings.TrimPrefix(string(t), "float8_"))
	}
	return ""
}

// ParseMLIRName returns the type that MLIR writes as name. known is false if zonemark cannot fill or compare it. Signed
// spellings ("si32") mean the same as plain ones.
func ParseMLIRName(name string) (t ElementType, known bool) {
	if width, signed := strings.CutPrefix(name, "si"); signed {
		name = "i" + width
		if width == "1" {
			return "", false
		}
	}
	for _, t := range ElementTypes() {
		if MLIRName(t) == name {
			return t, true
		}
	}
	return "", false
}

// TensorFile returns the path of a tensor that is a file, "@FILE.npy", "FILE.npy", a .png file or "4x4xf32=@FILE".
// isFile is false for one in another form.
func TensorFile(text string) (path string, isFile bool) {
	a, err := ParseTensor(text)
	return a.Path, err == nil && a.Fill == FillFile
}

// MoveTensorFile returns a tensor that is a file with another path of that file; any other one as it is.
func MoveTensorFile(text string, move func(path string) string) string {
	a, err := ParseTensor(text)
	if err != nil || a.Fill != FillFile {
		return text
	}
	a.Path = move(a.Path)
	file := "@" + strings.TrimPrefix(a.Contents.String(), "@")
	if a.Element != "" {
		return TensorShape(a.Element, a.Shape) + "=" + file
	}
	return file
}

// ParseExpected reads an expected output: a tensor, or a number without a type.
func ParseExpected(text string) (Argument, error) {
	a, err := ParseTensor(text)
	if decimal, isNumber := number(text); errors.Is(err, ErrNotTensor) && isNumber {
		return Argument{Contents: Contents{Fill: FillConstant, Value: decimal}}, nil
	}
	return a, err
}

// IgnoredTensor is an expected output that may be anything, as iree-run-module writes it.
const IgnoredTensor = "(ignored)"

// ParseTensor reads a tensor in the form of iree-run-module: "4x4xf32=1 2 3 …" (elements in row-major order, optionally
// with commas and brackets as in "[[1,2][3,4]]"), "4x4xf32=0.5" (each element), "4x4xf32" (the runtime's choice),
// "f32=1" (one element), "4x4xf32=@FILE" (the bytes of a file as they lie in memory, or a .npy file), "@FILE.npy",
// "FILE.npy", "FILE.npy[1]" (the second array of several) or a .png file. An "&" before it, with which iree-run-module
// asks for memory without a shape, says nothing more: the function does. A file alone leaves element type and shape empty. A tensor of one element without dimensions has an empty shape that is not nil. The error is ErrNotTensor for a
// text of another form.
func ParseTensor(text string) (Argument, error) {
	if storage, marked := strings.CutPrefix(text, "&"); marked {
		if a, err := ParseTensor(storage); err == nil && a.Element != "" {
			return a, nil
		}
		return Argument{}, fmt.Errorf("tensor %q: want type and shape behind the &, as in &4x4xf32=0.5", text)
	}
	if c, isFile := fileContents(text); isFile && (text[0] == '@' || !strings.Contains(text, "=")) {
		if c.Path == "" {
			return Argument{}, fmt.Errorf("tensor %q: the name of the file is missing", text)
		}
		return Argument{Contents: c}, nil
	}
	kind, values, filled := strings.Cut(text, "=")
	a := Argument{Shape: []int64{}}
	count := int64(1)
	for {
		head, rest, more := strings.Cut(kind, "x")
		if !more {
			a.Element, _ = ParseMLIRName(strings.TrimSpace(head))
			break
		}
		n, err := strconv.ParseInt(head, 10, 64)
		if err != nil {
			return Argument{}, ErrNotTensor
		}
		if n < 0 || len(a.Shape) == maxRank || n > 0 && count > (1<<62)/n {
			return Argument{},
				fmt.Errorf("tensor %q: want at most %d dimensions, none of them negative, and fewer than 2^62 elements",
					kind, maxRank)
		}
		count *= n
		a.Shape = append(a.Shape, n)
		kind = rest
	}
	if a.Element == "" {
		if _, isNumber := number(text); len(a.Shape) > 0 && !isNumber { // 0x10 is one, 0xf32 an empty tensor
			return Argument{}, fmt.Errorf("tensor %q: no element type %q; want one such as f32, bf16, i32, ui8", text,
				kind)
		}
		return Argument{}, ErrNotTensor
	}
	if !filled {
		return a, nil
	}
	var err error
	if a.Contents, err = tensorContents(values, count); err != nil {
		return Argument{}, fmt.Errorf("tensor %s: %w", text[:len(text)-len(values)-1], err)
	}
	return a, nil
}

// ParseArgument reads contents as ParseContents does, or a tensor, whose type and shape then belong to the argument.
func ParseArgument(text string) (Argument, error) {
	if a, err := ParseTensor(text); !errors.Is(err, ErrNotTensor) {
		return a, err
	}
	c, err := ParseContents(text)
	return Argument{Contents: c}, err
}

// ErrNotTensor reports a text that does not have the form of a tensor.
var ErrNotTensor = errors.New("not a tensor; want one such as 4x4xf32=0.5")

// tensorContents reads the elements behind the equals sign.
func tensorContents(values string, count int64) (Contents, error) {
	if _, isFile := fileContents(values); isFile {
		return ParseContents(values)
	}
	fields := strings.FieldsFunc(values, func(r rune) bool { return strings.ContainsRune(" ,;[]\t\n", r) })
	if len(fields) == 1 && count != 1 {
		if _, ok := number(fields[0]); !ok {
			return ParseContents(fields[0]) // random, iota, …, which are not of IREE's tools
		}
	}
	for i, f := range fields {
		switch f {
		case "true":
			fields[i] = "1"
		case "false":
			fields[i] = "0"
		default:
			decimal, ok := number(f)
			if !ok {
				if len(fields) == 1 {
					return ParseContents(f)
				}
				return Contents{}, fmt.Errorf("element %d, %q, is not a number", i, f)
			}
			fields[i] = decimal
		}
	}
	switch int64(len(fields)) {
	case 1:
		return Contents{Fill: FillConstant, Value: fields[0]}, nil
	case count:
		return Contents{Fill: FillList, Value: strings.Join(fields, " ")}, nil
	}
	return Contents{}, fmt.Errorf("%d values for %d elements; give one for all, or one for each", len(fields), count)
}

// TensorShape returns a shape as IREE writes it: "64x256xf32", or "f32" for a single element.
func TensorShape(t ElementType, shape []int64) string {
	var b strings.Builder
	for _, n := range shape {
		fmt.Fprintf(&b, "%dx", n)
	}
	if name := MLIRName(t); name != "" {
		return b.String() + name
	}
	return b.String() + string(t)
}

// FitsExtent reports whether a shape fits an extent that leaves dimensions open, "?x4".
func FitsExtent(extent string, shape []int64) bool {
	if extent == AnyShape {
		return true
	}
	dims := strings.Split(extent, "x")
	if len(dims) != len(shape) {
		return false
	}
	for i, d := range dims {
		if d != OpenDimension && d != strconv.FormatInt(shape[i], 10) {
			return false
		}
	}
	return true
}

// An Extent of arrays whose shape a caller chooses is AnyShape if the rank is open, too. Else it has dimensions of
// which some are OpenDimension, "?x4".
const (
	AnyShape      = "*"
	OpenDimension = "?"
)

// OpenExtent reports whether the caller, and not parameters, chooses dimensions of an extent.
func OpenExtent(extent string) bool {
	if extent == AnyShape {
		return true
	}
	for d := range strings.SplitSeq(extent, "x") {
		if d == OpenDimension {
			return true
		}
	}
	return false
}
