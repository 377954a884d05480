package values_test

import (
	"encoding/binary"
	"fmt"
	"log"

	"zonemark/executor/values"
	"zonemark/invocations"
)

// ExampleFill makes a buffer of four elements count up from zero.
func ExampleFill() {
	buffer := make([]byte, 4*4)
	countUp := invocations.Contents{Fill: invocations.FillIota}
	if err := values.Fill(buffer, invocations.Float32, countUp, 0); err != nil {
		log.Fatal(err)
	}
	for ; len(buffer) > 0; buffer = buffer[4:] {
		fmt.Print(values.FloatAt(buffer, invocations.Float32), " ")
	}
	// Output: 0 1 2 3
}

// ExampleCompare compares outputs of two schedules that differ by rounding, and by more.
func ExampleCompare() {
	encode := func(numbers ...float64) []byte {
		var b []byte
		for _, n := range numbers {
			b = binary.LittleEndian.AppendUint16(b, values.Float16FromFloat64(n))
		}
		return b
	}
	want := encode(1, 2, 3)
	fmt.Printf("%q\n", values.Compare(encode(1, 2.002, 3), want, invocations.Float16, 0))
	fmt.Println(values.Compare(encode(1, 2.5, 3), want, invocations.Float16, 0))
	// Output:
	// ""
	// 1 of 3 elements differ; the first is element 1: got 2.5, want 2; largest relative error 0.25, tolerance 0.01
}

// ExampleFloat16FromFloat64 converts a third, which is between two numbers that a half float holds.
func ExampleFloat16FromFloat64() {
	half := values.Float16FromFloat64(1.0 / 3)
	fmt.Printf("%#04x %v\n", half, values.Float16ToFloat32(half))
	// Output: 0x3555 0.33325195
}
