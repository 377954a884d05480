package trace

import (
	"iter"
)

// Plot is a series of values over time.
type Plot struct {
	Name       string
	Kind       PlotKind
	Min, Max   float64
	Sum        float64
	PointCount int64
}

// PlotKind says where the values of a plot come from (PlotType in Tracy's TracyEvent.hpp).
type PlotKind uint8

// Kinds of plots. Tracy does not store PlotMemory.
const (
	PlotUser PlotKind = iota
	PlotMemory
	PlotCPUUsage
	PlotPower
)

// PlotPoint is one value.
type PlotPoint struct {
	Plot   *Plot
	TimeNS int64
	Value  float64
}

// Plots iterates over the points of all plots, plot by plot. An error ends the iteration. The first call passes over
// all zones to find them.
func (f *File) Plots() iter.Seq2[PlotPoint, error] {
	return func(yield func(PlotPoint, error) bool) {
		c := f.afterZones()
		defer c.close()
		f.gpu(c, nil)
		if f.plots(c, yield) && c.err != nil {
			yield(PlotPoint{}, c.err)
		}
	}
}

// plots reads the plots. It returns false when the caller has had enough.
func (f *File) plots(c *cursor, yield func(PlotPoint, error) bool) bool {
	if c.err == nil {
		c.section = "plots"
	}
	for n := c.count(1 + 1 + 1 + 1 + 4 + 8 + 8 + 8 + 8 + 8); n > 0 && c.err == nil; n-- {
		plot := &Plot{Kind: PlotKind(c.u8())}
		c.skip(1 + 1 + 1 + 4) // format, steps, fill, colour
		plot.Name = f.pointers[c.u64()]
		if plot.Name == "" && plot.Kind == PlotCPUUsage {
			plot.Name = "CPU usage"
		}
		plot.Min, plot.Max, plot.Sum = c.f64(), c.f64(), c.f64()
		plot.PointCount = c.count(16)
		now := int64(0)
		for range plot.PointCount {
			now += c.i64()
			value := c.f64()
			if c.err != nil {
				break
			}
			if !yield(PlotPoint{plot, now, value}, nil) {
				return false
			}
		}
	}
	return true
}
