package zonestats

import (
	"errors"
	"math"
	"strings"
	"testing"

	"zonemark/trace"
	"zonemark/trace/internal/zonetest"
)

func TestSummarize(t *testing.T) {
	s, err := Summarize(zonetest.Zones(nil, zonetest.Family()...), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s.InsideNS != 150 || s.Count != 4 || s.FirstNS != 0 || s.LastNS != 150 {
		t.Errorf("%d ns inside, %d zones from %d to %d", s.InsideNS, s.Count, s.FirstNS, s.LastNS)
	}
	if err := s.Sort("total"); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		name              string
		count, total, own int64
		median            float64
	}{{"parent", 2, 150, 100, 75}, {"child", 1, 30, 30, 30}, {"special", 1, 20, 20, 20}} {
		z := s.Zones[i]
		if z.Name != want.name || z.Count != want.count || z.TotalNS != want.total || z.SelfNS != want.own ||
			z.MedianNS() != want.median {
			t.Errorf("%+v; want %+v", z, want)
		}
		if math.Abs(z.Share-float64(want.total)/150) > 1e-12 {
			t.Errorf("%s has a share of %g", z.Name, z.Share)
		}
	}
}

func TestSummarizeSelf(t *testing.T) {
	s, err := Summarize(zonetest.Zones(nil, zonetest.Family()...), Options{Self: true})
	if err != nil {
		t.Fatal(err)
	}
	shares := 0.0
	for _, z := range s.Zones {
		shares += z.Share
		if z.Name == "parent" && (z.MaxNS() != 50 || z.MeanNS() != 50) {
			t.Errorf("parent: at most %d, mean %g", z.MaxNS(), z.MeanNS())
		}
	}
	if math.Abs(shares-1) > 1e-12 {
		t.Errorf("shares of self times sum to %g", shares)
	}
}

func TestSummarizeGroups(t *testing.T) {
	here, there := &trace.Location{Name: "same", File: "a.c", Line: 1},
		&trace.Location{Name: "same", File: "a.c", Line: 2}
	twin := &trace.Location{Name: "same", File: "a.c", Line: 1} // the same place, told twice
	zones := []trace.Zone{{Location: here, DurationNS: 1}, {Location: there, DurationNS: 2},
		{Location: twin, DurationNS: 3}}
	places, _ := Summarize(zonetest.Zones(nil, zones...), Options{})
	names, _ := Summarize(zonetest.Zones(nil, zones...), Options{ByName: true})
	if len(places.Zones) != 2 || len(names.Zones) != 1 || names.Zones[0].TotalNS != 6 {
		t.Errorf("%d by place, %d by name", len(places.Zones), len(names.Zones))
	}
}

func TestSummarizeKeepsWhatCameBeforeAnError(t *testing.T) {
	s, err := Summarize(zonetest.Zones(zonetest.ErrCut, zonetest.Family()[:2]...), Options{})
	if !errors.Is(err, zonetest.ErrCut) || s.Count != 2 {
		t.Errorf("%v after %d zones", err, s.Count)
	}
}

func TestSummarizeHostileTimes(t *testing.T) {
	l := &trace.Location{Name: "x"}
	s, err := Summarize(zonetest.Zones(nil, zonetest.Repeated(l, math.MaxInt64, math.MaxInt64, -3)...), Options{})
	if err != nil || s.Zones[0].TotalNS != math.MaxInt64 {
		t.Errorf("total %d, %v", s.Zones[0].TotalNS, err)
	}
}

func TestSortEveryOrder(t *testing.T) {
	for _, order := range Orders() {
		s, _ := Summarize(zonetest.Zones(nil, zonetest.Family()...), Options{})
		if err := s.Sort(order); err != nil {
			t.Error(err)
		}
		want := "parent child special"
		if order == "name" {
			want = "child parent special"
		}
		var got []string
		for _, z := range s.Zones {
			got = append(got, z.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("by %s: %v", order, got)
		}
	}
	if err := new(Summary).Sort("size"); err == nil || !strings.Contains(err.Error(), "median") {
		t.Errorf("an unknown order: %v", err)
	}
}
