package trace

import (
	"encoding/binary"
	"iter"
	"math"
	"slices"
)

// Zones iterates over all zones, thread by thread as they are stored, each when its end is known: children before their
// parent. One pass over the file in bounded memory; each call reads anew. An error ends the iteration, after the zones
// that were still whole.
func (f *File) Zones() iter.Seq2[Zone, error] {
	return func(yield func(Zone, error) bool) {
		enough := false
		err := f.WalkNamed(make([]RawZone, 0, RawBatch), func(batch []RawZone) []RawZone {
			for i := range batch {
				if enough = !yield(f.Resolve(&batch[i]), nil); enough {
					return nil
				}
			}
			return batch[:0]
		})
		if err != nil && !enough {
			yield(Zone{}, err)
		}
	}
}

// RawBatch is how many zones are handed on at once where they are used before the next: as many as stay in the first
// cache.
const RawBatch = 128

// WalkRaw hands all zones to a function in batches as long as the capacity of first, which holds the first of them.
// The function returns the slice that the next batch is put into, or nil when it has had enough. The error, which is
// noted as something that the capture misses, is about the zones after those. RawZone.Name and RawZone.Repeats are left
// as they are in the slices; WalkNamed fills them in.
func (f *File) WalkRaw(first []RawZone, each func([]RawZone) []RawZone) error {
	return f.walk(first, each, nil)
}

// WalkNamed is WalkRaw that also fills in RawZone.Name and RawZone.Repeats, which costs a tenth of the time of a pass.
func (f *File) WalkNamed(first []RawZone, each func([]RawZone) []RawZone) error {
	return f.walk(first, each, f.newRepeats())
}

func (f *File) walk(first []RawZone, each func([]RawZone) []RawZone, repeats *repeats) error {
	c := f.zonesPass()
	defer c.close()
	w := zoneWalk{file: f, cursor: c, batch: first[:0], each: each, repeats: repeats}
	w.run()
	w.handOn()
	if c.err != nil {
		f.mu.Lock()
		f.missing("%v", c.err)
		f.mu.Unlock()
	}
	return c.err
}

// zonesPass returns a cursor after the count of zones: the one that Open left there, or a new one.
func (f *File) zonesPass() *cursor {
	f.mu.Lock()
	c := f.open
	f.open = nil
	f.mu.Unlock()
	if c == nil {
		c = f.pass("zones")
		c.skipTo(f.zonesAt + 8)
	}
	return c
}

// zoneWalk walks the zones section. A zone is stored as location i16, Δstart i64, extra u32, children u32, the
// children, Δend i64; each Δ is the difference to the time that was stored before it.
type zoneWalk struct {
	file        *File
	cursor      *cursor
	batch       []RawZone                        // those not yet handed on
	each        func([]RawZone) []RawZone        // nil: the zones are passed over, or the function has had enough
	message     func(address uint64, thread int) // nil: the lists of messages are passed over
	threadIndex int32                            // of the zones
	stack       []openZone
	repeats     *repeats // nil: nobody asks for names and repeats
	zones       int64
	open        int64 // zones without an end
	late        int64 // zones with an extra that came when the extras were written
}

// mostLate is how many extras a program may have sent while its capture was written: Tracy writes the extras before the
// zones, and its capture tool takes what the program sends until the end.
const mostLate = 1000

// RawZone is a zone in the terms of the file: strings and the location are numbers. It costs a third of a Zone and
// fills one line of the cache. File.Resolve makes a Zone of it.
type RawZone struct {
	Ordinal    int64
	Parent     int64 // ordinal; -1: none
	StartNS    int64
	DurationNS int64
	SelfNS     int64 // duration without the children
	Depth      int32
	Thread     int32
	Location   int32  // index in File.Locations
	Extra      uint32 // for File.Extra and File.NameNumber; 0: none
	Name       uint32 // File.NameNumber of Extra; only WalkNamed fills it in
	Unfinished bool   // still open when the capture ended
	Repeats    bool   // inside another zone of its name and place; only WalkNamed fills it in
}

