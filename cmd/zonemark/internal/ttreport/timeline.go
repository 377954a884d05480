package ttreport

import (
	"cmp"
	"fmt"
	"slices"

	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/report"
	"zonemark/driver/report/drawing"
	"zonemark/trace/ttmetal"
)

// mostSpans is the number of calls in the timelines of a page.
const mostSpans = 20_000

// placedCall is a call of a device with its place in time.
type placedCall struct {
	device  int64
	op      string
	from    float64 // ns after the device's first op began
	lasting float64 // ns
}

// timeline returns the calls of each device on its own clock, at most so many: the longest. ok is false if no call
// has a place.
func timeline(r *ttmetal.FileReport, most int) (t drawing.Timeline, ok bool) {
	placed := placedCalls(r)
	if len(placed) == 0 {
		return t, false
	}
	t.Title = "Ops over time"
	t.Note = "Each device has its own clock, which begins with its first op. Drag, pinch, Ctrl with the wheel, or the " +
		"keys + − ← → move and zoom."
	if len(placed) > most {
		t.Note += fmt.Sprintf(" Only the %s longest of %s calls are drawn.", report.Grouped(int64(most)),
			report.Grouped(int64(len(placed))))
		slices.SortStableFunc(placed, func(a, b placedCall) int { return cmp.Compare(b.lasting, a.lasting) })
		placed = placed[:most]
	}
	slices.SortStableFunc(placed, func(a, b placedCall) int {
		return cmp.Or(cmp.Compare(a.device, b.device), cmp.Compare(a.from, b.from))
	})
	position := map[string]int{}
	for i, p := range placed {
		if i == 0 || p.device != placed[i-1].device {
			t.Lanes = append(t.Lanes, drawing.Lane{Title: placeName(p.device)})
		}
		name := opLabel(p.op)
		if _, known := position[name]; !known {
			position[name] = len(t.Names)
			t.Names = append(t.Names, name)
		}
		lane := &t.Lanes[len(t.Lanes)-1]
		lane.Spans = append(lane.Spans, [3]float64{float64(position[name]), p.from, p.lasting})
		t.Span = max(t.Span, p.from+p.lasting)
	}
	t.FoldGaps()
	if len(t.Folds) > 0 {
		t.Note += " Gaps in which no device ran are shortened: the grey bands."
	}
	return t, t.Span > 0
}

// placedCalls returns the calls whose places are known, of devices whose clock is known.
func placedCalls(r *ttmetal.FileReport) (placed []placedCall) {
	for _, d := range rowtext.Limited(r.Devices, mostDevices) {
		if !d.Placed {
			continue
		}
		var calls []*ttmetal.Call
		for i := range r.Calls {
			if c := &r.Calls[i]; c.Device == d.Device && c.FWNS >= 0 && c.FWEndCycle >= c.FWStartCycle {
				calls = append(calls, c)
			}
		}
		first := slices.MinFunc(calls, func(a, b *ttmetal.Call) int { return cmp.Compare(a.FWStartCycle, b.FWStartCycle) })
		ns := func(cycles int64) float64 { return float64(cycles) / d.MHz * 1000 }
		for _, c := range calls {
			placed = append(placed, placedCall{d.Device, c.Op, ns(c.FWStartCycle - first.FWStartCycle),
				ns(c.FWEndCycle - c.FWStartCycle)})
		}
	}
	return placed
}
