package journal

import (
	"encoding/json"

	"zonemark/driver/journal/shortlines"
	"zonemark/invocations"
)

// mostCommons is the greatest number of lines with what results have in common. Results that have something else are
// written whole.
const mostCommons = 256

// shared are the kinds of what results may have in common, and up to how many lines new ones of a kind are written.
// Beyond that, notes, counts, counters or arguments seem to differ from one result to the next, and stay in the results.
var shared = [...]struct {
	of   shortlines.Shared
	most int
}{
	{shortlines.Shared{Arguments: true, Counters: true, Counts: true, Notes: true}, 32},
	{shortlines.Shared{Arguments: true, Counters: true, Counts: true}, 64},
	{shortlines.Shared{Arguments: true, Counters: true}, 96},
	{shortlines.Shared{Arguments: true}, 128},
	{shortlines.Shared{}, mostCommons},
}

// commons are the lines with what results have in common that a run has written, by their JSON without a number.
type commons map[string]int

// shorten returns a result as its line shall be, and the line with what it has in common with others if that must be
// written before it. The line is nil if there is one already, or if the result is whole.
func (known commons) shorten(r *invocations.Record) (shortlines.Line, *invocations.Common, error) {
	whole := shortlines.WholeLine(r)
	for _, kind := range shared {
		common := shortlines.CommonOf(r, kind.of)
		key, err := json.Marshal(common)
		if err != nil {
			return whole, nil, err
		}
		number, written := known[string(key)]
		if !written {
			if len(known) >= kind.most {
				continue
			}
			number = len(known) + 1
		}
		common.Number = number
		short, ok := shortlines.Shorten(r, common)
		switch {
		case !ok:
			return whole, nil, nil
		case written:
			return short, nil, nil
		}
		return short, &common, nil
	}
	return whole, nil, nil
}

// add tells that a line was written.
func (known commons) add(c invocations.Common) error {
	number := c.Number
	c.Number = 0
	key, err := json.Marshal(c)
	if err == nil {
		known[string(key)] = number
	}
	return err
}