// Resolve makes a Zone of a raw one of this capture.
func (f *File) Resolve(z *RawZone) Zone {
	zone := Zone{
		Ordinal: z.Ordinal, Parent: z.Parent, Depth: int(z.Depth), Thread: int(z.Thread),
		Location: &f.locations[z.Location],
		StartNS:  z.StartNS, DurationNS: z.DurationNS, SelfNS: z.SelfNS, Unfinished: z.Unfinished, Repeats: z.Repeats,
	}
	if z.Extra != 0 {
		zone.Text, zone.DynamicName, zone.Color = f.Extra(z.Extra)
	}
	return zone
}

// openZone is a zone whose children are being read.
type openZone struct {
	ordinal  int64
	start    int64
	children int64 // their durations
	left     uint32
	extra    uint32
	name     uint32 // by repeats, as is place
	place    int32
	location int16
}

const (
	zoneHead = 2 + 8 + 4 + 4
	zoneTail = 8
)

// run walks all threads.
func (w *zoneWalk) run() {
	c := w.cursor
	c.skip(8) // lists of children
	threads := c.count(8 + 8 + 8 + 1 + 4 + 3*8)
	for ; threads > 0 && c.err == nil; threads-- {
		id := c.u64()
		c.skip(8 + 8 + 1) // zones, samples of the kernel, is a fibre
		if w.file.version >= version0_11_1 {
			c.skip(4) // group hint
		}
		roots := c.u32()
		thread, known := w.file.threadIndex[id]
		if !known {
			thread = 0
			if roots > 0 {
				c.failf("zones of a thread %d that is not in the table of threads", id)
			}
		}
		if !w.thread(thread, roots) {
			return
		}
		w.messages(thread)
		c.skipRecords(8 + 3) // context switches
		c.skipRecords(8 + 3) // samples
	}
	if c.err == nil {
		w.file.walked(c, w)
	}
}

func (w *zoneWalk) messages(thread int) {
	c := w.cursor
	if w.message == nil {
		c.skipRecords(8)
		return
	}
	for n := c.count(8); n > 0 && c.err == nil; n-- {
		w.message(c.u64(), thread)
	}
}

// thread walks the zones of one thread. It returns false on an error, and when the function has had enough.
//
// This loop runs once for each zone of a capture, so it holds the block and the position in variables, and the cursor
// learns the position before it is used. Zones are filled in field by field: a composite literal is put together on the
// stack and copied with wider loads than the stores before, which stalls.
func (w *zoneWalk) thread(thread int, roots uint32) bool {
	c := w.cursor
	w.stack, w.threadIndex = w.stack[:0], int32(thread)
	left, now := roots, int64(0)
	block, pos := c.buffer, c.pos
	for {
		if left > 0 {
			// Every zone is followed by at least its end, so both can be asked for at once.
			if len(block)-pos < zoneHead+zoneTail {
				c.pos = pos
				if !c.fill(zoneHead + zoneTail) {
					return false
				}
				block, pos = c.buffer, c.pos
			}
			record := block[pos : pos+zoneHead+zoneTail]
			now += i64(record[2:])
			ordinal := w.zones
			w.zones++
			left--
			children := binary.LittleEndian.Uint32(record[14:])
			if children == 0 {
				pos += zoneHead + zoneTail
				c.pos = pos
				start := now
				now += i64(record[zoneHead:])
				if !w.finish(ordinal, start, now, 0, binary.LittleEndian.Uint32(record[10:]),
					int16(binary.LittleEndian.Uint16(record))) {
					return false
				}
				continue
			}
			pos += zoneHead
			if c.pos = pos; !w.grow() {
				return false
			}
			open := &w.stack[len(w.stack)-1]
			open.ordinal, open.start, open.children, open.left = ordinal, now, 0, left
			open.extra, open.location = binary.LittleEndian.Uint32(record[10:]),
				int16(binary.LittleEndian.Uint16(record))
			if w.repeats != nil {
				w.repeats.begin(open)
			}
			left = children
			continue
		}
		c.pos = pos
		last := len(w.stack) - 1
		if last < 0 {
			return c.err == nil
		}
		if len(block)-pos < zoneTail {
			if !c.fill(zoneTail) {
				return false
			}
			block, pos = c.buffer, c.pos
		}
		now += i64(block[pos:])
		pos += zoneTail
		c.pos = pos
		open := &w.stack[last]
		w.stack = w.stack[:last]
		left = open.left
		if w.repeats != nil {
			w.repeats.end(open)
		}
		if !w.finish(open.ordinal, open.start, now, open.children, open.extra, open.location) {
			return false
		}
	}
}

