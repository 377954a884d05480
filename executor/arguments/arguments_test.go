package arguments

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"zonemark/executor/native"
	"zonemark/invocations"
)

func contents(t *testing.T, text string) invocations.Contents {
	t.Helper()
	if text == "" {
		return invocations.Contents{}
	}
	c, err := invocations.ParseContents(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// made returns sets that the test frees.
func made(t *testing.T, d Description, r Request) *Sets {
	t.Helper()
	s, err := New(d, r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Free)
	return s
}

// Seeds are those of every version before, so that figures of two versions are those of equal data.
func TestSeed(t *testing.T) {
	for _, c := range []struct {
		seed                  uint64
		argument, set, device int
		want                  uint64
	}{
		{0, 0, 0, 0, 0x38ffff682123e08a},
		{5, 0, 0, 0, 0x6e43f8f9647dca3b},
		{5, 1, 0, 0, 0xc8a5a77170deaa53},
		{5, 0, 1, 0, 0x1987262db63e6e3d},
		{5, 2, 7, 0, 0x943b6f4875e898ea},
		{5, 2, 7, 3, 0xeb31c646d9aa5bc4},
	} {
		if got := Seed(c.seed, c.argument, c.set, c.device); got != c.want {
			t.Errorf("%d, %d, %d, %d: %#x, want %#x", c.seed, c.argument, c.set, c.device, got, c.want)
		}
	}
}

// madeUp is a runtime of a test. Its function adds x to y, and writes what y was before into z. It passes pointers to
// the three arrays, which are in the header of a set.
type madeUp struct{ *Sets }

func newMadeUp(t *testing.T, x, y string, r Request) madeUp {
	d := Description{Of: "f", Align: 64, Header: 3 * 8, Arrays: []Array{
		{Label: "x", Element: invocations.Int32, Bytes: 20, Contents: contents(t, x), Usage: invocations.Input},
		{Label: "y", Element: invocations.Int32, Bytes: 20, Contents: contents(t, y), Usage: invocations.InputOutput,
			Position: 1},
		{Label: "z", Element: invocations.Int32, Bytes: 20, Fixed: make([]byte, 20), Usage: invocations.Output,
			Position: 2},
	}}
	d.WriteHeader = func(s *Sets, k int) {
		for i := range d.Arrays {
			binary.LittleEndian.PutUint64(s.Set(k)[8*i:], uint64(s.Address(k, i)))
		}
	}
	return madeUp{made(t, d, r)}
}

// call calls the function on a set, through the pointers.
func (m madeUp) call(k int) {
	arrays := unsafe.Slice((**[5]int32)(unsafe.Pointer(&m.Set(k)[0])), 3)
	x, y, z := arrays[0], arrays[1], arrays[2]
	for i := range x {
		z[i] = y[i]
		y[i] += x[i]
	}
}

// ints returns an array of a set.
func (m madeUp) ints(k, i int) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(m.pointer(k, i))), 5)
}

func (m madeUp) pointer(k, i int) *byte { return unsafe.SliceData(m.Array(k, i)) }

// A runtime gets sets that are filled, called, restored and compared.
func TestMadeUpRuntime(t *testing.T) {
	m := newMadeUp(t, "2", "iota", Request{})
	if m.Count() != 1 || m.SetBytes() != 4*64 || m.Bytes() != 4*64 {
		t.Errorf("%d sets of %d bytes, %d in all", m.Count(), m.SetBytes(), m.Bytes())
	}
	restore := m.Changed(nil).Reset()
	for range 3 {
		m.call(0)
	}
	if y, z := m.ints(0, 1), m.ints(0, 2); !slices.Equal(y, []int32{6, 7, 8, 9, 10}) ||
		!slices.Equal(z, []int32{4, 5, 6, 7, 8}) {
		t.Errorf("after three calls, y is %v and z %v", y, z)
	}
	restore()
	m.call(0)
	y := Output{Label: "y", Element: invocations.Int32, Shape: []int64{5}, Data: m.Elements(0, 1), Declared: true}
	for expected, want := range map[string]string{
		"5xi32=2 3 4 5 6": "",
		"5xi32=2 3 4 5 7": "y is not as expected: 1 of 5 elements differ",
	} {
		got, err := (Comparison{}).Expected([]Output{y}, []string{expected})
		if err != nil || !strings.HasPrefix(got, want) || (want == "") != (got == "") {
			t.Errorf("%s: %q, %v, want %q", expected, got, err, want)
		}
	}
}

