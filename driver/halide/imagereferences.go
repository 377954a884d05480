package halide

import (
	"fmt"
	"slices"
)

// image is a plane of values.
type image struct {
	width, height int
	values        []int32
}

func imageOf(a Array) image { return image{a.Extents[0], a.Extents[1], a.integers()} }

// at returns the value at (x, y), which is inside.
func (m image) at(x, y int) int32 { return m.values[y*m.width+x] }

// near returns the value at (x, y) or, if that is outside, at the nearest place inside.
func (m image) near(x, y int) int32 {
	return m.at(min(max(x, 0), m.width-1), min(max(y, 0), m.height-1))
}

// eachPixel computes an image of bytes.
func eachPixel(width, height int, pixel func(x, y int) int32) Array {
	values := make([]int32, 0, width*height)
	for y := range height {
		for x := range width {
			values = append(values, pixel(x, y))
		}
	}
	return integerArray(Uint8, []int{width, height}, values)
}

func blur(radius int) func(m image, x, y int) int32 {
	area := int32((2*radius + 1) * (2*radius + 1))
	return func(m image, x, y int) int32 {
		sum := int32(0)
		for j := -radius; j <= radius; j++ {
			for i := -radius; i <= radius; i++ {
				sum += m.near(x+i, y+j)
			}
		}
		return (sum + area/2) / area
	}
}

func gaussian(weights []int32) func(m image, x, y int) int32 {
	total, radius := int32(0), len(weights)/2
	for _, w := range weights {
		total += w
	}
	return func(m image, x, y int) int32 {
		sum := int32(0)
		for j, down := range weights {
			for i, across := range weights {
				sum += down * across * m.near(x+i-radius, y+j-radius)
			}
		}
		return sum / (total * total)
	}
}

func dilate(radius int) func(m image, x, y int) int32 {
	return func(m image, x, y int) int32 {
		most := m.near(x, y)
		for j := -radius; j <= radius; j++ {
			for i := -radius; i <= radius; i++ {
				most = max(most, m.near(x+i, y+j))
			}
		}
		return most
	}
}

func median(m image, x, y int) int32 {
	var square [9]int32
	for k := range square {
		square[k] = m.near(x+k%3-1, y+k/3-1)
	}
	slices.Sort(square[:])
	return square[4]
}

func sobel(smoothing, gradient []int32, shift int) func(m image, x, y int) int32 {
	radius := len(smoothing) / 2
	return func(m image, x, y int) int32 {
		var across, down int32
		for j := range smoothing {
			for i := range smoothing {
				value := m.near(x+i-radius, y+j-radius)
				across += gradient[i] * smoothing[j] * value
				down += smoothing[i] * gradient[j] * value
			}
		}
		return min((max(across, -across)+max(down, -down))>>shift, 255)
	}
}

// convolve returns the limited value of the square whose upper left pixel is (x, y). The function narrows the sum.
func convolve(pixel func(x, y int) int32, taps image, x, y int, narrow func(int32) int32) int32 {
	sum := int32(0)
	for j := range 3 {
		for i := range 3 {
			sum += pixel(x+i, y+j) * taps.at(i, j)
		}
	}
	return min(max(narrow(sum)>>4, 0), 255)
}

func convolveEdged(o operands) (Array, error) {
	m, taps, err := imageAndTaps(o)
	if err != nil {
		return Array{}, err
	}
	return eachPixel(m.width, m.height, func(x, y int) int32 {
		return convolve(m.near, taps, x-1, y-1, func(sum int32) int32 { return int32(int16(sum)) })
	}), nil
}

func convolveInner(narrow func(int32) int32) func(operands) (Array, error) {
	return func(o operands) (Array, error) {
		m, taps, err := imageAndTaps(o)
		if err != nil {
			return Array{}, err
		}
		if m.width < 3 || m.height < 3 {
			return Array{}, fmt.Errorf("src of %d × %d has no square of 3 × 3", m.width, m.height)
		}
		return eachPixel(m.width-2, m.height-2, func(x, y int) int32 {
			return convolve(m.at, taps, x, y, narrow)
		}), nil
	}
}

func imageAndTaps(o operands) (image, image, error) {
	m, taps := imageOf(o.inputs[0]), imageOf(o.inputs[1])
	if taps.width != 3 || taps.height != 3 {
		return m, taps, fmt.Errorf("there are %d × %d taps, not 3 × 3", taps.width, taps.height)
	}
	return m, taps, nil
}

func multiply(o operands) (Array, error) {
	a, b := imageOf(o.inputs[0]), imageOf(o.inputs[1])
	if a.width != b.width || a.height != b.height {
		return Array{}, fmt.Errorf("a of %d × %d and b of %d × %d differ", a.width, a.height, b.width, b.height)
	}
	return eachPixel(a.width, a.height, func(x, y int) int32 {
		return o.requantize((a.at(x, y) - o.scalars["a_zero"]) * (b.at(x, y) - o.scalars["b_zero"]))
	}), nil
}
