package values

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"zonemark/invocations"
)

// npyFile makes a file of the given version as numpy.save lays it out.
func npyFile(version byte, header string, data []byte) []byte {
	file := []byte{0x93, 'N', 'U', 'M', 'P', 'Y', version, 0}
	if version == 1 {
		file = binary.LittleEndian.AppendUint16(file, uint16(len(header)))
	} else {
		file = binary.LittleEndian.AppendUint32(file, uint32(len(header)))
	}
	return append(append(file, header...), data...)
}

func dictionary(descr, fortran, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }   \n", descr, fortran, shape)
}

func TestReadNPY(t *testing.T) {
	six := []byte{1, 2, 3, 4, 5, 6}
	for _, c := range []struct {
		name    string
		file    []byte
		element invocations.ElementType
		count   int
		want    string // hexadecimal, or the error
	}{
		{"vector", npyFile(1, dictionary("|u1", "False", "(6,)"), six), invocations.Uint8, 6, "010203040506"},
		{"version 2", npyFile(2, dictionary("|u1", "False", "(2, 3)"), six), invocations.Uint8, 6, "010203040506"},
		{"version 3", npyFile(3, dictionary("<i2", "False", "(3,)"), six), invocations.Int16, 3, "010203040506"},
		{"fortran", npyFile(1, dictionary("|u1", "True", "(2, 3)"), six), invocations.Uint8, 6, "010305020406"},
		{"fortran of two bytes", npyFile(1, dictionary("<f2", "True", "(1, 3)"), six), invocations.Float16, 3,
			"010203040506"},
		{"fortran vector", npyFile(1, dictionary("|i1", "True", "(6,)"), six), invocations.Int8, 6, "010203040506"},
		{"fortran empty", npyFile(1, dictionary("|i1", "True", "(0, 9223372036854775807, 9223372036854775807)"), nil),
			invocations.Int8, 0, ""},
		{"scalar", npyFile(1, dictionary("<f4", "False", "()"), six[:4]), invocations.Float32, 1, "01020304"},
		{"bool", npyFile(1, dictionary("|b1", "False", "(2,)"), []byte{1, 0}), invocations.Bool, 2, "0100"},
		{"bfloat16 raw", npyFile(1, dictionary("<V2", "False", "(3,)"), six), invocations.BFloat16, 3, "010203040506"},
		{"bfloat16 as integers", npyFile(1, dictionary("<u2", "False", "(3,)"), six), invocations.BFloat16, 3,
			"010203040506"},
		{"Python 2, double quotes, other order", npyFile(1, `{"shape": (6L,), "fortran_order": False, "descr": "|u1"}`,
			six), invocations.Uint8, 6, "010203040506"},

		{"big-endian", npyFile(1, dictionary(">f4", "False", "(1,)"), six[:4]), invocations.Float32, 1,
			"big-endian; save it with .astype('<f4')"},
		{"other type", npyFile(1, dictionary("<f8", "False", "(1,)"), six), invocations.Float32, 1,
			`dtype "<f8" does not hold float32 elements, which are saved as '<f4'`},
		{"other size", npyFile(1, dictionary("<i4", "False", "(1,)"), six), invocations.Int16, 1,
			`dtype "<i4" does not hold int16`},
		{"other kind", npyFile(1, dictionary("<u2", "False", "(3,)"), six), invocations.Float16, 3,
			`dtype "<u2" does not hold float16`},
		{"count", npyFile(1, dictionary("|u1", "False", "(2, 3)"), six), invocations.Uint8, 5,
			"shape [2 3] does not have the 5 elements"},
		{"overflow", npyFile(1, dictionary("|u1", "False", "(4294967296, 4294967296)"), six), invocations.Uint8, 0,
			"does not have the 0 elements"},
		{"truncated", npyFile(1, dictionary("|u1", "False", "(6,)"), six[:5]), invocations.Uint8, 6,
			"promises 6 bytes of data, the file has 5"},
		{"longer", npyFile(1, dictionary("|u1", "False", "(5,)"), six), invocations.Uint8, 5,
			"promises 5 bytes of data, the file has 6"},
		{"no array", []byte("PK\x03\x04 and so on"), invocations.Uint8, 5, "not a .npy file"},
		{"empty file", nil, invocations.Uint8, 5, "not a .npy file"},
		{"version 4", npyFile(4, "", nil), invocations.Uint8, 5, "version 4.0"},
		{"length beyond the file", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff{}"), invocations.Uint8, 5,
			"claims 4294967295 bytes at byte 12"},
		{"short length", []byte("\x93NUMPY\x02\x00\xff\xff"), invocations.Uint8, 5, "ends within its length"},
		{"structure", npyFile(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", nil),
			invocations.Uint8, 1, "byte 11: the dtype is a structure"},
		{"missing key", npyFile(1, "{'descr': '<f4', 'shape': (1,)}", nil), invocations.Uint8, 1,
			`"fortran_order" is missing`},
		{"unknown key", npyFile(1, "{'order': '<f4'}", nil), invocations.Uint8, 1, `"order" is not known`},
		{"twice", npyFile(1, "{'shape': (), 'shape': ()}", nil), invocations.Uint8, 1, `"shape" appears twice`},
		{"negative", npyFile(1, dictionary("|u1", "False", "(-1,)"), six), invocations.Uint8, 6, "a dimension"},
		{"beyond 64 bits", npyFile(1, dictionary("|u1", "False", "(99999999999999999999,)"), six), invocations.Uint8, 6,
			"a dimension"},
		{"dimensions", npyFile(1, dictionary("|u1", "False", "("+strings.Repeat("1,", 65)+")"), six[:1]),
			invocations.Uint8, 1, "more than 64"},
		{"open string", npyFile(1, "{'descr': '<f4", nil), invocations.Uint8, 1, "a string does not end"},
		{"rest", npyFile(1, dictionary("|u1", "False", "(6,)")+"x", six), invocations.Uint8, 6, "something follows"},
		{"no comma", npyFile(1, "{'descr': '<f4' 'shape': ()}", six), invocations.Uint8, 6, `want "}"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.npy")
			if err := os.WriteFile(path, c.file, 0o600); err != nil {
				t.Fatal(err)
			}
			dst := make([]byte, c.count*int(c.element.Size()))
			err := Fill(dst, c.element, invocations.Contents{Fill: invocations.FillFile, Path: path}, 0)
			if err != nil {
				if !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) || c.want == "" {
					t.Fatalf("error %q, want one with the path and %q", err, c.want)
				}
				return
			}
			if got := hex.EncodeToString(dst); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// TestReadNPYByNumPy reads what NumPy itself wrote: numpy.save of arange(24, dtype=float32).reshape(2,3,4), once as it
// is and once through numpy.asfortranarray. The files are our own.
func TestReadNPYByNumPy(t *testing.T) {
	want := fill(t, 24, invocations.Float32, "iota", 0)
	for _, name := range []string{"c_order.npy", "fortran_order.npy"} {
		if got := fill(t, 24, invocations.Float32, filepath.Join("testdata", name), 0); !bytes.Equal(got, want) {
			t.Errorf("%s: got %x", name, got)
		}
	}
}

func FuzzReadNPY(f *testing.F) {
	f.Add(npyFile(1, dictionary("<f4", "True", "(2, 1)"), make([]byte, 8)), 2)
	f.Add(npyFile(2, dictionary("<f4", "False", "(2,)"), make([]byte, 8)), 2)
	f.Add(npyFile(1, dictionary("<c8", "True", "(1, 2)"), make([]byte, 16)), 4)
	f.Add(npyFile(3, `{"shape": (1L,), "fortran_order": False, "descr": "<f4"}`, make([]byte, 4)), 1)
	f.Add(npyFile(1, dictionary("<f4", "True", "(4294967296, 4294967296, 0)"), nil), 0)
	f.Add([]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff{}"), 1)
	f.Fuzz(func(t *testing.T, file []byte, count int) {
		if count < 0 || count > 1<<10 {
			return
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := readNPY(make([]byte, 4*count), invocations.Float32, bytes.NewReader(file), int64(len(file)), false)
		runtime.ReadMemStats(&after)
		if spent := after.TotalAlloc - before.TotalAlloc; spent > uint64(4*len(file)+4*count)+1<<16 {
			t.Errorf("a file of %d bytes took %d bytes of memory", len(file), spent)
		}
		if err == nil && len(file) < 4*count {
			t.Errorf("%d bytes of file gave %d elements", len(file), count)
		}
	})
}

func TestNPYType(t *testing.T) {
	dir := t.TempDir()
	for descr, want := range map[string]invocations.ElementType{"<f4": invocations.Float32, "|b1": invocations.Bool,
		"<u2": invocations.Uint16, "<i8": invocations.Int64, "<V2": invocations.BFloat16} {
		path := filepath.Join(dir, "x.npy")
		if err := os.WriteFile(path, npyFile(1, dictionary(descr, "False", "(2, 3)"), nil), 0o644); err != nil {
			t.Fatal(err)
		}
		got, shape, err := NPYType(invocations.Contents{Path: path})
		if err != nil || got != want || !slices.Equal(shape, []int64{2, 3}) {
			t.Errorf("%s: %s %v, %v", descr, got, shape, err)
		}
	}
	path := filepath.Join(dir, "y.npy")
	if err := os.WriteFile(path, npyFile(1, dictionary("<c8", "False", "(2,)"), nil), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := NPYType(invocations.Contents{Path: path}); err == nil || !strings.Contains(err.Error(), "c8") {
		t.Errorf("complex numbers: %v", err)
	}
}

// TestNPYStorage checks arrays whose elements are stored as those of another type.
func TestNPYStorage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	for _, c := range []struct {
		descr, order string
		data         string
		element      invocations.ElementType
		want         Storage
		filled       string // in hexadecimal
	}{
		{"<c8", "False", "aaaabbbbccccdddd", invocations.Float32, Storage{Shape: []int64{2, 1, 2}, Complex: true},
			"61616161626262626363636364646464"},
		{"<c8", "True", "aaaabbbbccccdddd", invocations.Float32, Storage{Shape: []int64{2, 1, 2}, Complex: true},
			"61616161626262626363636364646464"},
		{"<V1", "False", "ab", invocations.Uint8, Storage{Shape: []int64{2, 1}, Raw: true}, "6162"},
		{"|V1", "False", "ab", invocations.Int8, Storage{Shape: []int64{2, 1}, Raw: true}, "6162"},
		{"<f1", "False", "ab", invocations.Uint8, Storage{Shape: []int64{2, 1}, F8E5M2: true}, "6162"},
		{"<f4", "False", "aaaabbbb", invocations.Float32, Storage{Shape: []int64{2, 1}}, "6161616162626262"},
	} {
		file := npyFile(1, dictionary(c.descr, c.order, "(2, 1)"), []byte(c.data))
		if err := os.WriteFile(path, file, 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := NPYStorage(invocations.Contents{Path: path})
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v; want %+v", c.descr, got, err, c.want)
		}
		dst := make([]byte, len(c.data))
		err = Fill(dst, c.element, invocations.Contents{Fill: invocations.FillFile, Path: path}, 0)
		if filled := hex.EncodeToString(dst); err != nil || filled != c.filled {
			t.Errorf("%s: %s, %v; want %s", c.descr, filled, err, c.filled)
		}
	}
	// A transposed array keeps its pairs: the first dimension varies fastest in the file.
	file := npyFile(1, dictionary("<c8", "True", "(2, 2)"), []byte("aaaabbbbccccddddeeeeffffgggghhhh"))
	dst := make([]byte, 32)
	err := readNPY(dst, invocations.Float32, bytes.NewReader(file), int64(len(file)), false)
	if string(dst) != "aaaabbbbeeeeffffccccddddgggghhhh" || err != nil {
		t.Errorf("%s, %v", dst, err)
	}
	if _, err := NPYStorage(invocations.Contents{Path: filepath.Join(t.TempDir(), "none.npy")}); err == nil {
		t.Error("a missing file was described")
	}
}
