package farm

import (
	"context"
	"hash/fnv"
	"io"
	"math"
	"strconv"
	"time"

	"zonemark/driver/combine"
	"zonemark/driver/journal"
	"zonemark/invocations"
)

// Costs are what invocations cost in an earlier run. Nil knows none.
type Costs struct {
	byID   map[uint64]time.Duration
	byName map[uint64]time.Duration // by a hash, since names are long and many
}

// ReadCosts reads what invocations cost in the run that a journal keeps.
func ReadCosts(ctx context.Context, path string) (*Costs, error) {
	c := &Costs{byID: map[uint64]time.Duration{}, byName: map[uint64]time.Duration{}}
	_, err := journal.Reading{Figures: true, Each: func(_ int, r *invocations.Record) error {
		if cost, known := spent(r); known {
			c.byName[nameKey(r.Name)] = cost
			if id, err := strconv.ParseUint(r.ID, 16, 64); err == nil {
				c.byID[id] = cost
			}
		}
		return nil
	}}.File(ctx, path)
	return c, err
}

func nameKey(name string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, name) // a hash takes everything
	return h.Sum64()
}

// spent returns what a result has cost. Journals of versions that did not keep it tell the time of the calls.
func spent(r *invocations.Record) (time.Duration, bool) {
	if r.SpentNS != nil {
		return duration(*r.SpentNS)
	}
	if r.Iterations == nil || r.MeanNS == nil {
		return 0, false
	}
	launches := 1
	if r.Merged != nil {
		launches = *r.Merged
	}
	ns, valid := duration(float64(*r.Iterations) * *r.MeanNS)
	return ns + time.Duration(launches)*combine.LaunchCost, valid
}

// duration converts nanoseconds unless they are negative or longer than a century.
func duration(ns float64) (time.Duration, bool) {
	const century = float64(100 * 365 * 24 * time.Hour)
	if !(ns >= 0 && ns <= century) {
		return 0, false
	}
	return time.Duration(math.Round(ns)), true
}

// Of returns the cost of an invocation: that of the result with its id, else of one with its name. Without either,
// known is false.
func (c *Costs) Of(id uint64, name string) (cost time.Duration, known bool) {
	if c == nil {
		return 0, false
	}
	if cost, known = c.byID[id]; !known {
		cost, known = c.byName[nameKey(name)]
	}
	return cost, known
}
