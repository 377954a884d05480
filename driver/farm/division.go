// Package farm divides plans into shards that several machines measure, as arrays of jobs, and merges their journals.
// It knows no runtime and starts nothing.
package farm

import (
	"cmp"
	"container/heap"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"time"

	"zonemark/driver/combine"
	"zonemark/invocations"
)

// MostShards bounds the number of shards.
const MostShards = 1_000_000

// Divider collects what dividing a plan takes: some 40 bytes for each invocation, since there may be a million.
type Divider struct {
	costs  *Costs // of an earlier run; nil: nothing is known
	ids    []uint64
	unit   []int32          // of each invocation
	groups map[string]int32 // their units
	units  []unit

	spent, foreseen time.Duration // what the invocations with known costs took, and what was expected of them
}

// unit is what stays together: a group, or a single invocation.
type unit struct {
	known, expected time.Duration // costs of invocations that costs knows, and of others by their limits
	first           int32         // place of the first invocation
}

// NewDivider returns a divider without invocations, with room for so many. Costs may be nil.
func NewDivider(invocations int, costs *Costs) *Divider {
	return &Divider{costs: costs, groups: map[string]int32{},
		ids: make([]uint64, 0, invocations), unit: make([]int32, 0, invocations), units: make([]unit, 0, invocations)}
}

// Add appends an invocation of the plan, whose id as a number is given, too. Invocations of one group stay together,
// since they are compared with each other.
func (d *Divider) Add(id uint64, inv *invocations.Invocation) {
	at, known := d.groups[inv.Group]
	if !known || inv.Group == "" {
		at = int32(len(d.units))
		d.units = append(d.units, unit{first: int32(len(d.ids))})
		if inv.Group != "" {
			d.groups[inv.Group] = at
		}
	}
	expected := combine.Expected(&inv.Measure)
	if cost, known := d.costs.Of(id, inv.Name); known {
		d.units[at].known += cost
		d.spent, d.foreseen = d.spent+cost, d.foreseen+expected
	} else {
		d.units[at].expected += expected
	}
	d.ids, d.unit = append(d.ids, id), append(d.unit, at)
}

// settle makes the cost of each unit that of all its invocations. Costs that were expected are scaled as those are that
// are known.
func (d *Divider) settle() {
	scale := 1.0
	if d.foreseen > 0 {
		scale = float64(d.spent) / float64(d.foreseen)
	}
	for i := range d.units {
		u := &d.units[i]
		u.known, u.expected = u.known+time.Duration(float64(u.expected)*scale), 0
	}
}

// Division tells which shard measures which invocation of a plan.
type Division struct {
	Parts []Part

	of   []int32 // shard of each invocation
	plan string
	hash string
}

// Part is what one shard measures.
type Part struct {
	Invocations int
	Cost        time.Duration // expected
}

// Divide divides the plan into count shards of nearly equal cost. It gives the unit that costs most to the shard that
// has least so far, and so on. Units of equal cost come in the order of their ids, which are random: otherwise, if an
// axis of a suite has as many values as there are shards, one shard would have all of the slowest. The result depends
// on nothing but what was added, also on another processor. The divider cannot be used afterwards.
func (d *Divider) Divide(count int) (*Division, error) {
	d.settle()
	units := len(d.units)
	if count > units {
		return nil, tooMany(count, len(d.ids), units)
	}
	order := make([]int32, units)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		left, right := &d.units[a], &d.units[b]
		return cmp.Or(cmp.Compare(right.known, left.known), cmp.Compare(d.ids[left.first], d.ids[right.first]))
	})
	loads := make(loadHeap, count)
	for i := range loads {
		loads[i].shard = int32(i)
	}
	shards := make([]int32, units)
	for _, unit := range order {
		least := &loads[0]
		shards[unit] = least.shard
		least.cost += d.units[unit].known
		least.units++
		heap.Fix(&loads, 0)
	}
	return d.division(shards, loads), nil
}

func tooMany(count, invocations, units int) error {
	if invocations == units {
		return fmt.Errorf("%d shards are too many: there are %d invocations", count, invocations)
	}
	return fmt.Errorf("%d shards are too many: there are %d invocations, and those of a group stay together: "+
		"at most %d shards", count, invocations, units)
}

// division makes the result of the shards of the units.
func (d *Divider) division(shards []int32, loads loadHeap) *Division {
	out := &Division{Parts: make([]Part, len(loads)), of: d.unit}
	for _, load := range loads {
		out.Parts[load.shard].Cost = load.cost
	}
	plan, division := newHash(), newHash()
	for i, unit := range d.unit {
		shard := shards[unit]
		out.of[i] = shard
		out.Parts[shard].Invocations++
		plan.add(d.ids[i])
		division.add(uint64(shard))
	}
	out.plan, out.hash = plan.text(), division.text()
	*d = Divider{}
	return out
}

// Of returns the shard of the invocation at a place in the plan.
func (d *Division) Of(place int) int { return int(d.of[place]) }

// Shard describes a shard for the header of its journal.
func (d *Division) Shard(index int) invocations.Shard {
	return invocations.Shard{Index: index, Count: len(d.Parts), Invocations: d.Parts[index].Invocations,
		Of: len(d.of), Plan: d.plan, Division: d.hash}
}

// String says how many invocations the shards have, and how long the longest one takes.
func (d *Division) String() string {
	least, most, longest := d.Parts[0].Invocations, 0, time.Duration(0)
	for _, p := range d.Parts {
		least, most, longest = min(least, p.Invocations), max(most, p.Invocations), max(longest, p.Cost)
	}
	each := fmt.Sprint(least)
	if most > least {
		each += " to " + fmt.Sprint(most)
	}
	return fmt.Sprintf("%d shards with %s of %d invocations each; the longest takes about %s", len(d.Parts), each,
		len(d.of), roughly(longest))
}

// Share says what a shard has to do.
func (d *Division) Share(index int) string {
	return fmt.Sprintf("shard %d takes about %s: %d of %d invocations", index, roughly(d.Parts[index].Cost),
		d.Parts[index].Invocations, len(d.of))
}

// roughly returns an expected time: in whole seconds, from a minute on in whole minutes.
func roughly(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(time.Second).String()
	case d < time.Hour:
		return fmt.Sprintf("%dm", d.Round(time.Minute)/time.Minute)
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}

// load is what a shard has so far.
type load struct {
	cost         time.Duration
	units, shard int32
}

// loadHeap is a heap with the least load on top.
type loadHeap []load

func (h loadHeap) Len() int { return len(h) }
func (h loadHeap) Less(i, j int) bool {
	a, b := h[i], h[j]
	return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.units, b.units), cmp.Compare(a.shard, b.shard)) < 0
}
func (h loadHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *loadHeap) Push(any)     { panic("the number of shards does not change") }
func (h *loadHeap) Pop() any     { panic("the number of shards does not change") }

// listHash hashes a list of numbers.
type listHash struct {
	hash.Hash
	buffer []byte
}

func newHash() *listHash { return &listHash{Hash: sha256.New()} }

func (h *listHash) add(n uint64) {
	h.buffer = binary.BigEndian.AppendUint64(h.buffer, n)
	if len(h.buffer) >= 1<<12 {
		h.flush()
	}
}

func (h *listHash) flush() {
	_, _ = h.Write(h.buffer) // a hash takes everything
	h.buffer = h.buffer[:0]
}

// text returns the first 128 bits of the hash.
func (h *listHash) text() string {
	h.flush()
	return hex.EncodeToString(h.Sum(nil)[:16])
}
