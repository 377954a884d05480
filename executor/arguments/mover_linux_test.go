package arguments

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"zonemark/executor/platform"
	"zonemark/executor/platform/exchangetest"
	"zonemark/invocations"
)

// Sets that move to other memory hold there what they held at first, wherever the launch places their arrays.
func TestMover(t *testing.T) {
	for _, place := range []uint64{0, 9} {
		moves(t, Layout(invocations.Measure{Place: place, PageOffset: 128 * int64(place)}, 0))
	}
}

func moves(t *testing.T, layout Placement) {
	shared := platform.Shared{Exchange: exchangetest.New(t, 1<<16)}
	layout.Shared = shared
	m := newMadeUp(t, "random", "iota", Request{Layout: layout})
	places := m.Places()
	fresh := bytes.Clone(m.Set(0))
	move := m.Mover(shared)
	for part := range 4 {
		m.call(0)
		if bytes.Equal(fresh, m.Set(0)) {
			t.Error("a call changes nothing")
		}
		if err := move(platform.Shared{Exchange: shared.Exchange, Part: (part + 1) % 2}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(fresh, m.Set(0)) {
			t.Errorf("after %d moves the set is another one", part+1)
		}
		if !slices.Equal(m.Places(), places) {
			t.Errorf("after %d moves, arrays lie at %v, and not at %v", part+1, m.Places(), places)
		}
	}
	if err := move(platform.Shared{Exchange: shared.Exchange, Part: 2}); err == nil ||
		!strings.Contains(err.Error(), "arguments of f") {
		t.Errorf("a move to a part that there is not: %v", err)
	}
	if own := newMadeUp(t, "1", "0", Request{}); own.Mover(platform.Shared{}) != nil {
		t.Error("arguments in memory of their own can be moved")
	}
}

// What lies between elements is zero again after a move: the other part of the memory may hold anything.
func TestMoverClears(t *testing.T) {
	shared := platform.Shared{Exchange: exchangetest.New(t, 1<<16)}
	s := made(t, Description{Of: "f", Align: 64, Arrays: []Array{{Label: "x", Element: invocations.Int16, Bytes: 12,
		Contents: invocations.Contents{Fill: invocations.FillList, Value: "8 9"}, Order: every(3, 1, 2)}}},
		Request{Layout: Placement{Layout: platform.Layout{Shared: shared}}})
	move := s.Mover(shared)
	for part := range 4 {
		for i := range s.Array(0, 0) {
			s.Array(0, 0)[i] = 0xff
		}
		if err := move(platform.Shared{Exchange: shared.Exchange, Part: (part + 1) % 2}); err != nil {
			t.Fatal(err)
		}
		if got := int16s(s.Array(0, 0)); !slices.Equal(got, []int16{0, 8, 0, 0, 9, 0}) {
			t.Errorf("after %d moves: %v", part+1, got)
		}
	}
}
