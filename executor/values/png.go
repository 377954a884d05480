package values

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"zonemark/invocations"
)

// imageSuffix ends the names of image files that can fill an argument.
const imageSuffix = ".png"

// IsImage reports whether the name of a file is one of an image.
func IsImage(path string) bool { return strings.HasSuffix(strings.ToLower(path), imageSuffix) }

// FileType returns the element type and the shape of what a file with contents holds: an array of a .npy file, or the
// image of a .png file. An image has the shape [channels, height, width], one of grey values [height, width]. Its
// elements are of type uint8 or uint16. FileType decodes no image.
func FileType(c invocations.Contents) (t invocations.ElementType, shape []int64, err error) {
	path := c.Path
	if !IsImage(path) {
		return NPYType(c)
	}
	f, err := openRegular(path)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	h, err := readPNGHeader(f)
	if err != nil {
		return "", nil, fmt.Errorf("contents: %s: %w", path, err)
	}
	return h.element(), h.shape(), nil
}

// FileShape returns the shape of an array of a .npy file, whatever its elements are, or of an image.
func FileShape(c invocations.Contents) ([]int64, error) {
	if IsImage(c.Path) {
		_, shape, err := FileType(c)
		return shape, err
	}
	header, err := describedHeader(c)
	return header.shape, err
}

func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path) // before opening: opening a pipe would wait for a writer
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("contents: %s: there is no such file; name a .npy or .png file", path)
	}
	if err != nil {
		return nil, fmt.Errorf("contents: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("contents: %s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("contents: %w", err)
	}
	return f, nil
}

// fillFromPNG reads the image at path into dst, which has as many elements of type t as the image must have.
func fillFromPNG(dst []byte, t invocations.ElementType, path string) error {
	f, err := openRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := readPNG(dst, t, f); err != nil {
		return fmt.Errorf("contents: %s: %w", path, err)
	}
	return nil
}

// pngHeader is the IHDR chunk of an image (Portable Network Graphics, third edition, section 11.2.1).
type pngHeader struct {
	width, height uint32
	depth, kind   uint8
	channels      int64
}

// pngChannels are the channels of the kinds of colour. A palette (3) is missing: its values are no intensities.
var pngChannels = map[uint8]int64{0: 1, 2: 3, 4: 2, 6: 4}

// readPNGHeader reads the header and leaves the file at its beginning.
func readPNGHeader(r io.ReadSeeker) (pngHeader, error) {
	const (
		start = "\x89PNG\r\n\x1a\n"
		ihdr  = "\x00\x00\x00\rIHDR"
	)
	head := make([]byte, len(start)+len(ihdr)+10)
	if _, err := io.ReadFull(r, head); err != nil || string(head[:len(start)+len(ihdr)]) != start+ihdr {
		return pngHeader{}, errors.New("not a PNG file: it does not begin with its eight bytes and the chunk IHDR")
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return pngHeader{}, err
	}
	rest := head[len(start)+len(ihdr):]
	h := pngHeader{binary.BigEndian.Uint32(rest), binary.BigEndian.Uint32(rest[4:]), rest[8], rest[9], 0}
	if h.channels = pngChannels[h.kind]; h.channels == 0 {
		return h, fmt.Errorf("an image with a palette, or of the unknown kind of colour %d; convert it to grey "+
			"values, RGB or RGBA", h.kind)
	}
	if h.depth != 8 && h.depth != 16 {
		return h, fmt.Errorf("%d bits for each value; convert it to 8 or 16", h.depth)
	}
	return h, nil
}

func (h pngHeader) element() invocations.ElementType {
	if h.depth == 16 {
		return invocations.Uint16
	}
	return invocations.Uint8
}

func (h pngHeader) shape() []int64 {
	shape := []int64{int64(h.height), int64(h.width)}
	if h.channels > 1 {
		shape = slices.Insert(shape, 0, h.channels)
	}
	return shape
}

// readPNG decodes an image into dst, one plane for each channel, as Halide's own loader of images does.
func readPNG(dst []byte, t invocations.ElementType, r io.ReadSeeker) error {
	h, err := readPNGHeader(r)
	if err != nil {
		return err
	}
	if t != h.element() {
		return fmt.Errorf("the image has values of %s, and the argument of %s; convert one of them", h.element(), t)
	}
	// Decoding an image takes some times its memory, so its size is compared before.
	if n, ok := elementCount(h.shape()); !ok || n != int64(len(dst))/t.Size() {
		return fmt.Errorf("the image of shape %v does not have the %d elements that the argument has",
			h.shape(), int64(len(dst))/t.Size())
	}
	m, err := png.Decode(r)
	if err != nil {
		return fmt.Errorf("%w; save it again", err)
	}
	if b := m.Bounds(); b.Dx() != int(h.width) || b.Dy() != int(h.height) {
		return errors.New("its size is not that of its header; save it again")
	}
	plane := len(dst) / int(h.channels)
	put := putter(int(t.Size()))
	at := 0
	for y := range int(h.height) {
		for x := range int(h.width) {
			for c, v := range h.pixel(m, x, y) {
				if h.depth == 8 {
					v >>= 8
				}
				put(dst[c*plane+at:], uint64(v))
			}
			at += int(t.Size())
		}
	}
	return nil
}

// pixel returns the channels of a pixel in 16 bits, colours not multiplied by alpha.
func (h pngHeader) pixel(m image.Image, x, y int) []uint16 {
	p := color.NRGBA64Model.Convert(m.At(x, y)).(color.NRGBA64)
	switch m := m.(type) { // converting would lose colours where alpha is 0
	case *image.NRGBA:
		q := m.NRGBAAt(x, y)
		p = color.NRGBA64{uint16(q.R) * 257, uint16(q.G) * 257, uint16(q.B) * 257, uint16(q.A) * 257}
	case *image.NRGBA64:
		p = m.NRGBA64At(x, y)
	}
	switch h.channels {
	case 1:
		return []uint16{p.R}
	case 2:
		return []uint16{p.R, p.A}
	case 3:
		return []uint16{p.R, p.G, p.B}
	}
	return []uint16{p.R, p.G, p.B, p.A}
}
