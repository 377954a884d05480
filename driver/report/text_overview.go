package report

import (
	"slices"

	"zonemark/invocations"
)

// overview tells which parts of the text report have something to show. It is made in one pass over the records, since
// reading a packed record takes time.
type overview struct {
	statuses            []invocations.Status // in order of display; those of a later zonemark come last
	count               map[invocations.Status]int
	measured            int                          // records with a time, or with counts of an emulator
	untimed             map[invocations.Status][]int // places of records without a time
	dispatched, counted []int                        // places of records with dispatches, and with counts of an emulator
	noted               []int                        // places of records with notes
}

func overviewOf(records *invocations.Records) *overview {
	o := &overview{
		statuses: slices.Clone(invocations.Statuses[:]),
		count:    map[invocations.Status]int{}, untimed: map[invocations.Status][]int{},
	}
	for i, r := range records.All() {
		if o.count[r.Status]++; !slices.Contains(o.statuses, r.Status) {
			o.statuses = append(o.statuses, r.Status)
		}
		if r.Timed() || r.HexagonPackets != nil {
			o.measured++
		}
		if r.Status != invocations.OK || !r.Timed() && r.HexagonPackets == nil {
			o.untimed[r.Status] = append(o.untimed[r.Status], i)
		}
		if r.Status == invocations.OK && r.HexagonPackets != nil {
			o.counted = append(o.counted, i)
		}
		if r.DispatchSource != invocations.NoSource && r.TracedNS != nil {
			o.dispatched = append(o.dispatched, i)
		}
		if len(r.Notes) > 0 {
			o.noted = append(o.noted, i)
		}
	}
	return o
}
