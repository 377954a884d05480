package traceverbs

import (
	"fmt"
	"strings"

	"zonemark/driver/report"
	"zonemark/trace/ttmetal"
)

func (f *showingTT) callTable(r *ttmetal.FileReport) *report.Table {
	t := &report.Table{Columns: []report.Column{
		{Title: "call", Right: true}, {Title: "op", Name: true}, {Title: "place"}, {Title: "replay", Right: true},
		{Title: ttTimeTitle(r), Right: true}, {Title: "gap before", Right: true},
		{Title: "window", Right: true, Spare: true}, {Title: "bound", Spare: true},
		{Title: "shape", Right: true, Spare: true},
		{Title: "host", Right: true, Spare: true}, {Title: "host gap", Right: true, Spare: true},
		{Title: "compile", Right: true, Spare: true}, {Title: "cores", Right: true, Spare: true},
		{Title: "notes", Spare: true},
	}}
	shown, all := f.calls(r)
	for _, c := range shown {
		w := newTTWork(c, c.Rates(r.Chip))
		call, place, replay, cores := "", "", "", ""
		if c.Call >= 0 {
			call = fmt.Sprint(c.Call)
		}
		if c.Device >= 0 {
			place = ttPlaceName(c.Device)
		}
		if c.Replay >= 0 {
			replay = fmt.Sprint(c.Replay)
		}
		if c.Cores > 0 {
			cores = report.Grouped(c.Cores)
		}
		t.Add(call, ttOpLabel(c.Op), place, replay, ttTime(c.RunNS()), ttTime(c.DeviceGapNS), ttTime(c.FWNS),
			w.Bound, report.Printable(w.Shape),
			ttTime(float64(c.HostNS)), ttTime(c.HostGapNS), ttTime(float64(c.CompileNS)), cores,
			strings.Join(ttCallFlags(c), " "))
	}
	if all > len(shown) {
		t.Add(ttMoreRow(t, all-len(shown))...)
	}
	return t
}