// grow makes room for one more open zone, as long as the file is large enough to justify it.
func (w *zoneWalk) grow() bool {
	n := len(w.stack)
	if n == cap(w.stack) {
		if !w.cursor.keep(2 * 48 * int64(n+1)) {
			return false
		}
		w.stack = slices.Grow(w.stack, 1)
	}
	w.stack = w.stack[:n+1]
	return true
}

// finish adds a zone whose end is known to the batch. It returns false on an error, and when the function has had
// enough.
func (w *zoneWalk) finish(ordinal, start, end, children int64, extra uint32, stored int16) bool {
	unfinished := end < start
	if unfinished {
		// Tracy stores -1 as the end of a zone that is still open.
		end = max(w.file.info.LastTimeNS, start)
		w.open++
	}
	duration, depth, parent := end-start, len(w.stack), int64(-1)
	if depth > 0 {
		enclosing := &w.stack[depth-1]
		enclosing.children += duration
		parent = enclosing.ordinal
	}
	if w.each == nil {
		return true
	}
	t := &w.file.tables
	location := t.locationIndex(stored)
	if location < 0 {
		w.cursor.fail(t.missingLocation(stored))
		return false
	}
	if beyond := int64(extra) - int64(t.extras.count); extra != 0 && beyond >= 0 {
		if beyond >= mostLate {
			w.cursor.failf("zone extra %d of %d", extra, t.extras.count)
			return false
		}
		extra = 0
		w.late++
	}
	n := len(w.batch)
	if n == cap(w.batch) {
		if !w.handOn() {
			return false
		}
		n = 0
	}
	w.batch = w.batch[:n+1]
	z := &w.batch[n]
	z.Ordinal, z.Parent, z.Depth, z.Thread = ordinal, parent, int32(depth), w.threadIndex
	z.StartNS, z.DurationNS, z.SelfNS = start, duration, duration-children
	z.Location, z.Extra, z.Unfinished = int32(location), extra, unfinished
	if w.repeats != nil {
		z.Name = w.repeats.name(extra)
		z.Repeats = depth > 0 && w.repeats.inside(location, z.Name)
	}
	return true
}

// handOn hands on the zones of the batch. It returns false when the function has had enough; there are no more batches
// then.
func (w *zoneWalk) handOn() bool {
	if len(w.batch) == 0 || w.each == nil {
		return true
	}
	if w.batch = w.each(w.batch); w.batch == nil {
		w.each = nil
		return false
	}
	return true
}

// walked notes what a full pass over the zones has found. The cursor stays at the GPU zones.
func (f *File) walked(c *cursor, w *zoneWalk) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gpuAt, f.gpuCount = c.offset(), unknownCount
	if c.need(8) {
		f.gpuCount = int64(min(binary.LittleEndian.Uint64(c.buffer[c.pos:]), math.MaxInt64))
	} else {
		c.err = nil // it is one of the GPU zones
	}
	if w.zones != f.zoneCount {
		f.missing("the file announces %d zones and holds %d", f.zoneCount, w.zones)
	}
	if w.open > 0 {
		f.warn("%d zones were still open when the capture ended", w.open)
	}
	if w.late > 0 {
		f.warn("the file does not hold the texts and names of %d zones, which came while it was written", w.late)
	}
}

// afterZones returns a cursor at the GPU zones. The zones before them are walked the first time, to find their end.
func (f *File) afterZones() *cursor {
	f.mu.Lock()
	at := f.gpuAt
	f.mu.Unlock()
	if at > 0 {
		c := f.pass("GPU zones")
		c.skipTo(at)
		return c
	}
	c := f.zonesPass()
	(&zoneWalk{file: f, cursor: c}).run()
	c.section = "GPU zones"
	return c
}
