package ttreport

import (
	"fmt"
	"strings"

	"zonemark/driver/report"
	"zonemark/driver/report/texttable"
	"zonemark/trace/ttmetal"
)

func (v *View) callTable(r *ttmetal.FileReport) *texttable.Table {
	t := &texttable.Table{Columns: []texttable.Column{
		{Title: "call", Right: true}, {Title: "op", Name: true}, {Title: "place"}, {Title: "replay", Right: true},
		{Title: timeTitle(r), Right: true}, {Title: "gap before", Right: true},
		{Title: "window", Right: true, Spare: true}, {Title: "bound", Spare: true},
		{Title: "shape", Right: true, Spare: true},
		{Title: "host", Right: true, Spare: true}, {Title: "host gap", Right: true, Spare: true},
		{Title: "compile", Right: true, Spare: true}, {Title: "cores", Right: true, Spare: true},
		{Title: "notes", Spare: true},
	}}
	shown, all := v.calls(r)
	for _, c := range shown {
		w := newWork(c, c.Rates(r.Chip))
		call, place, replay, cores := "", "", "", ""
		if c.Call >= 0 {
			call = fmt.Sprint(c.Call)
		}
		if c.Device >= 0 {
			place = placeName(c.Device)
		}
		if c.Replay >= 0 {
			replay = fmt.Sprint(c.Replay)
		}
		if c.Cores > 0 {
			cores = report.Grouped(c.Cores)
		}
		t.Add(call, opLabel(c.Op), place, replay, timeOf(c.RunNS()), timeOf(c.DeviceGapNS), timeOf(c.FWNS),
			w.Bound, report.Printable(w.Shape),
			timeOf(float64(c.HostNS)), timeOf(c.HostGapNS), timeOf(float64(c.CompileNS)), cores,
			strings.Join(callFlags(c), " "))
	}
	if all > len(shown) {
		t.Add(moreRow(t, all-len(shown))...)
	}
	return t
}
