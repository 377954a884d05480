package values

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"zonemark/invocations"
)

// npyHeader is the description of the array in a .npy file.
type npyHeader struct {
	descr        string  // NumPy's type string, "<f4"
	fortranOrder bool    // the first dimension varies fastest
	shape        []int64 // empty for a single value
}

// fillFromNPY reads an array of a .npy file into dst, which has as many elements of type t as the array must hold.
func fillFromNPY(dst []byte, t invocations.ElementType, c invocations.Contents) error {
	f, rest, err := openArray(c)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := readNPY(dst, t, f, rest, c.Value != ""); err != nil {
		return fmt.Errorf("contents: %s: %w", c, err)
	}
	return nil
}

// NPYType returns the element type and the shape of an array of a .npy file. NumPy has no bfloat16 and saves
// it as a void type of two bytes. Complex numbers and raw bytes are refused, see NPYStorage. NPYType uses less memory
// than the file's size.
func NPYType(c invocations.Contents) (t invocations.ElementType, shape []int64, err error) {
	header, err := describedHeader(c)
	if err != nil {
		return "", nil, err
	}
	for _, t := range invocations.ElementTypes() { // integers first: "u2" may also be a bfloat16
		if checkDescr(header.descr, t, npyDescr(t)) == nil {
			return t, header.shape, nil
		}
	}
	err = fmt.Errorf("contents: %s: elements of NumPy's type %q are not supported; convert the array first", c,
		header.descr)
	if strings.TrimLeft(header.descr, "<>|") == "V1" {
		err = fmt.Errorf("contents: %s: NumPy's type %q names no type; write type and shape before it, as in "+
			"4x4xf8E4M3FN=@%[1]s", c, header.descr)
	}
	return "", nil, err
}

// describedHeader reads the description of an array of a .npy file. It refuses a file that has none.
func describedHeader(c invocations.Contents) (npyHeader, error) {
	raw, err := IsRaw(c.Path)
	if err == nil && raw {
		err = fmt.Errorf("contents: %s: the file names no type; write type and shape before it, as in 4x4xf32=%[1]s", c)
	}
	if err != nil {
		return npyHeader{}, err
	}
	return openNPYHeader(c)
}

// Storage describes the array in a .npy file as Fill reads it.
type Storage struct {
	Shape   []int64 // of a complex array, with a last dimension of 2 for real and imaginary parts
	Complex bool
	// Raw tells that each element is a byte whose type the file does not name: ml_dtypes saves its types of eight bits
	// and fewer so, those of fewer bits in the lower ones.
	Raw    bool
	F8E5M2 bool // the elements are float8_e5m2, the only type of eight bits that ml_dtypes saves under a name of its own
}

// NPYStorage returns how an array of a .npy file is stored. It uses less memory than the file's size.
func NPYStorage(c invocations.Contents) (Storage, error) {
	header, err := openNPYHeader(c)
	if err != nil {
		return Storage{}, err
	}
	s := Storage{Shape: header.shape}
	switch strings.TrimLeft(header.descr, "<>|") {
	case "c8", "c16":
		s.Shape, s.Complex = append(slices.Clone(header.shape), 2), true
	case "V1":
		s.Raw = true
	case "f1":
		s.F8E5M2 = true
	}
	return s, nil
}

// openNPYHeader reads the description of an array of a .npy file.
func openNPYHeader(c invocations.Contents) (npyHeader, error) {
	f, rest, err := openArray(c)
	if err != nil {
		return npyHeader{}, err
	}
	defer f.Close()
	header, _, err := readArrayHeader(f, rest)
	if err != nil {
		return npyHeader{}, fmt.Errorf("contents: %s: %w", c, err)
	}
	if _, ok := elementCount(header.shape); !ok {
		return npyHeader{}, fmt.Errorf("contents: %s: no memory holds an array of shape %v", c, header.shape)
	}
	return header, nil
}

// readNPY reads an array in the .npy format, versions 1 to 3 (NumPy enhancement proposal 1 and numpy.lib.format), from
// a file of fileSize bytes into dst, in C order. A complex number fills two elements. Besides dst, it uses less memory
// than fileSize. Other arrays may follow if the caller says so.
func readNPY(dst []byte, t invocations.ElementType, r io.Reader, fileSize int64, more bool) error {
	header, dataSize, err := readArrayHeader(r, fileSize)
	if err != nil {
		return err
	}
	other := npyDescr(otherSign(t))
	if err := checkDescr(header.descr, t, slices.Concat(npyDescr(t), storedDescr(t), other)); err != nil {
		return err
	}
	size := t.Size()
	if strings.Contains(header.descr, "c") {
		size *= 2
	}
	count, ok := elementCount(header.shape)
	if want := int64(len(dst)) / size; !ok || count != want {
		return fmt.Errorf(
			"the array of shape %v does not have the %d elements that the argument has",
			header.shape,
			want,
		)
	}
	if dataSize < int64(len(dst)) || dataSize > int64(len(dst)) && !more {
		return fmt.Errorf("the header promises %d bytes of data, the file has %d: truncated, or several arrays in one "+
			"file, of which FILE.npy[0] names the first", len(dst), dataSize)
	}
	target := dst
	transposed := header.fortranOrder && len(header.shape) > 1
	if transposed {
		target = make([]byte, len(dst))
	}
	if _, err := io.ReadFull(r, target); err != nil {
		return fmt.Errorf("read the data: %w", err)
	}
	if transposed {
		rowMajor(dst, target, header.shape, int(size))
	}
	if len(other) > 0 && strings.HasSuffix(header.descr, other[0]) {
		return checkSign(dst, t, header.descr)
	}
	return nil
}

