package zonestats

import (
	"fmt"
	"strings"
	"testing"

	"zonemark/trace"
	"zonemark/trace/internal/zonetest"
	"zonemark/trace/tracycsv"
)

// TestShareOfRecursion: zones inside zones of their name and place count once in their share, in captures and in tables.
func TestShareOfRecursion(t *testing.T) {
	table, err := tracycsv.Read("table.csv", strings.NewReader("name,src_file,src_line,ns_since_start,exec_time_ns,thread\n"+
		"f,a.c,1,0,100,0\nf,a.c,1,10,80,0\ng,a.c,2,20,50,0\nf,a.c,1,30,20,0\n"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Summarize(table.Zones(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, z := range s.Zones {
		got = append(got, fmt.Sprintf("%s %d %.2f", z.Name, z.TotalNS, z.Share))
	}
	if want := "f 200 1.00, g 50 0.50"; strings.Join(got, ", ") != want || s.InsideNS != 100 {
		t.Errorf("%s of %d ns, want %s", strings.Join(got, ", "), s.InsideNS, want)
	}
}

// TestTracks: the zones of a GPU are groups of their context, and do not change the sums of threads.
func TestTracks(t *testing.T) {
	at := &trace.Location{Name: "parent"} // as zones of threads have it
	gpu := func(yield func(trace.GPUZone, error) bool) {
		for i, context := range []string{"a", "b", "a"} {
			z := trace.GPUZone{ContextName: context, Location: at, DurationNS: 10, SelfNS: 10, Unfinished: i == 2}
			if !yield(z, nil) {
				return
			}
		}
		yield(trace.GPUZone{}, zonetest.ErrCut)
	}
	s, err := Summarize(zonetest.Zones(nil, zonetest.Family()...), Options{ByName: true})
	if err != nil {
		t.Fatal(err)
	}
	zones, inside := len(s.Zones), s.InsideNS
	if err := s.AddGPU(gpu, Options{ByName: true}); err != zonetest.ErrCut {
		t.Error(err)
	}
	if len(s.Zones) != zones+2 || s.InsideNS != inside || len(s.Tracks) != 2 || s.Unfinished != 1 {
		t.Errorf("%d groups, %d ns inside, %d tracks, %d unfinished", len(s.Zones), s.InsideNS, len(s.Tracks), s.Unfinished)
	}
	if last := s.Zones[zones+1]; last.TrackName() != "b" || last.Share != 1 || last.Count != 1 {
		t.Errorf("%+v", last)
	}
	changes := Diff([]*Summary{s}, []*Summary{s}, 0.01)
	if len(changes) != len(s.Zones) {
		t.Errorf("%d changes of %d groups", len(changes), len(s.Zones))
	}
}

// TestFrames: only whole frames count.
func TestFrames(t *testing.T) {
	set := &trace.FrameSet{Name: "Frame", Continuous: true}
	frames := func(yield func(trace.Frame, error) bool) {
		for i, ns := range []int64{1000, 10, 20, 5} {
			if !yield(trace.Frame{Set: set, Index: i, DurationNS: ns, Unfinished: i == 3}, nil) {
				return
			}
		}
	}
	s, err := SummarizeFrames(frames, Options{})
	if err != nil || len(s.Zones) != 1 || s.Zones[0].Count != 2 || s.Zones[0].MedianNS() != 15 {
		t.Errorf("%v, %+v", err, s)
	}
}
