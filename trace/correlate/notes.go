package correlate

import "math"

// notes remembers the zones of a walk, so that their source needs no second one. A zone takes 16 bytes.
type notes struct {
	pages  [][]packedNote
	wide   []note // those that a packedNote cannot hold
	most   int    // more are not remembered
	count  int
	gaveUp bool
	before
}

// before is what a packedNote says its differences to. It is as good for reading as for writing.
type before struct {
	start, ordinal int64
	thread         int
	parents        [math.MaxUint8 + 1]int64 // of the last note of each depth
}

// packedNote is a note by its difference to those before it.
type packedNote struct {
	start    int32  // after the start of the one before
	duration uint32 // ns
	kind     uint16 // number
	parent   uint16 // how far its ordinal is before the zone's own, or one of the values below
	ordinal  int16  // after that of the one before
	depth    uint8
	form     packedForm
}

// Values of packedNote.parent.
const (
	sameParent = 0 // as the last note of this depth
	noParent   = math.MaxUint16
)

// packedForm says how a note is packed.
type packedForm uint8

const (
	plain      packedForm = iota
	unfinished            // of a zone that was still open when the capture ended
	wide                  // in notes.wide
)

const (
	notesAPage = 1 << 12
	// mostNotes bounds the memory: 192 MiB for twelve million zones. More are rare, and are read twice.
	mostNotes = 12 << 20
	// widePart bounds that of wide notes: one in so many notes may be one. They are rare, too.
	widePart = 8
)

// add remembers a note, unless there are too many, or too many kinds of them.
func (l *notes) add(n *note) {
	if l.gaveUp {
		return
	}
	if l.count == l.most || len(l.wide) > l.most/widePart || n.kind.number < 0 {
		*l = notes{gaveUp: true}
		return
	}
	if l.count%notesAPage == 0 {
		l.pages = append(l.pages, make([]packedNote, notesAPage))
	}
	p := &l.pages[len(l.pages)-1][l.count%notesAPage]
	l.count++
	if !p.pack(n, &l.before) {
		p.form, l.wide = wide, append(l.wide, *n)
	}
	l.note(n)
}

// pack packs a note. It returns false if the note does not fit.
func (p *packedNote) pack(n *note, b *before) bool {
	start, ordinal, parent := n.start-b.start, n.ordinal-b.ordinal, n.ordinal-n.parent
	if uint(n.depth) >= uint(len(b.parents)) || n.thread != b.thread || int64(int32(start)) != start ||
		int64(int16(ordinal)) != ordinal || uint64(n.duration) > math.MaxUint32 {
		return false
	}
	switch {
	case n.parent == b.parents[n.depth]:
		parent = sameParent
	case n.parent == -1:
		parent = noParent
	case parent <= sameParent || parent >= noParent:
		return false
	}
	p.start, p.duration, p.kind, p.parent = int32(start), uint32(n.duration), uint16(n.kind.number), uint16(parent)
	p.ordinal, p.depth = int16(ordinal), uint8(n.depth)
	if n.unfinished {
		p.form = unfinished
	}
	return true
}

// unpack fills in a note. Its thread stays.
func (p *packedNote) unpack(n *note, b *before, kinds []*kind) {
	n.start, n.ordinal, n.duration = b.start+int64(p.start), b.ordinal+int64(p.ordinal), int64(p.duration)
	switch p.parent {
	case sameParent:
		n.parent = b.parents[p.depth]
	case noParent:
		n.parent = -1
	default:
		n.parent = n.ordinal - int64(p.parent)
	}
	n.depth, n.unfinished, n.kind = int(p.depth), p.form == unfinished, kinds[p.kind]
}

// note notes what the next one is said by.
func (b *before) note(n *note) {
	b.start, b.ordinal, b.thread = n.start, n.ordinal, n.thread
	if uint(n.depth) < uint(len(b.parents)) {
		b.parents[n.depth] = n.parent
	}
}

// take hands on the notes in their order, and forgets them. A note stays as it is until the function returns.
func (l *notes) take(kinds []*kind, each func(n *note)) {
	var b before
	var n note
	left := l.count
	for i, page := range l.pages {
		for k := range page[:min(left, notesAPage)] {
			if p := &page[k]; p.form != wide {
				p.unpack(&n, &b, kinds)
			} else {
				n, l.wide = l.wide[0], l.wide[1:]
			}
			b.note(&n)
			each(&n)
		}
		l.pages[i] = nil
		left -= notesAPage
	}
	*l = notes{}
}
