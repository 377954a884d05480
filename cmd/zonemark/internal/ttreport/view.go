// Package ttreport shows reports of tt-metal's profiler: as tables for people, as rows for programs, and as a page for a
// browser. It reads no files and knows no flags.
package ttreport

import (
	"cmp"
	"regexp"
	"slices"

	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/trace/ttmetal"
)

// What a row stands for.
const (
	ByOp       = "op"
	ByShape    = "shape"
	byCategory = "category"
	byRange    = "range"
	byDevice   = "device"
	ByCall     = "call"
)

// Bys returns the words for what a row stands for.
func Bys() []string { return []string{ByOp, ByShape, byCategory, byRange, byDevice, ByCall} }

// The orders of rows.
const (
	OrderDevice = "device"
	orderHost   = "host"
	orderGap    = "gap"
	OrderMedian = "median"
	OrderCalls  = "calls"
	orderName   = "name"
)

// Orders returns the words for the orders of rows.
func Orders() []string {
	return []string{OrderDevice, orderHost, orderGap, OrderMedian, OrderCalls, orderName}
}

// View is what is shown of reports.
type View struct {
	By    string         // what a row stands for, one of Bys
	Order string         // of rows, one of Orders; empty: as they are in the report
	Name  *regexp.Regexp // of the rows that are shown; nil: all
	Limit int64          // of the rows of a report; 0: none
}

// groups are the ops of a report, or what else its calls are put together by, that are to be shown, and how many there
// are without the limit.
func (v *View) groups(r *ttmetal.FileReport) (shown []*ttmetal.OpTotals, all int) {
	list := r.Ops
	switch v.By {
	case ByShape:
		list = r.Shapes()
	case byCategory:
		list = r.Categories()
	case byRange:
		list = r.Ranges()
	}
	for _, o := range list {
		if v.Name == nil || v.Name.MatchString(o.Op) {
			shown = append(shown, o)
		}
	}
	slices.SortStableFunc(shown, func(a, b *ttmetal.OpTotals) int {
		switch v.Order {
		case orderHost:
			return cmp.Compare(b.HostNS, a.HostNS)
		case orderGap:
			return cmp.Compare(b.DeviceGapNS, a.DeviceGapNS)
		case OrderMedian:
			return cmp.Compare(b.Runs.Quantile(0.5), a.Runs.Quantile(0.5))
		case OrderCalls:
			return cmp.Compare(b.Calls, a.Calls)
		case orderName:
			return cmp.Compare(a.Op, b.Op)
		case OrderDevice:
			return cmp.Compare(b.RunNS, a.RunNS)
		}
		return 0 // as they are
	})
	return rowtext.Limited(shown, v.Limit), len(shown)
}

// calls are the single calls of a report to be shown, and how many there are without the limit.
func (v *View) calls(r *ttmetal.FileReport) (shown []*ttmetal.Call, all int) {
	for i := range r.Calls {
		if c := &r.Calls[i]; v.Name == nil || v.Name.MatchString(c.Op) {
			shown = append(shown, c)
		}
	}
	if v.Order != "" {
		slices.SortStableFunc(shown, func(a, b *ttmetal.Call) int {
			switch v.Order {
			case orderHost:
				return cmp.Compare(b.HostNS, a.HostNS)
			case orderGap:
				return cmp.Compare(b.DeviceGapNS, a.DeviceGapNS)
			case orderName:
				return cmp.Compare(a.Op, b.Op)
			}
			return cmp.Compare(b.RunNS(), a.RunNS())
		})
	}
	return rowtext.Limited(shown, v.Limit), len(shown)
}
