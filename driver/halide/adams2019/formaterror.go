package adams2019

import (
	"encoding/binary"
	"fmt"
	"math"
)

// FormatError reports a file that is not what it should be.
type FormatError struct {
	File    string // its path; empty if the bytes were not read from a file
	Offset  int    // of the first byte that is wrong
	Problem string
	Remedy  string
}

// Error names the file, the byte and the remedy.
func (e *FormatError) Error() string {
	file := e.File
	if file == "" {
		file = "data"
	}
	return fmt.Sprintf("%s: byte %d: %s; %s", file, e.Offset, e.Problem, e.Remedy)
}

// inFile returns err with the path of the file that the bytes came from.
func inFile(path string, err error) error {
	if format, ours := err.(*FormatError); ours {
		named := *format
		named.File = path
		return &named
	}
	return fmt.Errorf("%s: %w", path, err)
}

func floatAt(data []byte, offset int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(data[offset:]))
}

func finite(v float32) bool { return v-v == 0 }

func appendFloats(b []byte, values []float32) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}
