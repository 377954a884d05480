package trace

// extraSize is what an extra takes in the file: call stack, text, name and colour, 3 bytes each (ZoneExtra in Tracy's
// TracyEvent.hpp).
const extraSize = 4 * 3

// extras is what some zones have of their own, by the number that a zone stores. Most zones that have something have
// either a text or a name, and there may be tens of millions: each page holds only the columns that are not empty,
// three bytes a value as in the file. Strings are stored as index + 1; 0 is none.
type extras struct {
	page  []extraPage // none if only the number of extras is kept
	count int
	parts Parts
}

// Parts is how much of what zones have of their own is kept. What is not kept takes neither time nor memory.
type Parts int

const (
	AllParts  Parts = iota
	NamesOnly       // Zone.Text is empty
	TimesOnly       // as are DynamicName and Color
)

// extraPage holds 1<<pageBits extras. A column is nil if it has only zeros.
type extraPage struct{ text, name, color *extraColumn }

type extraColumn [1 << pageBits][3]byte

// append adds an extra as it is stored in the file.
func (e *extras) append(record []byte) {
	i := e.count & pageMask
	if i == 0 {
		e.page = append(e.page, extraPage{})
	}
	p := &e.page[len(e.page)-1]
	if e.parts == AllParts {
		setColumn(&p.text, i, record[3:6])
	}
	setColumn(&p.name, i, record[6:9])
	setColumn(&p.color, i, record[9:12])
	e.count++
}

func setColumn(c **extraColumn, i int, value []byte) {
	v := [3]byte(value)
	if v == [3]byte{} {
		return
	}
	if *c == nil {
		*c = new(extraColumn)
	}
	(*c)[i] = v
}

func (c *extraColumn) at(i uint32) uint32 {
	if c == nil {
		return 0
	}
	return u24(c[i&pageMask][:])
}

func (e *extras) text(i uint32) uint32  { return e.pageOf(i).text.at(i) }
func (e *extras) name(i uint32) uint32  { return e.pageOf(i).name.at(i) }
func (e *extras) color(i uint32) uint32 { return e.pageOf(i).color.at(i) }

// pageOf returns the page of an extra, an empty one if only their number is kept.
func (e *extras) pageOf(i uint32) (p extraPage) {
	if e.parts != TimesOnly {
		p = e.page[i>>pageBits]
	}
	return p
}

// readExtras reads the extras of the zones.
func (t *tables) readExtras(c *cursor) {
	c.section = "zone extras"
	n := c.count(extraSize)
	if t.extras.parts == TimesOnly {
		t.extras.count = int(n)
		c.skip(n * extraSize)
		return
	}
	for n > 0 && c.need(extraSize) {
		// Those that are at hand are read at once.
		batch := min(n, int64(len(c.buffer)-c.pos)/extraSize)
		if !c.keep(extraSize * batch) {
			return
		}
		n -= batch
		for range batch {
			record := c.buffer[c.pos : c.pos+extraSize]
			if last := max(u24(record[3:]), u24(record[6:])); last > uint32(t.strings.count) {
				c.failf("string %d of %d", last-1, t.strings.count)
				return
			}
			c.pos += extraSize
			t.extras.append(record)
		}
	}
}

// Extra returns what a raw zone whose Extra is not 0 has of its own. It may be called from several goroutines.
func (t *tables) Extra(i uint32) (text, name string, color uint32) {
	e := &t.extras
	return t.stringOrNone(e.text(i)), t.stringOrNone(e.name(i)), e.color(i)
}

// NameNumber returns the number, at most Info.StringCount, of the name that a raw zone with this Extra has of its own;
// 0 if it has none. Zones with one number have one name.
func (t *tables) NameNumber(extra uint32) uint32 { return t.extras.name(extra) }
