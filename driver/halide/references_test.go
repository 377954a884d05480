package halide

import (
	"math"
	"testing"
)

// square is an image of a few pixels.
func square(side int, values ...int32) Array { return integerArray(Uint8, []int{side, side}, values) }

// impulse is an image of 7 × 7 that is black except for the pixel in the middle.
func impulse(value int32) Array {
	values := make([]int32, 49)
	values[24] = value
	return square(7, values...)
}

// taps are three rows.
func taps(values ...int32) Array { return integerArray(Int8, []int{3, 3}, values) }

// filled is an array of bytes with one value except for some elements.
func filled(value int32, other map[int]int32, extents ...int) Array {
	values := make([]int32, elements(extents))
	for i := range values {
		values[i] = value
		if v, ok := other[i]; ok {
			values[i] = v
		}
	}
	return integerArray(Uint8, extents, values)
}

func biases(values ...int32) Array { return integerArray(Int32, []int{len(values)}, values) }

// The references are as computed by hand. Of an impulse's image, only the pixels that are listed by index are compared.
func TestReferences(t *testing.T) {
	nine := square(3, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	right := taps(0, 0, 0, 0, 0, 16, 0, 0, 0) // takes the pixel on the right
	white, twenties := filled(255, nil, 3, 3), taps(20, 20, 20, 20, 20, 20, 20, 20, 20)
	type want = map[int]int32
	for _, c := range []struct {
		name   string
		inputs []Array
		want   want
	}{
		{"blur3x3", []Array{nine}, want{0: 2, 1: 3, 4: 5, 8: 8}}, // sums 21, 27, 45, 69
		{"blur5x5", []Array{impulse(255)}, want{24: 10, 8: 10, 7: 0, 3: 0}},
		{"blur7x7", []Array{impulse(255)}, want{24: 5, 0: 5}},
		{"dilate3x3", []Array{nine}, want{0: 5, 1: 6, 4: 9, 8: 9}},
		{"dilate5x5", []Array{impulse(9)}, want{24: 9, 8: 9, 7: 0, 3: 0}},
		{"dilate7x7", []Array{impulse(9)}, want{24: 9, 0: 9, 48: 9}},
		{"gaussian3x3", []Array{nine}, want{0: 2, 4: 5, 8: 8}}, // 32, 80, 128 / 16
		// 36, 24, 6, 16 and 4 × 255 / 256
		{"gaussian5x5", []Array{impulse(255)}, want{24: 35, 23: 23, 22: 5, 16: 15, 15: 3, 21: 0}},
		// 400, 300, 120, 20, 225 and 1 × 255 / 4096
		{"gaussian7x7", []Array{impulse(255)}, want{24: 24, 23: 18, 22: 7, 21: 1, 16: 14, 0: 0}},
		{"median3x3", []Array{nine}, want{0: 2, 4: 5, 8: 8}},
		{"sobel", []Array{nine}, want{0: 16, 1: 20, 4: 32}}, // 4 + 12, 8 + 12, 8 + 24
		{"sobel", []Array{square(3, 0, 0, 255, 0, 0, 255, 0, 0, 255)}, want{4: 255}},
		// 12, 6, 16 and 2 × 255 / 16
		{"sobel5x5", []Array{impulse(255)}, want{24: 0, 25: 191, 26: 95, 32: 255, 40: 31}},
		{"conv3x3", []Array{nine, right}, want{0: 2, 1: 3, 2: 3, 3: 5, 4: 6, 5: 6, 6: 8, 7: 9, 8: 9}},
		{"conv3x3", []Array{nine, taps(0, 0, 0, 0, -16, 0, 0, 0, 0)}, want{0: 0, 8: 0}},
		{"conv3x3a16", []Array{nine, right}, want{0: 6}},
		{"conv3x3a32", []Array{nine, right}, want{0: 6}},
		// 9 × 255 × 20 = 45900, which is negative in 16 bits
		{"conv3x3", []Array{white, twenties}, want{4: 0}},
		{"conv3x3a16", []Array{white, twenties}, want{0: 0}},
		{"conv3x3a32", []Array{white, twenties}, want{0: 255}},
		// 10000, -10000, 64, -64, 16875 and -15000 / 128: halves go up
		{"mul", []Array{
			filled(0, want{0: 220, 1: 20, 2: 128, 3: 112, 4: 255}, 3, 2),
			filled(0, want{0: 230, 1: 230, 2: 138, 3: 138, 4: 255, 5: 255}, 3, 2),
		}, want{0: 206, 1: 50, 2: 129, 3: 128, 4: 255, 5: 11}},
		// 3 + 100 × 100 / 2048 at k = 1, i = 2, j = 0; the weight at i = 0, j = 2 meets a zero
		{"conv_nn", []Array{
			filled(120, want{5: 220}, 2, 3, 3, 1), filled(130, want{5: 230, 13: 0}, 1, 2, 3, 3), biases(6144),
		}, want{0: 136}},
		// -1 for the first channel, and 1 + 100 × 100 / 512 for the second
		{"depthwise_conv", []Array{
			filled(120, want{5: 220}, 2, 3, 3, 1), filled(130, want{5: 230, 13: 0}, 2, 3, 3), biases(-512, 512),
		}, want{0: 127, 1: 149}},
		// (100 0; 0 50) × (100 -100; 80 -80) / 2048
		{"matmul", []Array{
			square(2, 220, 120, 120, 170), square(2, 230, 30, 210, 50),
		}, want{0: 133, 1: 123, 2: 130, 3: 126}},
		{"batched_matmul", []Array{
			filled(220, want{1: 20}, 1, 1, 2), filled(230, nil, 1, 1, 2),
		}, want{0: 133, 1: 123}},
		// (9 × 7 + 99 - 7) / 9 = 17.2, and (9 × 7 + 6) / 9 = 7.67
		{"average_pool", []Array{filled(7, want{0: 99, 14: 13}, 1, 5, 3, 1)}, want{0: 17, 1: 8}},
		{"max_pool", []Array{filled(7, want{0: 99, 14: 13}, 1, 5, 3, 1)}, want{0: 99, 1: 13}},
		// (4096 + 100 × 100) / 4096 = 3.4, and -2; the second value of the source is its zero point
		{"fully_connected", []Array{
			filled(120, want{0: 220}, 2, 1), square(2, 230, 130, 0, 255), biases(4096, -8192),
		}, want{0: 131, 1: 126}},
	} {
		b, err := Find(c.name)
		if err != nil {
			t.Fatal(err)
		}
		out, err := b.Reference(c.inputs)
		if err != nil {
			t.Error(err)
			continue
		}
		got := out[0].integers()
		for i, want := range c.want {
			if i >= len(got) || got[i] != want {
				t.Errorf("%s: element %d of %v is not %d", c.name, i, got, want)
			}
		}
	}
}

func TestFloatReferences(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []float64
		want []float64
	}{
		{"l2norm", []float64{3, 4, 0, -2}, []float64{0.6, 0.8, 0, -1}},
		{"softmax", []float64{0, math.Log(3), 1000, 1000}, []float64{0.25, 0.75, 0.5, 0.5}},
	} {
		b, err := Find(c.name)
		if err != nil {
			t.Fatal(err)
		}
		out, err := b.Reference([]Array{floatArray([]int{2, 2}, c.in)})
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range out[0].floats() {
			if math.Abs(got-c.want[i]) > 1e-6 {
				t.Errorf("%s: element %d is %v, not %v", c.name, i, got, c.want[i])
			}
		}
	}
}
