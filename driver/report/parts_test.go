package report

import (
	"strings"
	"testing"
)

// A folder that sources share is said once, below the table, and not in each row.
func TestWritePartsSources(t *testing.T) {
	const column, below = "  source", "sources are in "
	for _, c := range []struct {
		name   string
		places []string
		width  int
		want   []string // texts of the output
		not    []string
	}{
		{"one folder", []string{"/home/u/model/a.mlir:3", "/home/u/model/b.mlir:7", ""}, 0,
			[]string{" a.mlir:3\n", " b.mlir:7\n", below + "/home/u/model/\n"}, []string{"/home/u/model/a"}},
		{"one file", []string{"/m/a.mlir:3", "/m/a.mlir:31"}, 0, []string{" a.mlir:3\n", " a.mlir:31\n", below + "/m/\n"}, nil},
		{"folders in a folder", []string{"/m/x/a.mlir:3", "/m/y/a.mlir:3"}, 0, []string{" x/a.mlir:3\n", " y/a.mlir:3\n", below + "/m/\n"}, nil},
		{"folders with one beginning", []string{"/m/model/a:1", "/m/models/a:1"}, 0, []string{" model/a:1\n", " models/a:1\n"}, nil},
		{"other places", []string{"/m/a:1", "/n/a:1"}, 0, []string{" /m/a:1\n", " /n/a:1\n"}, []string{below}},
		{"Windows", []string{`C:\m\a:1`, `C:\m\b:1`}, 0, []string{" a:1\n", below + `C:\m\` + "\n"}, nil},
		{"no folder", []string{"a:1", "b:1"}, 0, []string{" a:1\n"}, []string{below}},
		{"a single dispatch", []string{"/m/a.mlir:3", ""}, 0, []string{" a.mlir:3\n", below + "/m/\n"}, []string{" /m/a"}},
		{"a single node", []string{"/layer1/conv", ""}, 0, []string{" /layer1/conv\n"}, []string{below}},
		{"no room", []string{"/home/u/model/a.mlir:3", "/home/u/model/b.mlir:7"}, 30, nil, []string{column, below}},
	} {
		var parts []Part
		for i, place := range c.places {
			parts = append(parts, Part{Name: strings.Repeat("d", i+1), NS: 10, Place: place,
				InFile: strings.Contains(place, ":")})
		}
		var b strings.Builder
		if err := WriteParts(&b, parts, c.width); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, b.String())
			}
		}
		for _, not := range c.not {
			if strings.Contains(b.String(), not) {
				t.Errorf("%s: %q in\n%s", c.name, not, b.String())
			}
		}
	}
}
