package trace_test

import (
	"regexp"
	"testing"

	"zonemark/trace"
	"zonemark/trace/internal/zonetest"
)

func TestFilter(t *testing.T) {
	threads := []trace.Thread{{ID: 1000, Name: "main"}, {ID: 2000, Name: "worker 7"}}
	for _, c := range []struct {
		name   string
		filter trace.Filter
		want   []int64 // ordinals
	}{
		{"nothing set", trace.Filter{}, []int64{1, 2, 0, 3}},
		{"name", trace.Filter{Name: regexp.MustCompile("^special$")}, []int64{2}},
		{"function as name", trace.Filter{Name: regexp.MustCompile("parent")}, []int64{0, 3}},
		{"text", trace.Filter{Text: regexp.MustCompile(`n=\d`)}, []int64{2}},
		{"thread by name", trace.Filter{Thread: "work"}, []int64{3}},
		{"thread by id", trace.Filter{Thread: "2000"}, []int64{3}},
		{"thread by index", trace.Filter{Thread: "0"}, []int64{1, 2, 0}},
		{"thread by a number in its name", trace.Filter{Thread: "7"}, []int64{3}},
		{"from", trace.Filter{FromNS: 70}, []int64{0, 3}},
		{"to", trace.Filter{ToNS: 50}, []int64{1, 0}},
		{"window", trace.Filter{FromNS: 45, ToNS: 60}, []int64{2, 0}},
		{"duration", trace.Filter{MinDurationNS: 50}, []int64{0, 3}},
		{"levels", trace.Filter{Levels: 1}, []int64{0, 3}},
		{"all at once", trace.Filter{Levels: 2, MinDurationNS: 21, Thread: "main", ToNS: 90,
			Name: regexp.MustCompile("c")}, []int64{1}},
	} {
		match, err := c.filter.Compile(threads)
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for _, z := range zonetest.Family() {
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
	if _, err := (trace.Filter{Thread: "("}).Compile(threads); err == nil {
		t.Error("a broken expression is taken")
	}
	match, _ := trace.Filter{Thread: "main"}.Compile(threads)
	if match(&trace.Zone{Thread: 9, Location: &trace.Location{}}) {
		t.Error("a thread that does not exist is selected")
	}
}

// TestFilterRaw: the raw zones of captures are selected as their zones are.
func TestFilterRaw(t *testing.T) {
	for _, path := range []string{"testdata/small_0140.tracy", "testdata/iree_mlp_local-task.tracy"} {
		f := zonetest.Open(t, path)
		for _, filter := range []trace.Filter{
			{}, {Name: regexp.MustCompile("dispatch_1|mat")}, {Name: regexp.MustCompile("^$")}, {Text: regexp.MustCompile("^$")},
			{Text: regexp.MustCompile("[0-9]"), Name: regexp.MustCompile("e")}, {Levels: 2, MinDurationNS: 1000},
			{FromNS: f.Info().LastTimeNS / 3, ToNS: f.Info().LastTimeNS / 2}, {Thread: "1"},
		} {
			match, err := filter.Compile(f.Threads())
			if err != nil {
				t.Fatal(err)
			}
			raw, err := filter.CompileRaw(f)
			if err != nil {
				t.Fatal(err)
			}
			all, selected := 0, 0
			err = f.WalkRaw(make([]trace.RawZone, 0, trace.RawBatch), func(batch []trace.RawZone) []trace.RawZone {
				for i := range batch {
					z := f.Resolve(&batch[i])
					if raw(&batch[i]) != match(&z) {
						t.Fatalf("%s: %+v: raw %v, %+v", path, filter, raw(&batch[i]), z)
					}
					if all++; match(&z) {
						selected++
					}
				}
				return batch[:0]
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s: %+v: %d of %d", path, filter, selected, all)
		}
	}
	if _, err := (trace.Filter{Thread: "("}).CompileRaw(zonetest.Open(t, "testdata/small_0140.tracy")); err == nil {
		t.Error("a broken expression is taken")
	}
}
