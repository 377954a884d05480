package trace

import (
	"regexp"
	"testing"
)

func TestFilter(t *testing.T) {
	threads := []Thread{{ID: 1000, Name: "main"}, {ID: 2000, Name: "worker 7"}}
	for _, c := range []struct {
		name   string
		filter Filter
		want   []int64 // ordinals
	}{
		{"nothing set", Filter{}, []int64{1, 2, 0, 3}},
		{"name", Filter{Name: regexp.MustCompile("^special$")}, []int64{2}},
		{"function as name", Filter{Name: regexp.MustCompile("parent")}, []int64{0, 3}},
		{"text", Filter{Text: regexp.MustCompile(`n=\d`)}, []int64{2}},
		{"thread by name", Filter{Thread: "work"}, []int64{3}},
		{"thread by id", Filter{Thread: "2000"}, []int64{3}},
		{"thread by index", Filter{Thread: "0"}, []int64{1, 2, 0}},
		{"thread by a number in its name", Filter{Thread: "7"}, []int64{3}},
		{"from", Filter{FromNS: 70}, []int64{0, 3}},
		{"to", Filter{ToNS: 50}, []int64{1, 0}},
		{"window", Filter{FromNS: 45, ToNS: 60}, []int64{2, 0}},
		{"duration", Filter{MinDurationNS: 50}, []int64{0, 3}},
		{"levels", Filter{Levels: 1}, []int64{0, 3}},
		{"all at once", Filter{Levels: 2, MinDurationNS: 21, Thread: "main", ToNS: 90, Name: regexp.MustCompile("c")}, []int64{1}},
	} {
		match, err := c.filter.Compile(threads)
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for _, z := range family() {
			if match(&z) {
				got = append(got, z.Ordinal)
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %v", c.name, got)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %v", c.name, got)
			}
		}
	}
	if _, err := (Filter{Thread: "("}).Compile(threads); err == nil {
		t.Error("a broken expression is taken")
	}
	match, _ := Filter{Thread: "main"}.Compile(threads)
	if match(&Zone{Thread: 9, Location: &Location{}}) {
		t.Error("a thread that does not exist is selected")
	}
}
