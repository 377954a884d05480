package reportpage

import (
	"fmt"
	"slices"

	"zonemark/driver/peaks"
	"zonemark/driver/report"
	"zonemark/driver/report/drawing"
	"zonemark/invocations"
)

// nearOne is the part of the rate of one CPU that all together have at least. Else other work had some of the CPUs.
const nearOne = 0.95

// ceilings are the highest rates of a machine, by what is done. A vague rate counts only where there is no other.
type ceilings struct {
	order []string // of the keys: as they were measured
	one   map[string]*peaks.Peak
	all   map[string]*peaks.Peak // of all CPUs, without peaks below that of one CPU
}

// ceilingsOf returns the highest rates among peaks: of computing with each type, and of reading from each level.
func ceilingsOf(known []peaks.Peak) ceilings {
	c := ceilings{one: map[string]*peaks.Peak{}, all: map[string]*peaks.Peak{}}
	for i := range known {
		p := &known[i]
		if p.Moves() && p.What != "read" {
			continue
		}
		key, into := keyOf(p), c.one
		if p.CPUs > 1 {
			into = c.all
		}
		if !slices.Contains(c.order, key) {
			c.order = append(c.order, key)
		}
		if old := into[key]; old == nil || old.Vague() && !p.Vague() || old.Vague() == p.Vague() && old.PerS < p.PerS {
			into[key] = p
		}
	}
	for key, p := range c.all {
		if one := c.one[key]; one != nil && p.PerS < nearOne*one.PerS {
			delete(c.all, key)
		}
	}
	return c
}

func keyOf(p *peaks.Peak) string { return p.What + " " + p.Level }

// of returns the rate of so many threads, and whether it is vague; 0 if none is known. All CPUs are the most that any
// number of threads has, and as many as there are if their number is not known.
func (c ceilings) of(key string, threads int) (perS float64, vague bool) {
	one, all := c.one[key], c.all[key]
	switch {
	case one == nil && (all == nil || threads == 1):
		return 0, false
	case one != nil && (all == nil || threads == 1):
		return one.PerS * float64(max(1, threads)), one.Vague()
	case one == nil || threads == 0 || one.PerS*float64(threads) > all.PerS:
		return all.PerS, all.Vague()
	}
	return one.PerS * float64(threads), one.Vague()
}

// above returns the roof above a work: what its type and its threads can do, at its operations for each byte. It is 0 if
// it is not known.
func (c ceilings) above(w *work, intensity float64) (perS float64, vague bool) {
	perS, vague = c.of(keyOf(&peaks.Peak{What: string(w.element)}), w.threads)
	slope, unsure := 0.0, false
	for _, key := range c.order {
		if p := c.any(key); !p.Moves() {
			continue
		}
		if s, v := c.of(key, w.threads); s > slope {
			slope, unsure = s, v
		}
	}
	if slope > 0 && slope*intensity < perS {
		return slope * intensity, unsure
	}
	return perS, vague
}

// any returns a peak with a key.
func (c ceilings) any(key string) *peaks.Peak {
	if p := c.one[key]; p != nil {
		return p
	}
	if p := c.all[key]; p != nil {
		return p
	}
	return &peaks.Peak{}
}

// roofs returns the roofs that matter for works: reading from each level, and computing with the types that occur, for
// one CPU and, dashed, for all. Works of a type without a peak have those of float32, as a measure. They are none without
// both.
func (c ceilings) roofs(list []work) (roofs []drawing.Roof) {
	var types []string
	for _, w := range list {
		if perS, _ := c.of(keyOf(&peaks.Peak{What: string(w.element)}), w.threads); perS > 0 {
			types = append(types, string(w.element))
		}
	}
	if len(types) == 0 {
		types = []string{string(invocations.Float32)}
	}
	moves, computes := false, false
	for _, key := range c.order {
		for _, p := range []*peaks.Peak{c.one[key], c.all[key]} {
			switch {
			case p == nil, !p.Moves() && !slices.Contains(types, p.What):
				continue
			case p.Moves():
				moves = true
			default:
				computes = true
			}
			roofs = append(roofs, roofOf(p))
		}
	}
	if !moves || !computes {
		return nil
	}
	return roofs
}

// roofOf returns the roof of a peak.
func roofOf(p *peaks.Peak) drawing.Roof {
	roof := drawing.Roof{Second: p.CPUs > 1, Vague: p.Vague(), Title: peakTitle(p)}
	if p.Moves() {
		roof.Name, roof.Slope = report.Printable(p.Level), p.PerS
	} else {
		roof.Name, roof.Level = report.Printable(p.What+" "+p.Using), p.PerS
	}
	if roof.Second {
		roof.Name += fmt.Sprintf(" × %d", p.CPUs)
	}
	if roof.Vague {
		roof.Name += ", vague"
	}
	return roof
}
