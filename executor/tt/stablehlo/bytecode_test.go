package stablehlo

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bytecodeFile reads a program of the tests of the package above.
func bytecodeFile(t testing.TB, name string) []byte {
	t.Helper()
	program, err := os.ReadFile(filepath.Join("..", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// countsOf returns the numbers of replicas and partitions of a program in bytecode.
func countsOf(program []byte) (replicas, partitions int, err error) {
	b, err := readBytecode(program)
	if err != nil {
		return 0, 0, err
	}
	return b.counts()
}

// TestBytecodeCounts checks the numbers of replicas and partitions of bytecode that jaxlib has written.
func TestBytecodeCounts(t *testing.T) {
	for name, want := range map[string]string{
		"results.mlirbc": "1 1", "replicas.mlirbc": "4 1", "split_opsharding.mlirbc": "1 2",
	} {
		program := bytecodeFile(t, name)
		replicas, partitions, err := countsOf(program)
		if got := fmt.Sprint(replicas, partitions); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
		if s, err := Parse(program); err != ErrBytecode || fmt.Sprint(s.Replicas, s.Partitions) != want {
			t.Errorf("%s: parsed %d, %d, %v", name, s.Replicas, s.Partitions, err)
		}
		for n := range program { // cut off anywhere, it has an error, no such numbers, or these
			replicas, partitions, err := countsOf(program[:n])
			if got := fmt.Sprint(replicas, partitions); err == nil && got != "0 0" && got != want {
				t.Errorf("%s: its first %d bytes say %s", name, n, got)
			}
		}
	}
}

func TestBytecodeErrors(t *testing.T) {
	for program, want := range map[string]string{
		"ML\xefR":                          "byte 4: it is cut off",
		"ML\xefR\x0fx\x00":                 "its format is version 7, and zonemark knows them up to 6",
		"ML\xefR\x0dx":                     "byte 5: it is cut off",
		"ML\xefR\x0dx\x00\x00\x21":         "byte 9: it is cut off",
		"ML\xefR\x0dx\x00\x00\x05\xff\x01": "its strings: byte 1: 127 entries in 1 bytes",
	} {
		if _, _, err := countsOf([]byte(program)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", program, err, want)
		}
	}
}

// TestBytecodeRefusesCounts checks that a number that cannot be is an error, and not taken for none.
func TestBytecodeRefusesCounts(t *testing.T) {
	program := bytes.Replace(bytecodeFile(t, "replicas.mlirbc"), []byte{0x11, 0x01, 0x11}, []byte{0x11, 0x01, 0x13}, 1)
	const want = "mhlo.num_replicas is no number from 0 to 4096" // -5
	if _, err := Parse(program); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

// TestVarints checks numbers of each size.
func TestVarints(t *testing.T) {
	for data, want := range map[string]uint64{
		"\x01": 0, "\xff": 127, "\x02\x02": 128, "\x04\x00\x02": 1 << 14, "\x80\x01\x00\x00\x00\x00\x00\x00": 1,
		"\x00\x01\x02\x03\x04\x05\x06\x07\x08": 0x0807060504030201,
	} {
		r := &varints{data: []byte(data)}
		if got := r.next(); got != want || r.err != nil || r.at != len(data) {
			t.Errorf("% x: %#x after %d bytes, %v; want %#x", data, got, r.at, r.err, want)
		}
	}
}

func FuzzBytecodeCounts(f *testing.F) {
	for _, name := range []string{"results.mlirbc", "replicas.mlirbc", "split_opsharding.mlirbc"} {
		f.Add(bytecodeFile(f, name))
	}
	f.Fuzz(func(t *testing.T, program []byte) {
		if !IsBytecode(program) {
			return
		}
		replicas, partitions, err := countsOf(program)
		if err != nil && (replicas != 0 || partitions != 0) || min(replicas, partitions) < 0 ||
			max(replicas, partitions) > maxDevices {
			t.Errorf("%d, %d, %v", replicas, partitions, err)
		}
	})
}
