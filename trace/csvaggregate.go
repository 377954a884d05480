package trace

import (
	"math"
	"slices"
)

// csvStatistics are the sums over the zones of one row of an aggregate table.
type csvStatistics struct {
	name     string // given to these zones alone; empty: that of the location
	location *Location
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
	location *Location
	name     string
}

// aggregates writes a row for each location, in our dialect for each name at a location.
func (c *csvWriter) aggregates() error {
	if err := c.header(c.columns.aggregate); err != nil {
		return err
	}
	var rows []*csvStatistics
	groups := map[csvGroup]*csvStatistics{}
	plain := map[*Location]*csvStatistics{} // the groups without a name; most zones have none
	keep := c.options.TruncatedMean > 0
	var failed error
	for z, err := range c.source.Zones() {
		if err != nil {
			failed = err
			break
		}
		named := c.ours && z.DynamicName != ""
		var row *csvStatistics
		if named {
			row = groups[csvGroup{z.Location, z.DynamicName}]
		} else {
			row = plain[z.Location]
		}
		if row == nil {
			if c.skips(&z, c.of(z.Location)) {
				continue
			}
			row = &csvStatistics{location: z.Location}
			if named {
				row.name = z.DynamicName
				groups[csvGroup{z.Location, z.DynamicName}] = row
			} else {
				plain[z.Location] = row
			}
			rows = append(rows, row)
		}
		if z.Unfinished && !c.ours {
			continue
		}
		row.add(c.time(&z), z.SelfNS, keep)
	}
	last := float64(c.source.Info().LastTimeNS)
	for _, row := range rows {
		c.aggregate(row, last)
		if err := c.end(); err != nil {
			return err
		}
	}
	return failed
}

func (c *csvWriter) aggregate(row *csvStatistics, last float64) {
	p := c.of(row.location)
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
		c.text(row.location.Function)
	}
	if c.options.TruncatedMean > 0 {
		percentile, mean := row.truncated(c.options.TruncatedMean)
		c.integer(percentile)
		c.integer(mean)
	}
}
