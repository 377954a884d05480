package trace

import (
	"fmt"
	"strings"
	"testing"

	"zonemark/trace/internal/tracytest"
)

// TestRepeats reads zones inside zones of their own name and place: of one location, of a second location that is the
// same to a reader, and with names of their own.
func TestRepeats(t *testing.T) {
	w := tracytest.Stream{Version: tracytest.Newest, Dynamic: 1}
	w.Header(9000)
	w.Tables()
	w.Side()
	w.Put(uint64(7), uint64(6), uint64(1))
	w.Thread(500, 7, 1)
	// The locations 1 and 2 are static, -1 and -2 dynamic and alike. The extra 1 is a name.
	for _, z := range []struct {
		location int16
		extra    uint32
		children uint32
	}{{-1, 0, 1}, {1, 0, 1}, {-2, 0, 1}, {1, 1, 1}, {1, 1, 1}, {-1, 1, 1}, {2, 0, 0}} {
		w.Put(z.location, int64(10), z.extra, z.children)
	}
	for range 7 {
		w.Put(int64(10))
	}
	w.Put(uint64(0), uint64(0), uint64(0))
	w.GPU()
	w.Rest()
	f, err := openBytes(t, tracytest.Forms()[2].Pack(t, w.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, z := range mustCollect(t, f.Zones()) {
		got = append(got, fmt.Sprint(z.Ordinal, z.Repeats))
	}
	if want := "6 false, 5 false, 4 true, 3 false, 2 true, 1 false, 0 false"; strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
	if !f.HasGPUZones() {
		t.Error("the GPU zones were not seen")
	}
}