// otherSign returns the integer type of the same size with the other sign; "" for other types.
func otherSign(t invocations.ElementType) invocations.ElementType {
	switch t {
	case invocations.Int8, invocations.Int16, invocations.Int32, invocations.Int64:
		return "u" + t
	case invocations.Uint8, invocations.Uint16, invocations.Uint32, invocations.Uint64:
		return t[1:]
	}
	return ""
}

// checkSign returns an error if a value of a file, whose integer type has the other sign, does not exist in a type.
// Values that exist in both types have the same bits.
func checkSign(dst []byte, t invocations.ElementType, descr string) error {
	size := int(t.Size())
	for at := size - 1; at < len(dst); at += size {
		if dst[at] >= 0x80 { // the highest bit, in little-endian order
			return fmt.Errorf("dtype %q: element %d is not in the range of %s; if its bits are meant, save them as they are "+
				"(tofile) and name the file as @FILE", descr, at/size, t)
		}
	}
	return nil
}

// readNPYHeader reads up to the data. The text is the Python dictionary; dataSize is the size of the rest of the file.
func readNPYHeader(r io.Reader, fileSize int64) (text string, dataSize int64, err error) {
	var start [12]byte
	if _, err := io.ReadFull(r, start[:10]); err != nil || string(start[:6]) != magic {
		return "", 0, errors.New("not a .npy file: it does not begin with \\x93NUMPY and a version")
	}
	read, length := int64(10), int64(binary.LittleEndian.Uint16(start[8:]))
	switch start[6] {
	case 1:
	case 2, 3:
		if _, err := io.ReadFull(r, start[10:]); err != nil {
			return "", 0, fmt.Errorf("the header ends within its length: %w", err)
		}
		read, length = 12, int64(binary.LittleEndian.Uint32(start[8:]))
	default:
		return "", 0, fmt.Errorf(
			"version %d.%d of the .npy format is not known; save with numpy.save",
			start[6],
			start[7],
		)
	}
	if length > fileSize-read {
		return "", 0, fmt.Errorf(
			"the header claims %d bytes at byte %d, beyond the end of the file at %d",
			length,
			read,
			fileSize,
		)
	}
	header := make([]byte, length)
	if _, err := io.ReadFull(r, header); err != nil {
		return "", 0, fmt.Errorf("read the header: %w", err)
	}
	return string(header), fileSize - read - length, nil
}

// npyDescr returns the type strings, without byte order, that may hold the elements of a type. NumPy has no bfloat16:
// extensions save it as two raw bytes, and people save it as the unsigned integer of the same bits.
func npyDescr(t invocations.ElementType) []string {
	switch t {
	case invocations.Bool:
		return []string{"b1"}
	case invocations.Int8, invocations.Int16, invocations.Int32, invocations.Int64:
		return []string{fmt.Sprintf("i%d", t.Size())}
	case invocations.Uint8, invocations.Uint16, invocations.Uint32, invocations.Uint64:
		return []string{fmt.Sprintf("u%d", t.Size())}
	case invocations.BFloat16:
		return []string{"V2", "u2"}
	case invocations.Float16, invocations.Float32, invocations.Float64:
		return []string{fmt.Sprintf("f%d", t.Size())}
	case invocations.Float8E5M2:
		return []string{"f1"}
	}
	return nil
}

// storedDescr returns the type strings, without byte order, of arrays whose elements are stored as one or two elements
// of a type: complex numbers, and the types of eight bits and fewer of ml_dtypes. People save the 8-bit floats as the
// unsigned integers of the same bits, too.
func storedDescr(t invocations.ElementType) []string {
	switch t {
	case invocations.Float32:
		return []string{"c8"}
	case invocations.Float64:
		return []string{"c16"}
	case invocations.Uint8:
		return []string{"V1", "f1"}
	case invocations.Int8:
		return []string{"V1"}
	case invocations.Float8E5M2, invocations.Float8E4M3FN, invocations.Float8E5M2FNUZ, invocations.Float8E4M3FNUZ:
		return []string{"V1", "u1"}
	}
	return nil
}

// checkDescr returns an error unless a type string is one of the accepted ones, little-endian.
func checkDescr(descr string, t invocations.ElementType, accepted []string) error {
	for _, want := range accepted {
		order, found := strings.CutSuffix(descr, want)
		switch {
		case !found:
		case order == "<", order == "|":
			return nil
		case order == ">" && t.Size() == 1:
			return nil
		case order == ">":
			return fmt.Errorf("dtype %q is big-endian; save it with .astype('<%s')", descr, want)
		}
	}
	return fmt.Errorf(
		"dtype %q does not hold %s elements, which are saved as '<%s'",
		descr,
		t,
		strings.Join(accepted, "' or '<"),
	)
}

// elementCount returns the product of the dimensions, none of which is negative. ok is false if it overflows.
func elementCount(shape []int64) (count int64, ok bool) {
	if slices.Contains(shape, 0) {
		return 0, true // even if the product of the other dimensions overflows
	}
	count = 1
	for _, n := range shape {
		if count > math.MaxInt64/n {
			return 0, false
		}
		count *= n
	}
	return count, true
}

// rowMajor copies an array whose first dimension varies fastest into one whose last dimension varies fastest.
func rowMajor(dst, src []byte, shape []int64, size int) {
	strides := make([]int64, len(shape)) // of src, in bytes
	stride := int64(size)
	for d, n := range shape {
		strides[d] = stride
		stride *= n
	}
	if len(dst) == 0 {
		return
	}
	Walk(shape, strides, 0, func(from int64) {
		copy(dst[:size], src[from:])
		dst = dst[size:]
	})
}
