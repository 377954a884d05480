package tracycsv

import (
	"fmt"
	"strings"
	"testing"
)

// longTable returns a table of zones, the text of each of which is its own.
func longTable(rows int) string {
	b := &strings.Builder{}
	b.WriteString("name,src_file,src_line,ns_since_start,exec_time_ns,thread,value\n")
	for i := range rows {
		fmt.Fprintf(b, "dispatch,model.mlir,42,%d,10,1,inv=%d\n", 1_000_000+20*i, i)
	}
	return b.String()
}

// TestBounded: a table that takes too much memory is refused where it does, with what to do.
func TestBounded(t *testing.T) {
	text := longTable(30_000)
	_, err := read("long.csv", strings.NewReader(text), limits{int64(len(text)), 2 << 20})
	if err == nil {
		t.Fatal("a table of 30,000 zones takes no more than 2 MiB")
	}
	for _, part := range []string{"long.csv: line ", "2 MiB", ".tracy", "-f NAME"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v, want %q in it", err, part)
		}
	}
	table, err := read("long.csv", strings.NewReader(text), limits{int64(len(text)), mostHeld})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(table.zones); n != 30_000 {
		t.Errorf("%d zones, want 30,000", n)
	}
}

// TestRoom: the size of a file tells how many zones it has, so that they are not copied when they become more.
func TestRoom(t *testing.T) {
	text := longTable(30_000)
	for _, size := range []int{0, 1, len(text) / 2, len(text), 100 * len(text)} {
		table, err := read("long.csv", strings.NewReader(text), limits{int64(size), 4 << 20})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(table.zones); n != 30_000 {
			t.Errorf("size %d: %d zones, want 30,000", size, n)
		}
		if room := cap(table.zones); room > (4<<20)/64+4*rowsABatch {
			t.Errorf("size %d: room for %d zones, beyond the limit", size, room)
		}
		if room := cap(table.zones); size == len(text) && (room < 30_000 || room > 45_000) {
			t.Errorf("room for %d zones, want a little more than 30,000", room)
		}
	}
}