// Several sets take as much as is asked for, are aligned, differ where they are random, and are not restored.
func TestSeveralSets(t *testing.T) {
	const setBytes, sets = 4 * 64, 50
	m := newMadeUp(t, "random", "iota", Request{Least: sets*setBytes - 10, Seed: 3})
	if m.Count() != sets || m.Bytes() != sets*setBytes || m.Changed(nil).Reset() != nil {
		t.Fatalf("%d sets, %d bytes", m.Count(), m.Bytes())
	}
	random := map[string]bool{}
	for k := range sets {
		for i := range 3 {
			if m.Address(k, i)%64 != 0 || m.Address(k, i) != uintptr(unsafe.Pointer(m.pointer(k, i))) {
				t.Fatalf("array %d of set %d is at %#x", i, k, m.Address(k, i))
			}
		}
		random[string(m.Array(k, 0))] = true
		if y := m.ints(k, 1); !slices.Equal(y, []int32{0, 1, 2, 3, 4}) {
			t.Errorf("set %d: y is %v", k, y)
		}
	}
	if len(random) < 40 { // of the 50, 8 are drawn and each has 5 rotations
		t.Errorf("%d different contents in %d sets", len(random), sets)
	}
	again := newMadeUp(t, "random", "iota", Request{Least: sets*setBytes - 10, Seed: 3})
	other := newMadeUp(t, "random", "iota", Request{Least: sets*setBytes - 10, Seed: 4})
	for k := range sets {
		if !bytes.Equal(m.Array(k, 0), again.Array(k, 0)) || bytes.Equal(m.Array(k, 0), other.Array(k, 0)) {
			t.Fatalf("set %d does not follow from the seed", k)
		}
	}
	if lines := m.Lines(); len(lines) != 1 || lines[0].Len != setBytes ||
		lines[0].Addr != uintptr(unsafe.Pointer(&m.Set(0)[0])) {
		t.Errorf("lines %v", m.Lines())
	}
}

// Frames come in an order that the seed chooses, the first set first, and each once.
func TestFrames(t *testing.T) {
	order := func(seed uint64) (list []uint64) {
		m := newMadeUp(t, "1", "0", Request{Least: 20 * 256, Seed: seed})
		var words []native.Frame
		for k := range m.Count() {
			var f native.Frame
			f.Int(uint64(k))
			words = append(words, f)
		}
		frames, err := m.Frames(func(k int) (native.Frame, error) { return words[k], nil })
		if err != nil {
			t.Fatal(err)
		}
		for i := range frames {
			at := slices.IndexFunc(words, func(f native.Frame) bool {
				return reflect.DeepEqual(f, frames[i])
			})
			list = append(list, uint64(at))
		}
		return list
	}
	a, again, other := order(3), order(3), order(4)
	sorted := slices.Sorted(slices.Values(a))
	if !slices.Equal(a, again) || slices.Equal(a, other) || a[0] != 0 || slices.IsSorted(a) ||
		len(slices.Compact(sorted)) != 20 {
		t.Errorf("orders %v, again %v, other seed %v", a, again, other)
	}
	m := newMadeUp(t, "1", "0", Request{})
	failed := errors.New("too many arguments")
	if _, err := m.Frames(func(int) (native.Frame, error) { return native.Frame{}, failed }); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
}

// every returns an order that takes every n-th element, from a first one.
func every(n, first, elements int64) *Order {
	return &Order{Shape: []int64{elements}, Strides: []int64{n}, Offset: first}
}

// What is given element by element goes to the places of the elements; what counts and is drawn fills all.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		contents string
		memory   []int16
		elements []int16
	}{
		{"7", []int16{7, 7, 7, 7, 7, 7}, []int16{7, 7}},
		{"iota", []int16{0, 1, 2, 3, 4, 5}, []int16{1, 4}},
	} {
		s := made(t, Description{Of: "f", Align: 64, Arrays: []Array{{Label: "x", Element: invocations.Int16, Bytes: 12,
			Contents: contents(t, c.contents), Order: every(3, 1, 2)}}}, Request{})
		if got := int16s(s.Array(0, 0)); !slices.Equal(got, c.memory) {
			t.Errorf("%s: memory %v, want %v", c.contents, got, c.memory)
		}
		if got := int16s(s.Elements(0, 0)); !slices.Equal(got, c.elements) {
			t.Errorf("%s: elements %v, want %v", c.contents, got, c.elements)
		}
	}
	list := invocations.Contents{Fill: invocations.FillList, Value: "8 9"}
	s := made(t, Description{Of: "f", Align: 64, Arrays: []Array{{Label: "x", Element: invocations.Int16, Bytes: 12,
		Contents: list, Order: every(3, 1, 2)}}}, Request{})
	if got := int16s(s.Array(0, 0)); !slices.Equal(got, []int16{0, 8, 0, 0, 9, 0}) {
		t.Errorf("a list is in memory as %v", got)
	}
	_, err := New(Description{Of: "f", Align: 64, Arrays: []Array{{Label: "x", Element: invocations.Int16, Bytes: 4,
		Contents: list, Order: every(0, 0, 3)}}}, Request{})
	if err == nil || !strings.Contains(err.Error(), "x: its elements overlap in memory") {
		t.Errorf("elements that overlap: %v", err)
	}
}

