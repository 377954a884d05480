package trace

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// TestOpenParts: zones are those that Open gives, but without what is not asked for, which takes no memory.
func TestOpenParts(t *testing.T) {
	texts, names := 0, 0
	for _, name := range []string{"small_0112.tracy", "iree_mlp_local-task.tracy"} {
		path := filepath.Join("testdata", name)
		all := zonesOf(t, path, AllParts)
		for i := range all {
			if all[i].Text != "" {
				texts++
			}
			if all[i].DynamicName != "" {
				names++
			}
			all[i].Text = ""
		}
		if diff := cmp.Diff(all, zonesOf(t, path, NamesOnly)); diff != "" {
			t.Errorf("%s, names only: %s", name, diff)
		}
		for i := range all {
			all[i].DynamicName, all[i].Color = "", 0
			all[i].Repeats = false // tells zones of one name apart from others of their place
		}
		timed := zonesOf(t, path, TimesOnly)
		for i := range timed {
			timed[i].Repeats = false
		}
		if diff := cmp.Diff(all, timed); diff != "" {
			t.Errorf("%s, times only: %s", name, diff)
		}
	}
	if texts == 0 || names == 0 {
		t.Errorf("%d texts and %d names: they test nothing", texts, names)
	}
}

// zonesOf returns the zones of a capture of which only some parts are read.
func zonesOf(t *testing.T, path string, parts Parts) []Zone {
	t.Helper()
	f, err := OpenParts(path, parts)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i, page := range f.extras.page {
		if parts == TimesOnly || parts == NamesOnly && page.text != nil {
			t.Errorf("%s: page %d of what zones have of their own is kept", path, i)
		}
	}
	return mustCollect(t, f.Zones())
}
