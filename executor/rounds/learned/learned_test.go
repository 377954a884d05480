package learned

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestSets(t *testing.T) {
	for bytes, want := range map[int64]int{0: 0, 8: 64, 4000: 8, 32 << 10: 1, 1 << 20: 1, 1<<20 + 1: 0} {
		if got := Sets(bytes); got != want {
			t.Errorf("%d bytes: %d sets, want %d", bytes, got, want)
		}
	}
}

// drawn notes which contents were drawn.
type drawn struct {
	other bool
	order []bool
	err   error
}

func (d *drawn) Draw(other bool) error {
	d.other, d.order = other, append(d.order, other)
	return d.err
}

// TestLook: a sort whose branches are learned is told. Its time was a quarter of what it takes on new data, without a word.
func TestLook(t *testing.T) {
	at := time.Unix(0, 0)
	for _, c := range []struct {
		name     string
		same, ns float64 // of a batch on the same contents, and on others
		want     string  // the begin of the note
		fewest   int     // pairs
	}{
		{"a sort", 7000, 28_000, "calls take at least 4 times as long if each finds its random contents in another order", 15},
		{"less work in other contents", 9000, 3000, "calls take 0.33 times", 15},
		{"a sum", 7000, 7000, "", 15},
		{"a little", 7000, 7700, "", 15},
		{"long calls", 700e6, 1400e6, "calls take at least 2 times", 1},
	} {
		d := &drawn{}
		pairs, err := Look(d, func() (float64, error) {
			ns := c.same
			if d.other {
				ns = c.ns
			}
			at = at.Add(time.Duration(ns))
			return ns, nil
		}, func() time.Time { return at })
		if note := Note(pairs); err != nil || len(pairs) < c.fewest || !strings.HasPrefix(note, c.want) || (note == "") != (c.want == "") {
			t.Errorf("%s: %q after %d pairs, %v", c.name, note, len(pairs), err)
		}
		if len(pairs) > 1 && (!d.order[0] == d.order[1]) == (d.order[2] == d.order[0]) {
			t.Errorf("%s: the sides do not alternate: %v", c.name, d.order[:4])
		}
	}
	failing := &drawn{err: errors.New("no memory")}
	if _, err := Look(failing, nil, time.Now); err != failing.err {
		t.Errorf("%v", err)
	}
}
