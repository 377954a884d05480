package tracycsv

import (
	"cmp"
	"math"
	"slices"

	"zonemark/trace"
)

// rowSums are the sums over the zones of one row of an aggregate table.
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

// rowGroup is what an aggregate row stands for.
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
	f := rowFinder{tableWriter: c, prefixes: prefixes, plain: make([]*rowSums, len(c.locations)),
		named: map[rowGroup]*rowSums{}}
	keep, self, ours := c.options.TruncatedMean > 0, c.options.Self, c.ours
	var watched error
	watch := trace.Watcher{Call: c.options.Watch}
	err = c.source.WalkRaw(make([]trace.RawZone, 0, trace.RawBatch), func(batch []trace.RawZone) []trace.RawZone {
		if watched = watch.Seen(len(batch)); watched != nil {
			return nil
		}
		for i := range batch {
			z := &batch[i]
			row := f.plain[z.Location]
			if row == nil || ours && z.Extra != 0 {
				if row = f.of(z); row == nil {
					continue
				}
			}
			if z.Unfinished && !ours {
				continue
			}
			ns := z.DurationNS
			if self {
				ns = z.SelfNS
			}
			row.add(ns, z.SelfNS, keep)
		}
		return batch[:0]
	})
	return f.rows, cmp.Or(watched, err)
}

// rowFinder finds the rows of zones, and makes those that are not there yet.
type rowFinder struct {
	*tableWriter
	prefixes *locationCache
	rows     []*rowSums
	plain    []*rowSums // by location: of the zones without a name, which most are
	named    map[rowGroup]*rowSums
}

// of returns the row of a zone; nil if the zone is left out.
func (f *rowFinder) of(z *trace.RawZone) *rowSums {
	group := rowGroup{location: z.Location}
	if f.ours && z.Extra != 0 {
		_, group.name, _ = f.source.Extra(z.Extra)
	}
	row := f.plain[z.Location]
	if group.name != "" {
		row = f.named[group]
	}
	if row != nil || f.skips(z, group.name, f.prefixes.of(int(z.Location))) {
		return row
	}
	row = &rowSums{rowGroup: group}
	if group.name == "" {
		f.plain[z.Location] = row
	} else {
		f.named[group] = row
	}
	f.rows = append(f.rows, row)
	return row
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
