package correlate

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zonemark/trace"
	"zonemark/trace/internal/zonetest"
)

// TestNotes: what is remembered comes back as it was, however far from the note before.
func TestNotes(t *testing.T) {
	kinds := []*kind{{number: 0}, {number: 1, name: "b"}, {number: mostKinds - 1}}
	far := []int64{-1, 0, 1, 2, 7, math.MaxInt16, math.MinInt16, math.MaxUint16 - 1, math.MaxUint16, math.MaxInt32,
		math.MinInt32, math.MaxUint32, math.MaxUint32 + 1, math.MaxInt64, math.MinInt64}
	all := []note{{kind: kinds[0]}}
	for i, x := range far {
		for k, y := range far {
			all = append(all,
				note{ordinal: x, parent: y, kind: kinds[i%2]},
				note{start: x, duration: y, parent: -1, kind: kinds[k%2], unfinished: true},
				note{ordinal: x, parent: x - y, depth: int(y & 0xFFFF), thread: int(x & 3), kind: kinds[1]},
				note{ordinal: int64(i), parent: int64(i - k), depth: k, kind: kinds[0], unfinished: k%2 == 0},
			)
		}
	}
	numbers := make([]*kind, mostKinds)
	for _, k := range kinds {
		numbers[k.number] = k
	}
	for len(all) < 2*notesAPage {
		all = append(all, all...)
	}
	l := notes{most: 1 << 30}
	for i := range all {
		l.add(&all[i])
	}
	if n := len(l.wide); n == 0 || n > len(all)-1000 {
		t.Errorf("%d of %d notes are wide", n, len(all))
	}
	at := 0
	l.take(numbers, func(n *note) {
		if *n != all[at] {
			t.Fatalf("note %d: %+v, want %+v", at, *n, all[at])
		}
		at++
	})
	if at != len(all) || l.count != 0 || l.pages != nil {
		t.Errorf("%d notes, want %d; %d are left", at, len(all), l.count)
	}
}

// TestNotesGiveUp: too many notes, wide ones or kinds are not remembered.
func TestNotesGiveUp(t *testing.T) {
	for what, n := range map[string]note{
		"many":  {kind: &kind{}, parent: -1},
		"wide":  {kind: &kind{}, depth: math.MaxInt32},
		"kinds": {kind: &kind{number: -1}},
	} {
		l := notes{most: 100}
		for range 100 {
			l.add(&n)
		}
		if l.gaveUp != (what != "many") {
			t.Errorf("%s: gave up after 100: %v", what, l.gaveUp)
		}
		if l.add(&n); !l.gaveUp || l.pages != nil || l.wide != nil {
			t.Errorf("%s: %d pages and %d wide notes after 101", what, len(l.pages), len(l.wide))
		}
	}
}

// counted counts the walks over a capture.
type counted struct {
	*trace.File
	walks int
}

func (c *counted) WalkRaw(first []trace.RawZone, each func([]trace.RawZone) []trace.RawZone) error {
	c.walks++
	return c.File.WalkRaw(first, each)
}

// slow is a capture whose zones can only be had one by one.
type slow struct{ file *trace.File }

func (s slow) Threads() []trace.Thread                   { return s.file.Threads() }
func (s slow) Zones() iter.Seq2[trace.Zone, error]       { return s.file.Zones() }
func (s slow) GPUZones() iter.Seq2[trace.GPUZone, error] { return s.file.GPUZones() }
func (s slow) Info() trace.Info                          { return s.file.Info() }

// TestWalks: a capture is walked once, or twice if its zones are too many to remember, with the same result, which is
// that of its zones one by one.
func TestWalks(t *testing.T) {
	for _, name := range []string{"iree_mlp_bracketed", "iree_mlp_local-sync", "iree_mlp_local-task", "z100k_0112"} {
		f := zonetest.Open(t, "../testdata/"+name+".tracy")
		want, err := Join(slow{f}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, most := range []int{mostNotes, 100, 0} {
			source := &counted{File: f}
			found, err := join(source, Options{}, most)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, found); diff != "" {
				t.Errorf("%s, %d notes: %s", name, most, diff)
			}
			if walks := map[bool]int{true: 1, false: 2}[most == mostNotes]; source.walks != walks {
				t.Errorf("%s, %d notes: %d walks, want %d", name, most, source.walks, walks)
			}
		}
	}
}

// TestManyNames: a source with more names than are remembered is walked twice, with the same dispatches.
func TestManyNames(t *testing.T) {
	var below []node
	for i := range mostKinds + 10 {
		at := int64(10 + 2000*i)
		below = append(below, tile(fmt.Sprintf("d_dispatch_%d", i), at, at+1000))
	}
	source := list([]node{around("a", 0, 1<<40, below...)})
	c, err := Join(source, Options{})
	if err != nil || len(c.Invocations) != 1 {
		t.Fatal(c, err)
	}
	dispatches := c.Invocations[0].Iterations[0].Dispatches
	if len(dispatches) != len(below) || !slices.IsSortedFunc(dispatches, func(a, b Dispatch) int {
		return int(a.StartNS - b.StartNS)
	}) {
		t.Errorf("%d dispatches, want %d", len(dispatches), len(below))
	}
}
