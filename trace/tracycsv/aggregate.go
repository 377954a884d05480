package tracycsv

import (
	"cmp"
	"math"
	"slices"

	"zonemark/trace"
)

// csvStatistics are the sums over the zones of one row of an aggregate table.
type rowSums struct {
	rowGroup
	count    int64
	total    int64 // ns, of the times that were asked for
	self     int64
	min, max int64
	squares  float64
	samples  []int64 // for the truncated mean
}

func (s *rowSums) add(ns, self int64, keep bool) {
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
func (s *rowSums) deviation() float64 {
	if s.count < 2 {
		return 0
	}
	mean := s.total / s.count
	squares := s.squares - 2*float64(s.total)*float64(mean) + float64(mean)*float64(mean)*float64(s.count)
	return math.Sqrt(math.Max(0, squares) / float64(s.count-1))
}

// truncated returns a percentile, interpolated between neighbours, and the integer mean of what does not exceed it, as
// tracy-csvexport computes them.
func (s *rowSums) truncated(percent float64) (percentile, mean int64) {
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
type rowGroup struct {
	location int32  // index
	name     string // given to these zones alone; empty: that of the location
}

// aggregates writes a row for each location, in our dialect for each name at a location.
func (c *tableWriter) aggregates() error {
	if err := c.header(c.columns.aggregate); err != nil {
		return err
	}
	prefixes := newLocationCache(c.tableForm)
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
func (c *tableWriter) sumUp(prefixes *locationCache) (rows []*rowSums, err error) {
	groups := map[rowGroup]*rowSums{}
	plain := make([]*rowSums, len(c.locations)) // the groups without a name; most zones have none
	keep := c.options.TruncatedMean > 0
	row := func(z *trace.RawZone) *rowSums {
		name := ""
		if c.ours && z.Extra != 0 {
			_, name, _ = c.source.Extra(z.Extra)
		}
		group := rowGroup{z.Location, name}
		row := plain[z.Location]
		if name != "" {
			row = groups[group]
		}
		if row != nil || c.skips(z, name, prefixes.of(int(z.Location))) {
			return row
		}
		row = &rowSums{rowGroup: group}
		if name == "" {
			plain[z.Location] = row
		} else {
			groups[group] = row
		}
		rows = append(rows, row)
		return row
	}
	var watched error
	watch := trace.Watcher{Call: c.options.Watch}
	err = c.source.WalkRaw(make([]trace.RawZone, 0, trace.RawBatch), func(batch []trace.RawZone) []trace.RawZone {
		if watched = watch.Seen(len(batch)); watched != nil {
			return nil
		}
		for i := range batch {
			z := &batch[i]
			if row := row(z); row != nil && (c.ours || !z.Unfinished) {
				row.add(c.time(z), z.SelfNS, keep)
			}
		}
		return batch[:0]
	})
	return rows, cmp.Or(watched, err)
}

func (c *tableWriter) aggregate(row *rowSums, p *locationFields, last float64) {
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
