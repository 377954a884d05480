package trace

import (
	"cmp"
	"math"
	"slices"
)

// csvStatistics are the sums over the zones of one row of an aggregate table.
type csvStatistics struct {
	csvGroup
	count    int64
	total    int64 // ns, of the times that were asked for
	self     int64
	min, max int64
	squares  float64
	samples  []int64 // for the truncated mean
}

func (s *csvStatistics) add(ns, self int64, keep bool) {
	if s.count == 0 {
		s.min, s.max = ns, ns
	}
	s.count++
	s.total += ns
	s.self += self
	s.min, s.max = min(s.min, ns), max(s.max, ns)
	s.squares += float64(ns) * float64(ns)
	if keep {
		s.samples = append(s.samples, ns)
	}
}

// deviation is tracy-csvexport's: around the mean that was cut to an integer.
func (s *csvStatistics) deviation() float64 {
	if s.count < 2 {
		return 0
	}
	mean := s.total / s.count
	squares := s.squares - 2*float64(s.total)*float64(mean) + float64(mean)*float64(mean)*float64(s.count)
	return math.Sqrt(math.Max(0, squares) / float64(s.count-1))
}

// truncated returns a percentile, interpolated between neighbours, and the integer mean of what does not exceed it, as tracy-csvexport computes them.
func (s *csvStatistics) truncated(percent float64) (percentile, mean int64) {
	slices.Sort(s.samples)
	index := percent / 100 * float64(len(s.samples)-1)
	low := int(index)
	high := min(low+1, len(s.samples)-1)
	limit := float64(s.samples[low]) + (float64(s.samples[high])-float64(s.samples[low]))*(index-float64(low))
	sum, count := int64(0), int64(0)
	for _, ns := range s.samples {
		if float64(ns) > limit {
			break
		}
		sum += ns
		count++
	}
	return int64(math.Round(limit)), sum / max(count, 1)
}

// csvGroup is what an aggregate row stands for.
type csvGroup struct {
	location int32  // index
	name     string // given to these zones alone; empty: that of the location
}

// aggregates writes a row for each location, in our dialect for each name at a location.
func (c *csvWriter) aggregates() error {
	if err := c.header(c.columns.aggregate); err != nil {
		return err
	}
	prefixes := newCSVPrefixes(c.csvForm)
	rows, failed := c.sumUp(&prefixes)
	last := float64(c.source.Info().LastTimeNS)
	for _, row := range rows {
		c.aggregate(row, prefixes.of(int(row.location)), last)
		if err := c.end(); err != nil {
			return err
		}
	}
	return failed
}

// sumUp returns the rows in the order of the first zone of each, and why there are no more.
func (c *csvWriter) sumUp(prefixes *csvPrefixes) (rows []*csvStatistics, err error) {
	groups := map[csvGroup]*csvStatistics{}
	plain := make([]*csvStatistics, len(c.locations)) // the groups without a name; most zones have none
	keep := c.options.TruncatedMean > 0
	row := func(z *walkedZone) *csvStatistics {
		name := ""
		if c.ours && z.extra != 0 {
			_, name, _ = c.source.extra(z.extra)
		}
		group := csvGroup{z.location, name}
		row := plain[z.location]
		if name != "" {
			row = groups[group]
		}
		if row != nil || c.skips(z, name, prefixes.of(int(z.location))) {
			return row
		}
		row = &csvStatistics{csvGroup: group}
		if name == "" {
			plain[z.location] = row
		} else {
			groups[group] = row
		}
		rows = append(rows, row)
		return row
	}
	var watched error
	watch := zoneWatch{call: c.options.Watch}
	err = c.source.walkZones(make([]walkedZone, 0, zonesABatch), func(batch []walkedZone) []walkedZone {
		if watched = watch.seen(len(batch)); watched != nil {
			return nil
		}
		for i := range batch {
			z := &batch[i]
			if row := row(z); row != nil && (c.ours || !z.unfinished) {
				row.add(c.time(z), z.self, keep)
			}
		}
		return batch[:0]
	})
	return rows, cmp.Or(watched, err)
}

func (c *csvWriter) aggregate(row *csvStatistics, p *csvPrefix, last float64) {
	if row.name == "" {
		c.raw(p.location)
	} else {
		c.text(row.name)
		c.raw(p.place)
	}
	share := 0.0
	if last > 0 {
		share = 100 * float64(row.total) / last
	}
	c.integer(row.total)
	c.fixed(share)
	c.integer(row.count)
	c.integer(row.total / row.count)
	c.integer(row.min)
	c.integer(row.max)
	c.fixed(row.deviation())
	if c.ours {
		c.integer(row.self)
		c.text(c.locations[row.location].Function)
	}
	if c.options.TruncatedMean > 0 {
		percentile, mean := row.truncated(c.options.TruncatedMean)
		c.integer(percentile)
		c.integer(mean)
	}
}
