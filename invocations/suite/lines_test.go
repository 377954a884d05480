package suite

import "testing"

// TestKeyLines checks the lines of keys among strings and comments that contain brackets, quotes and newlines.
func TestKeyLines(t *testing.T) {
	text := "\ufeff# a = 1 [not] a header\r\n" + // line 1
		"a.\"b.c\".d = 1 # [x]\r\n" + // 2
		"s = \"\"\"\n[[t]]\ny = 1\\\"\"\"\"\"\n" + // 3 to 5: ends in an escaped quote, two quotes and the delimiter
		"l = '''\n]''\n'''\n" + // 6 to 8
		"q = \"]#\\\" = {\"\n" + // 9
		"v = [ # ]\n  {k = 1},\n  {k = [2,\n3]},\n]\n" + // 10 to 14
		"[[t]]\n  w.x = 1\n[t.u]\nz = 2\n" + // 15 to 18
		"[[ t ]]\n\"\\u0041\" = 3\n[[t.n]]\n[[t.n]]\nz = 1979-05-27 07:32:00\n" // 19 to 23
	k := locateKeys(text)
	var root keyPath
	tt := root.key("t")
	for _, c := range []struct {
		name string
		path keyPath
		want int
	}{
		{"dotted and quoted", root.key("a").key("b.c").key("d"), 2},
		{"after a comment", root.key("s"), 3},
		{"after a long string", root.key("l"), 6},
		{"after a long literal", root.key("q"), 9},
		{"array", root.key("v"), 10},
		{"first element", root.key("v").index(0).key("k"), 11},
		{"second element", root.key("v").index(1).key("k"), 12},
		{"element of an element", root.key("v").index(1).key("k").index(1), 13},
		{"array of tables", tt, 15},
		{"first table", tt.index(0).key("w").key("x"), 16},
		{"its table", tt.index(0).key("u"), 17},
		{"key in it", tt.index(0).key("u").key("z"), 18},
		{"second table", tt.index(1), 19},
		{"escaped key", tt.index(1).key("A"), 20},
		{"second inner table", tt.index(1).key("n").index(1).key("z"), 23},
		{"unknown key takes its table's place", tt.index(1).key("n").index(0).key("none"), 21},
		{"unknown key at the top", root.key("none"), 0},
	} {
		if got := k.line(c.path); got != c.want {
			t.Errorf("%s: line %d, want %d", c.name, got, c.want)
		}
	}
}
