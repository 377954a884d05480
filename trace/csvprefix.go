package trace

// csvPrefix holds the fields that all zones of a location share, encoded once.
type csvPrefix struct {
	location []byte // label, file, line
	place    []byte // file, line
	tail     []byte // location name, function, colour
	selected bool   // the label passes the filter
}

// csvPrefixes holds the prefixes of locations by their index, as far as they have been asked for and fit.
type csvPrefixes struct {
	form *csvForm
	held []*csvPrefix
	size int // bytes of those that are held
}

// csvPrefixLimit is how many bytes of prefixes are held: tens of thousands of locations may share a long name that is stored once.
const csvPrefixLimit = 16 << 20

func newCSVPrefixes(form *csvForm) csvPrefixes {
	return csvPrefixes{form: form, held: make([]*csvPrefix, len(form.locations))}
}

// of returns the prefix of a location.
func (c *csvPrefixes) of(location int) *csvPrefix {
	if p := c.held[location]; p != nil {
		return p
	}
	l, f := &c.form.locations[location], c.form.format
	p := &csvPrefix{selected: c.form.selects(l.Label())}
	p.place = f.encoded(func(a *csvAppender) { a.text(l.File); a.unsigned(uint64(l.Line)) })
	p.location = f.encoded(func(a *csvAppender) { a.text(l.Label()); a.raw(p.place) })
	p.tail = f.encoded(func(a *csvAppender) { a.text(l.Name); a.text(l.Function); a.unsigned(uint64(l.Color)) })
	if c.size > csvPrefixLimit {
		clear(c.held)
		c.size = 0
	}
	c.size += len(p.place) + len(p.location) + len(p.tail)
	c.held[location] = p
	return p
}
