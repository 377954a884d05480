package arguments

import (
	"testing"
	"unsafe"

	"zonemark/invocations"
)

// threeOf returns arrays of these sizes that two pages would hold, one behind the other.
func threeOf(align int64, bytes ...int64) Description {
	d := Description{Of: "f", Align: align, Header: 24}
	for i, n := range bytes {
		d.Arrays = append(d.Arrays, Array{
			Label: string(rune('x' + i)), Element: invocations.Float32, Bytes: n, Position: i,
		})
	}
	return d
}

// requestAt is that of a launch that has drawn this number.
func requestAt(place uint64) Request {
	return Request{Layout: Layout(invocations.Measure{Place: place, PageOffset: int64(place) % 32 * 128}, 0)}
}

// Each array used to lie where the one before it ended, in every launch: what their distance did to the time was the
// same in all of them, and changed with their sizes.
func TestArraysMoveByThemselves(t *testing.T) {
	for _, align := range []int64{64, 128} {
		distances := map[[2]int64]bool{}
		for place := uint64(1); place <= 100; place++ {
			s := made(t, threeOf(align, 16320, 0, 16384, 60), requestAt(place))
			places := s.Places()
			if len(places) != 3 || places[0].Name != "x" || places[2].Name != "{" {
				t.Fatalf("places %v", places)
			}
			end := int64(24)
			for _, i := range []int{0, 2, 3} {
				begin := int64(s.Address(0, i) - uintptr(unsafe.Pointer(&s.Set(0)[0])))
				if s.Address(0, i)%uintptr(align) != 0 || begin < end || begin-end >= pageBytes+align {
					t.Errorf("place %d: array %d at %#x, %d bytes into the set, behind %d", place, i, s.Address(0, i),
						begin, end)
				}
				end = begin + int64(len(s.Array(0, i)))
			}
			if end > s.stride || s.SetBytes() >= s.stride || s.SetBytes() != made(t, s.description, Request{}).SetBytes() {
				t.Errorf("place %d: a set of %d bytes in %d; the last array ends at %d", place, s.SetBytes(), s.stride,
					end)
			}
			distances[[2]int64{(places[1].Offset - places[0].Offset + pageBytes) % pageBytes,
				(places[2].Offset - places[1].Offset + pageBytes) % pageBytes}] = true
			longer := made(t, threeOf(align, 16448, 4, 100, 64000), requestAt(place)).Places()
			for k, i := range []int{0, 2, 3} {
				if longer[i].Offset != places[k].Offset {
					t.Errorf("place %d: array %d begins at %d of its page, a longer one at %d", place, i,
						places[k].Offset, longer[i].Offset)
				}
			}
		}
		if len(distances) < 90 {
			t.Errorf("alignment %d: 100 launches had %d layouts", align, len(distances))
		}
	}
}

// With one layout, arrays lie one behind the other, as they do if they are small and there are many sets: those are to
// be as large as was asked for.
func TestArraysThatStay(t *testing.T) {
	for name, c := range map[string]struct {
		d      Description
		r      Request
		spread bool
	}{
		"fixed":       {threeOf(64, 16320, 16384), Request{}, false},
		"small sets":  {threeOf(64, 16320, 16384), Request{Least: 1 << 20, Layout: requestAt(7).Layout}, false},
		"large sets":  {threeOf(64, 163200, 163840), Request{Least: 1 << 20, Layout: requestAt(7).Layout}, true},
		"whole pages": {threeOf(8192, 16320, 16384), requestAt(7), false},
		"one set":     {threeOf(64, 16320, 16384), requestAt(7), true},
	} {
		s := made(t, c.d, c.r)
		if spread := s.stride != s.setBytes; spread != c.spread {
			t.Errorf("%s: %d bytes from set to set, which have %d", name, s.stride, s.setBytes)
		}
		for k := range s.Count() {
			if near := s.Address(k, 1)-s.Address(k, 0) == s.Address(0, 1)-s.Address(0, 0); !near {
				t.Errorf("%s: set %d is laid out in another way than the first one", name, k)
			}
		}
		if lines := s.Lines(); (len(lines) == 3) != c.spread {
			t.Errorf("%s: lines %v", name, lines)
		} else if c.spread && (lines[2].Addr != s.Address(0, 1) || int64(lines[2].Len) != c.d.Arrays[1].Bytes) {
			t.Errorf("%s: lines %v; the second array is at %#x", name, lines, s.Address(0, 1))
		}
	}
}

// Buffers that are allocated one by one move independently of each other: the third one used to move twice as far as
// the second one.
func TestLayoutOfBuffers(t *testing.T) {
	seen := map[[2]int]bool{}
	for place := uint64(1); place <= 100; place++ {
		m := invocations.Measure{Place: place, PageOffset: 128}
		first, second, third := Layout(m, 0), Layout(m, 1), Layout(m, 2)
		if first.PageOffset != 128 || second.PageOffset%invocations.LayoutStep != 0 || second.PageOffset >= pageBytes {
			t.Errorf("place %d: offsets %d and %d", place, first.PageOffset, second.PageOffset)
		}
		seen[[2]int{second.PageOffset, third.PageOffset}] = true
	}
	if len(seen) < 85 { // of 1024
		t.Errorf("100 launches had %d layouts", len(seen))
	}
	if got := Layout(invocations.Measure{PageOffset: 256}, 3).PageOffset; got != 256 {
		t.Errorf("with one layout, a buffer begins at %d", got)
	}
}

// TestOffLine: arrays begin 16 bytes behind a line if the launch and the runtime want that, those of a ring as well. A value
// takes no memory.
func TestOffLine(t *testing.T) {
	for _, c := range []struct {
		offLine   bool
		placement invocations.Placement
		place     uint64
		want      uintptr
	}{
		{true, invocations.Malloc, 0, 16}, {true, invocations.Malloc, 5, 16}, {true, invocations.Vary, 5, 0},
		{false, invocations.Malloc, 5, 0},
	} {
		d := Description{Of: "f", Align: 64, OffLine: c.offLine, Arrays: []Array{
			{Element: invocations.Float32, Bytes: 100, Usage: invocations.InputOutput}, {Position: 1},
			{Element: invocations.Float32, Bytes: 8000, Usage: invocations.InputOutput, Position: 2},
		}}
		s := made(t, d, Request{Layout: Layout(invocations.Measure{Placement: c.placement, Place: c.place}, 0)})
		ring, err := s.Changed(addresses).Copies(3)
		if err != nil {
			t.Fatal(err)
		}
		defer ring.Free()
		for k := range 3 {
			for a := range 2 {
				if at := uintptr(unsafe.Pointer(&ring.array(k, a)[0])); at%64 != c.want {
					t.Errorf("%+v: array %d of set %d is at %#x", c, a, k, at)
				}
			}
		}
		if s.Array(0, 2)[7999]++; s.Untouched().Look().Behind != nil {
			t.Errorf("%+v: the end of an array is behind it", c)
		}
		d.Arrays = d.Arrays[1:2]
		if none := made(t, d, Request{Layout: Layout(invocations.Measure{Placement: c.placement}, 0)}); none.Bytes() != 0 {
			t.Errorf("%+v: a value takes %d bytes", c, none.Bytes())
		}
	}
}
