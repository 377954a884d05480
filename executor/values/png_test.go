package values

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/invocations"
)

// encoded returns an image as a file.
func encoded(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// painted returns an image of two by one pixels.
func painted(m interface {
	image.Image
	Set(x, y int, c color.Color)
}, first, second color.Color) image.Image {
	m.Set(0, 0, first)
	m.Set(1, 0, second)
	return m
}

// fileOf writes a file and returns its path.
func fileOf(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

var two = image.Rect(0, 0, 2, 1)

// An image fills an argument plane by plane, with its own values.
func TestPNG(t *testing.T) {
	wide := func(values ...uint16) (b []byte) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint16(b, v)
		}
		return b
	}
	for _, c := range []struct {
		name    string
		image   image.Image
		element invocations.ElementType
		shape   []int64
		want    []byte
	}{
		{"grey", painted(image.NewGray(two), color.Gray{3}, color.Gray{200}), invocations.Uint8, []int64{1, 2},
			[]byte{3, 200}},
		{"grey of 16 bits", painted(image.NewGray16(two), color.Gray16{3}, color.Gray16{60000}), invocations.Uint16,
			[]int64{1, 2}, wide(3, 60000)},
		{"RGB", painted(image.NewRGBA(two), color.RGBA{1, 2, 3, 255}, color.RGBA{4, 5, 6, 255}), invocations.Uint8,
			[]int64{3, 1, 2}, []byte{1, 4, 2, 5, 3, 6}},
		{"RGBA", painted(image.NewNRGBA(two), color.NRGBA{1, 2, 3, 0}, color.NRGBA{4, 5, 6, 7}), invocations.Uint8,
			[]int64{4, 1, 2}, []byte{1, 4, 2, 5, 3, 6, 0, 7}},
		{"RGBA of 16 bits",
			painted(image.NewNRGBA64(two), color.NRGBA64{1, 2, 3, 4}, color.NRGBA64{500, 600, 700, 800}),
			invocations.Uint16, []int64{4, 1, 2}, wide(1, 500, 2, 600, 3, 700, 4, 800)},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := fileOf(t, "image.png", encoded(t, c.image))
			element, shape, err := FileType(invocations.Contents{Path: path})
			if err != nil || element != c.element || !slices.Equal(shape, c.shape) {
				t.Fatalf("%s %v, error %v", element, shape, err)
			}
			got := make([]byte, len(c.want))
			err = Fill(got, element, invocations.Contents{Fill: invocations.FillFile, Path: path}, 0)
			if err != nil || !bytes.Equal(got, c.want) {
				t.Errorf("%v, want %v, error %v", got, c.want, err)
			}
		})
	}
}

// What does not fit is refused with what to do.
func TestPNGErrors(t *testing.T) {
	grey := encoded(t, image.NewGray(two))
	palette := encoded(t, image.NewPaletted(two, color.Palette{color.Black, color.White}))
	for _, c := range []struct {
		name    string
		data    []byte
		element invocations.ElementType
		bytes   int
		want    string
	}{
		{"text", []byte("hello"), invocations.Uint8, 2, "not a PNG file"},
		{"a palette", palette, invocations.Uint8, 2, "an image with a palette, or of the unknown kind of colour 3; " +
			"convert it"},
		{"another type", grey, invocations.Float32, 8, "the image has values of uint8, and the argument of float32"},
		{"another size", grey, invocations.Uint8, 3, "the image of shape [1 2] does not have the 3 elements"},
		{"cut off", grey[:len(grey)-20], invocations.Uint8, 2, "save it again"},
	} {
		path := fileOf(t, "image.png", c.data)
		err := Fill(make([]byte, c.bytes), c.element, invocations.Contents{Fill: invocations.FillFile, Path: path}, 0)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v\nwant %s", c.name, err, c.want)
		}
	}
	if _, _, err := FileType(invocations.Contents{Path: fileOf(t, "bits.png", bits(grey, 4))}); err == nil ||
		!strings.Contains(err.Error(), "4 bits for each value; convert it to 8 or 16") {
		t.Errorf("error %v", err)
	}
}

// bits returns an image with another depth in its header.
func bits(data []byte, depth byte) []byte {
	data = bytes.Clone(data)
	data[24] = depth
	return data
}

// No input makes the reader panic, or fill an argument of another size.
func FuzzPNG(f *testing.F) {
	for _, m := range []image.Image{
		image.NewGray(two), image.NewGray16(two), image.NewRGBA(two), image.NewNRGBA64(two),
	} {
		f.Add(encoded(f, m))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := readPNGHeader(bytes.NewReader(data))
		if err != nil {
			return
		}
		n, ok := elementCount(h.shape())
		if !ok || n > 1<<16 {
			n = 4
		}
		dst := make([]byte, n*h.element().Size())
		if err := readPNG(dst, h.element(), bytes.NewReader(data)); err == nil && (n == 0 || n != h.channels*
			int64(h.width)*int64(h.height)) {
			t.Errorf("%+v fills %d elements", h, n)
		}
	})
}
