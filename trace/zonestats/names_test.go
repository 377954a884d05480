package zonestats

import (
	"fmt"
	"runtime"
	"testing"

	"zonemark/trace"
)

// TestManyNames: a capture may have hundreds of thousands of names. Each takes some hundred bytes, and is found again.
func TestManyNames(t *testing.T) {
	const names, each = 100_000, 5
	text := make([]string, names)
	for i := range text {
		text[i] = fmt.Sprintf("zone %d", i)
	}
	location := &trace.Location{Name: "all", File: "a.c", Line: 1}
	zones := func(yield func(trace.Zone, error) bool) {
		for i := range int64(names * each) {
			z := trace.Zone{Ordinal: i, Parent: -1, Location: location, DynamicName: text[i%names], StartNS: i,
				DurationNS: i / names, SelfNS: i / names}
			if !yield(z, nil) {
				return
			}
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, err := Summarize(zones, Options{})
	runtime.ReadMemStats(&after)
	if taken := (after.TotalAlloc - before.TotalAlloc) / names; taken > 400 {
		t.Errorf("%d bytes a name", taken)
	}
	if err != nil || s.Count != names*each || len(s.Zones) != names {
		t.Fatalf("%d zones of %d names, %v", s.Count, len(s.Zones), err)
	}
	if err := s.Sort("name"); err != nil {
		t.Fatal(err)
	}
	for _, g := range []*Group{s.Zones[0], s.Zones[names-1]} {
		if g.Count != each || g.MedianNS() != (each-1)/2 || g.MaxNS() != each-1 {
			t.Errorf("%s: %d zones, median %g, longest %d", g.Name, g.Count, g.MedianNS(), g.MaxNS())
		}
	}
}
