package halide_test

import (
	"fmt"

	"zonemark/driver/halide"
)

// A reference takes inputs of other sizes than those that are measured.
func ExampleBenchmark_Reference() {
	dilate, err := halide.Find("dilate3x3")
	if err != nil {
		fmt.Println(err)
		return
	}
	src := halide.Array{Type: halide.Uint8, Extents: []int{4, 2}, Data: []byte{
		1, 2, 3, 4,
		5, 6, 7, 8,
	}}
	dst, err := dilate.Reference([]halide.Array{src})
	fmt.Println(dst, err)
	// Output: [{uint8 [4 2] [6 7 8 8 6 7 8 8]}] <nil>
}

func ExampleFind() {
	_, err := halide.Find("max_pol")
	fmt.Println(err)
	// Output: no Halide benchmark is called "max_pol"; did you mean "max_pool"?
}
