package tracycsv

// csvPrefix holds the fields that all zones of a location share, encoded once.
type locationFields struct {
	location []byte // label, file, line
	place    []byte // file, line
	tail     []byte // location name, function, colour
	selected bool   // the label passes the filter
}

// csvPrefixes holds the prefixes of locations by their index, as far as they have been asked for and fit.
type locationCache struct {
	form *tableForm
	held []*locationFields
	size int // bytes of those that are held
}

// csvPrefixLimit is how many bytes of prefixes are held: tens of thousands of locations may share a long name that is
// stored once.
const locationCacheLimit = 16 << 20

func newLocationCache(form *tableForm) locationCache {
	return locationCache{form: form, held: make([]*locationFields, len(form.locations))}
}

// of returns the prefix of a location.
func (c *locationCache) of(location int) *locationFields {
	if p := c.held[location]; p != nil {
		return p
	}
	l, f := &c.form.locations[location], c.form.format
	p := &locationFields{selected: c.form.selects(l.Label())}
	p.place = f.encoded(func(a *rowAppender) { a.text(l.File); a.unsigned(uint64(l.Line)) })
	p.location = f.encoded(func(a *rowAppender) { a.text(l.Label()); a.raw(p.place) })
	p.tail = f.encoded(func(a *rowAppender) { a.text(l.Name); a.text(l.Function); a.unsigned(uint64(l.Color)) })
	if c.size > locationCacheLimit {
		clear(c.held)
		c.size = 0
	}
	c.size += len(p.place) + len(p.location) + len(p.tail)
	c.held[location] = p
	return p
}