func int16s(b []byte) (list []int16) {
	for ; len(b) > 0; b = b[2:] {
		list = append(list, int16(binary.LittleEndian.Uint16(b)))
	}
	return list
}

// What no memory holds is an error of memory that names the function and what to do.
func TestTooLarge(t *testing.T) {
	array := func(bytes int64) Array {
		return Array{Label: "x", Element: invocations.Int8, Bytes: bytes, Usage: invocations.Input}
	}
	for _, c := range []struct {
		arrays []Array
		r      Request
	}{
		{[]Array{array(math.MaxInt64 - 3)}, Request{}},
		{[]Array{array(math.MaxInt64 / 2), array(math.MaxInt64 / 2), array(1000)}, Request{}},
		{[]Array{array(math.MaxInt64 / 2)}, Request{Copies: 2}},
		{[]Array{array(1 << 50)}, Request{}},
		{[]Array{array(1 << 12)}, Request{Least: 1 << 50, Copies: 1 << 40}},
	} {
		var memory *MemoryError
		_, err := New(Description{Of: "f", Align: 64, Arrays: c.arrays}, c.r)
		if !errors.As(err, &memory) || !strings.Contains(err.Error(), "arguments of f") ||
			!strings.Contains(err.Error(), "smaller sizes") {
			t.Errorf("%v, %+v: error %v", c.arrays, c.r, err)
		}
	}
	for _, size := range []int64{-1, 1 << 50} {
		var memory *MemoryError
		if _, err := Bytes("x", size); !errors.As(err, &memory) || !strings.Contains(err.Error(), "x") {
			t.Errorf("%d bytes: error %v", size, err)
		}
	}
}

// A function without arrays has one set, which takes no memory.
func TestNoArrays(t *testing.T) {
	s := made(t, Description{Of: "f", Align: 64, Arrays: []Array{{Label: "n"}}}, Request{Least: 1 << 20})
	if s.Count() != 1 || s.Bytes() != 0 || s.Lines() != nil || s.Changed(nil).Reset() != nil {
		t.Errorf("%d sets of %d bytes, lines %v", s.Count(), s.Bytes(), s.Lines())
	}
	if got := NoteFewer(s, 1<<20); len(got) != 1 ||
		got[0] != "1 argument sets take 0 bytes together, fewer than the 1048576 asked for" {
		t.Errorf("notes %q", got)
	}
}

// Sets of a runtime's own are made until they are enough, used in turn, the first one first, and closed.
func TestTurns(t *testing.T) {
	for _, c := range []struct {
		least, bytes int64
		want         int
	}{{0, 32, 1}, {1, 32, 1}, {33, 32, 2}, {100, 32, 4}, {100, 0, 1}, {1 << 40, 1, maxTurns}} {
		closed := 0
		turns, err := NewTurns(c.least, 7, func(set int) (int, int64, error) { return set, c.bytes, nil },
			func(int) { closed++ })
		if err != nil || turns.Count() != c.want || turns.Bytes() != int64(c.want)*c.bytes {
			t.Fatalf("%+v: %d sets of %d bytes together, error %v", c, turns.Count(), turns.Bytes(), err)
		}
		used := map[int]int{}
		for i := range 2 * c.want {
			set := turns.Next()
			if used[set]++; i%c.want == 0 && set != 0 {
				t.Errorf("%+v: call %d uses set %d", c, i, set)
			}
		}
		for set, times := range used {
			if times != 2 || len(used) != c.want {
				t.Fatalf("%+v: set %d was used %d times", c, set, times)
			}
		}
		if c.want > 100 && slices.IsSorted(turns.All()) {
			t.Error("the sets are used in the order of memory")
		}
		if turns.Close(); closed != c.want {
			t.Errorf("%+v: %d sets were closed", c, closed)
		}
	}
	var closed []int
	failed := errors.New("no more")
	_, err := NewTurns(100, 7, func(set int) (int, int64, error) {
		if set == 2 {
			return 0, 0, failed
		}
		return set, 1, nil
	}, func(set int) { closed = append(closed, set) })
	if !errors.Is(err, failed) || !slices.Equal(closed, []int{0, 1}) {
		t.Errorf("error %v, closed %v", err, closed)
	}
}
