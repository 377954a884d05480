package values

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"zonemark/invocations"
)

// magic begins each array of a .npy file.
const magic = "\x93NUMPY"

// maxArrays bounds the arrays of a .npy file.
const maxArrays = 1 << 16

// NPYArrays returns how many arrays a .npy file holds: numpy.save appends one to an open file.
func NPYArrays(path string) (int, error) {
	f, rest, err := openFile(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for n := 0; ; n++ {
		if rest == 0 && n > 0 {
			return n, nil
		}
		if rest, err = skipArray(f, rest); err != nil || n == maxArrays {
			return 0, fmt.Errorf("contents: %s: array %d: %w", path, n, cmp.Or(err, errors.New("there are too many")))
		}
	}
}

// openArray opens the .npy file of contents at the array that they name. rest is the size of the file from there on.
func openArray(c invocations.Contents) (f *os.File, rest int64, err error) {
	if f, rest, err = openFile(c.Path); err != nil || c.Value == "" {
		return f, rest, err
	}
	position, err := strconv.Atoi(c.Value)
	for n := 0; err == nil && n < position; n++ {
		if rest, err = skipArray(f, rest); err == nil && rest == 0 {
			err = fmt.Errorf("the file has %d arrays, and they are counted from 0", n+1)
		}
	}
	if err != nil {
		f.Close()
		return nil, 0, fmt.Errorf("contents: %s: %w", c, err)
	}
	return f, rest, nil
}

// openFile opens a file. size is that of the file.
func openFile(path string) (f *os.File, size int64, err error) {
	if f, err = openRegular(path); err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, fmt.Errorf("contents: %w", err)
	}
	return f, info.Size(), nil
}

// skipArray reads an array of a file that has so many bytes more, and returns how many follow it.
func skipArray(r io.ReadSeeker, rest int64) (int64, error) {
	header, dataSize, err := readArrayHeader(r, rest)
	if err != nil {
		return 0, err
	}
	count, ok := elementCount(header.shape)
	size, err := descrBytes(header.descr)
	if err == nil && (!ok || size > 0 && count > dataSize/size) {
		err = fmt.Errorf("it ends within the data of an array of shape %v", header.shape)
	}
	if err != nil {
		return 0, err
	}
	_, err = r.Seek(count*size, io.SeekCurrent)
	return dataSize - count*size, err
}

// readArrayHeader reads up to the data of an array, and returns how many bytes follow.
func readArrayHeader(r io.Reader, rest int64) (h npyHeader, dataSize int64, err error) {
	text, dataSize, err := readNPYHeader(r, rest)
	if err != nil {
		return h, 0, err
	}
	h, err = parseNPYHeader(text)
	return h, dataSize, err
}

// descrBytes returns the size of an element of a type of NumPy, "<f4".
func descrBytes(descr string) (int64, error) {
	if text := strings.TrimLeft(descr, "<>|="); len(text) > 1 && strings.IndexByte("biufcV", text[0]) >= 0 {
		if n, err := strconv.ParseInt(text[1:], 10, 16); err == nil && n > 0 {
			return n, nil
		}
	}
	return 0, fmt.Errorf("elements of NumPy's type %q are not supported; convert the array first", descr)
}

// fillFromFile reads a file into dst: a .npy file, an image, or bytes as they lie in memory.
func fillFromFile(dst []byte, t invocations.ElementType, c invocations.Contents) error {
	if IsImage(c.Path) {
		return fillFromPNG(dst, t, c.Path)
	}
	raw, err := IsRaw(c.Path)
	if err != nil {
		return err
	}
	if raw {
		return fillFromRaw(dst, c.Path)
	}
	return fillFromNPY(dst, t, c)
}

// IsRaw reports whether a file is, by its name and its first bytes, no .npy file.
func IsRaw(path string) (bool, error) {
	if strings.HasSuffix(path, ".npy") {
		return false, nil
	}
	f, _, err := openFile(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	start := make([]byte, len(magic))
	n, err := io.ReadFull(f, start)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return !bytes.Equal(start[:n], []byte(magic)), err
}

// ShapeFor returns the shape of the array in a file that fills elements of a type: that of a .npy file or an image, or the
// number of elements in a file of bytes as they lie in memory. It returns nil if the file has none.
func ShapeFor(c invocations.Contents, t invocations.ElementType) []int64 {
	if raw, err := IsRaw(c.Path); err != nil || !raw || IsImage(c.Path) {
		shape, err := FileShape(c)
		if err != nil {
			return nil
		}
		return shape
	}
	f, size, err := openFile(c.Path)
	if err != nil {
		return nil
	}
	f.Close()
	return []int64{size / max(1, t.Size())}
}

// fillFromRaw reads a file of exactly as many bytes.
func fillFromRaw(dst []byte, path string) error {
	f, size, err := openFile(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if size != int64(len(dst)) {
		return fmt.Errorf("contents: %s: the file has %d bytes, and the argument takes %d", path, size, len(dst))
	}
	if _, err := io.ReadFull(f, dst); err != nil {
		return fmt.Errorf("contents: %s: %w", path, err)
	}
	return nil
}
