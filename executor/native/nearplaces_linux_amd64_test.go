package native

import (
	"slices"
	"testing"
)

// TestNearPlaces: the loop used to lie 16 MiB times a power of two from the function, where the processor took its
// branches for those of the function.
func TestNearPlaces(t *testing.T) {
	const least = nearTries / 2 // of places that are left
	for _, entry := range []uintptr{0x7f12_3456_7890, 0x401000, 0x5555_0000_0fff, 0x7fff_ffff_f000} {
		distances, lines := map[uintptr]bool{}, map[uintptr]bool{}
		for place := range uint64(200) {
			other := entry + uintptr(place)<<16
			pages := nearPlaces(entry, place, other)
			if len(pages) < least && entry > 1<<32 {
				t.Errorf("place %d near %#x: %d pages", place, entry, len(pages))
			}
			for _, at := range pages {
				low := distance(at, entry) % (1 << 24)
				if at%codePage != 0 || distance(at, entry) < 1<<24-codePage || distance(at, entry) > 1<<30+1<<24 ||
					low < apartBytes || low > 1<<24-apartBytes || resembles(at, []uintptr{other}) {
					t.Fatalf("place %d near %#x: %#x, %#x bytes away", place, entry, at, distance(at, entry))
				}
			}
			if again := nearPlaces(entry, place, other); !slices.Equal(again, pages) {
				t.Errorf("place %d near %#x: other pages when it is asked again", place, entry)
			}
			distances[distance(pages[0], entry)] = true
			if lines[lineOf(place)] = true; lineOf(place) >= codePage/lineBytes {
				t.Errorf("place %d: line %d", place, lineOf(place))
			}
		}
		if len(distances) < 195 || len(lines) < 55 {
			t.Errorf("200 places near %#x have %d distances and %d lines of their pages", entry, len(distances), len(lines))
		}
	}
}

// TestSetPlace moves the code of a loop that calls a function, and gives it back.
func TestSetPlace(t *testing.T) {
	entry := symbol(t, compile(t, "calls.c"), "twice")
	at := map[uintptr]bool{}
	for place := range uint64(20) {
		l := newTestLoop(t, Clock{Name: counterName, TicksPerNS: 1}, entry, frameOf(21))
		before := l.code.loop
		l.SetPlace(place + 1)
		if mapped(t, before) && before != l.code.loop {
			t.Errorf("place %d: the code at %#x is still mapped", place, before)
		}
		if l.Run(1, 1); l.control.returnedInt != 42 || resembles(l.code.loop, []uintptr{entry}) {
			t.Errorf("place %d: the loop at %#x, the function at %#x, returned %d", place, l.code.loop, entry,
				l.control.returnedInt)
		}
		e, err := l.Empty()
		if err != nil {
			t.Fatal(err)
		}
		if e.code.loop%codePage != l.code.loop%codePage {
			t.Errorf("place %d: the loop lies at %#x, the empty one at %#x", place, l.code.loop, e.code.loop)
		}
		at[distance(l.code.loop, entry)] = true
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	if len(at) < 18 {
		t.Errorf("20 places gave %d distances", len(at))
	}
}
