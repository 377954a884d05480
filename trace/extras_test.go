package trace

import (
	"math/rand/v2"
	"testing"
)

// TestExtras: what was added comes back, whichever columns a page has. Pages of zeros have none.
func TestExtras(t *testing.T) {
	const page = 1 << pageBits
	random := rand.New(rand.NewPCG(7, 8))
	var list extras
	var want [][3]uint32
	for i := range 6*page + 5 {
		var v [3]uint32
		for column := range v {
			// Each page but the first has other columns; all have zeros.
			if (i/page)>>column&1 != 0 && random.IntN(3) > 0 {
				v[column] = random.Uint32N(1 << 24)
			}
		}
		record := []byte{0xFF, 0xFF, 0xFF} // the call stack, which is not kept
		for _, n := range v {
			record = append(record, byte(n), byte(n>>8), byte(n>>16))
		}
		list.append(record)
		want = append(want, v)
	}
	if list.count != len(want) {
		t.Fatalf("%d extras, want %d", list.count, len(want))
	}
	for i, w := range want {
		if got := [3]uint32{list.text(uint32(i)), list.name(uint32(i)), list.color(uint32(i))}; got != w {
			t.Fatalf("extra %d is %v, want %v", i, got, w)
		}
	}
	if list.page[0] != (extraPage{}) {
		t.Error("a page of zeros has columns")
	}
}
