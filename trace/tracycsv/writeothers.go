package tracycsv

import (
	"zonemark/trace"
)

// messages writes a row for each message.
func (c *tableWriter) messages() error {
	if err := c.header(c.columns.messages); err != nil {
		return err
	}
	for m, err := range c.source.Messages() {
		if err != nil {
			return err
		}
		if c.ours {
			thread := c.thread(m.Thread)
			c.integer(m.TimeNS)
			c.unsigned(thread.ID)
			c.integer(int64(m.Thread))
			c.text(thread.Name)
			c.unsigned(uint64(m.Color))
			c.text(m.Text)
		} else {
			c.text(m.Text)
			c.integer(m.TimeNS)
		}
		if err := c.end(); err != nil {
			return err
		}
	}
	return nil
}

// gpu writes a row for each GPU zone.
func (c *tableWriter) gpu() error {
	if err := c.header(c.columns.gpu); err != nil {
		return err
	}
	return c.eachGPU(func(z *trace.GPUZone, p *locationFields) {
		if !c.ours {
			c.text(z.Location.Label())
			c.text(z.Location.File)
			c.integer(z.StartNS)
			c.integer(z.DurationNS)
			return
		}
		c.raw(p.location)
		c.integer(z.StartNS)
		c.integer(z.DurationNS)
		c.unsigned(c.thread(z.Thread).ID)
		c.integer(int64(z.Thread))
		c.integer(int64(z.Context))
		c.text(z.ContextName)
		c.integer(z.CPUStartNS)
		c.integer(z.CPUEndNS)
		c.integer(int64(z.Depth))
		c.text(z.Location.Function)
	})
}

// ttGPU appends the GPU zones to the others, as Tenstorrent's fork does.
func (c *tableWriter) ttGPU() error {
	return c.eachGPU(func(z *trace.GPUZone, p *locationFields) {
		c.raw(p.location)
		c.empty()
		c.empty()
		c.integer(z.StartNS)
		c.integer(z.DurationNS)
		c.integer(int64(z.Thread))
		c.empty()
	})
}

func (c *tableWriter) eachGPU(row func(*trace.GPUZone, *locationFields)) error {
	prefixes := newLocationCache(c.tableForm)
	index := make(map[*trace.Location]int, len(c.locations))
	for i := range c.locations {
		index[&c.locations[i]] = i
	}
	for z, err := range c.source.GPUZones() {
		if err != nil {
			return err
		}
		p := prefixes.of(index[z.Location])
		if !p.selected || !c.ours && z.Unfinished {
			continue
		}
		row(&z, p)
		if err := c.end(); err != nil {
			return err
		}
	}
	return nil
}

// plots writes a row for each point: in the exporter's dialects with the time in the column of the start and the value
// in the seventh.
func (c *tableWriter) plots() error {
	for point, err := range c.source.Plots() {
		if err != nil {
			return err
		}
		name := point.Plot.Name
		if point.Plot.Kind == trace.PlotCPUUsage {
			name = "CPU usage"
		}
		c.text(name)
		if c.ours {
			c.integer(point.TimeNS)
			c.number(point.Value)
		} else {
			c.plotFields(point)
		}
		if err := c.end(); err != nil {
			return err
		}
	}
	return nil
}

// plotFields fills the columns of zones behind the name.
func (c *tableWriter) plotFields(point trace.PlotPoint) {
	for i, column := range c.columns.zones[1:] {
		switch {
		case column == "ns_since_start":
			c.integer(point.TimeNS)
		case column == "value" || c.options.Dialect == "tt" && i+1 == 4:
			c.fixed(point.Value)
		default:
			c.empty()
		}
	}
}
