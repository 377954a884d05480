package trace

import (
	"encoding/binary"
	"iter"
)

// Zones iterates over all zones, thread by thread as they are stored, each when its end is known: children before their parent. One pass over the file in
// bounded memory; each call reads anew. An error ends the iteration, after the zones that were still whole.
func (f *File) Zones() iter.Seq2[Zone, error] {
	return func(yield func(Zone, error) bool) {
		c := f.zonesPass()
		defer c.close()
		w := zoneWalk{file: f, cursor: c, yield: yield}
		w.run()
		if c.err != nil && !w.stopped {
			f.mu.Lock()
			f.missing("%v", c.err)
			f.mu.Unlock()
			yield(Zone{}, c.err)
		}
	}
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

// zoneWalk walks the zones section. A zone is stored as location i16, Δstart i64, extra u32, children u32, the children, Δend i64; each Δ is the
// difference to the time that was stored before it.
type zoneWalk struct {
	file    *File
	cursor  *cursor
	yield   func(Zone, error) bool           // nil: the zones are passed over
	message func(address uint64, thread int) // nil: the lists of messages are passed over
	stopped bool                             // the caller has had enough
	stack   []openZone
	zones   int64
	open    int64 // zones without an end
}

// openZone is a zone whose children are being read.
type openZone struct {
	ordinal  int64
	start    int64
	children int64 // their durations
	left     uint32
	extra    uint32
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
		w.file.walked(c.offset(), w.zones, w.open)
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

// thread walks the zones of one thread. It returns false on an error, and when the caller has had enough.
func (w *zoneWalk) thread(thread int, roots uint32) bool {
	c := w.cursor
	w.stack = w.stack[:0]
	left, now := roots, int64(0)
	for {
		var zone openZone
		if left > 0 {
			// Every zone is followed by at least its end, so both can be asked for at once.
			if len(c.buffer)-c.pos < zoneHead+zoneTail && !c.fill(zoneHead+zoneTail) {
				return false
			}
			head := c.buffer[c.pos : c.pos+zoneHead]
			c.pos += zoneHead
			now += int64(binary.LittleEndian.Uint64(head[2:]))
			zone = openZone{ordinal: w.zones, start: now, left: left - 1, extra: binary.LittleEndian.Uint32(head[10:]), location: int16(binary.LittleEndian.Uint16(head))}
			w.zones++
			if children := binary.LittleEndian.Uint32(head[14:]); children > 0 {
				if len(w.stack) == cap(w.stack) && !c.keep(2*48*int64(len(w.stack)+1)) {
					return false
				}
				w.stack = append(w.stack, zone)
				left = children
				continue
			}
		} else {
			if len(w.stack) == 0 {
				return c.err == nil
			}
			zone = w.stack[len(w.stack)-1]
			w.stack = w.stack[:len(w.stack)-1]
			if len(c.buffer)-c.pos < zoneTail && !c.fill(zoneTail) {
				return false
			}
		}
		now += int64(binary.LittleEndian.Uint64(c.buffer[c.pos:]))
		c.pos += zoneTail
		left = zone.left
		if !w.finish(thread, &zone, now) {
			return false
		}
	}
}

// finish yields a zone whose end is known. It returns false on an error, and when the caller has had enough.
func (w *zoneWalk) finish(thread int, zone *openZone, end int64) bool {
	unfinished := end < zone.start
	if unfinished {
		// Tracy stores -1 as the end of a zone that is still open.
		end = max(w.file.info.LastTimeNS, zone.start)
		w.open++
	}
	duration, parent, depth := end-zone.start, int64(-1), len(w.stack)
	if depth > 0 {
		enclosing := &w.stack[depth-1]
		enclosing.children += duration
		parent = enclosing.ordinal
	}
	if w.yield == nil {
		return true
	}
	location, err := w.file.location16(zone.location)
	if err != nil {
		w.cursor.fail(err)
		return false
	}
	var text, name string
	var color uint32
	if zone.extra != 0 {
		t := &w.file.tables
		if uint64(zone.extra) >= uint64(t.extras.count) {
			w.cursor.failf("zone extra %d of %d", zone.extra, t.extras.count)
			return false
		}
		e := *t.extras.at(int(zone.extra))
		text, name, color = t.stringOrNone(e.text), t.stringOrNone(e.name), e.color
	}
	w.stopped = !w.yield(Zone{
		Ordinal: zone.ordinal, Parent: parent, Depth: depth, Thread: thread, Location: location,
		DynamicName: name, Text: text, Color: color,
		StartNS: zone.start, DurationNS: duration, SelfNS: duration - zone.children, Unfinished: unfinished,
	}, nil)
	return !w.stopped
}

// walked notes what a full pass over the zones has found.
func (f *File) walked(gpuAt, zones, open int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gpuAt = gpuAt
	if zones != f.zoneCount {
		f.missing("the file announces %d zones and holds %d", f.zoneCount, zones)
	}
	if open > 0 {
		f.warn("%d zones were still open when the capture ended", open)
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
