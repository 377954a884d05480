package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// version is a version of the file format, ordered.
type version uint32

func versionOf(major, minor, patch uint8) version {
	return version(major)<<16 | version(minor)<<8 | version(patch)
}

// The versions at which the layout changed, as versionOf makes them (the major one is 0), and the limits of what is
// read. Layouts: Worker::Write and the reading constructor in TracyWorker.cpp of the tags v0.9.1 to v0.14.0.
const (
	version0_9    version = 9 << 8
	version0_9_2  version = 9<<8 | 2
	version0_11_1 version = 11<<8 | 1
	version0_11_2 version = 11<<8 | 2
	version0_12_3 version = 12<<8 | 3
	version0_12_4 version = 12<<8 | 4
	version0_13_2 version = 13<<8 | 2
	version0_13_4 version = 13<<8 | 4
	version0_13_5 version = 13<<8 | 5
	version0_14   version = 14 << 8
)

// tables are the parts of a capture that stay in memory: what zones and messages refer to.
type tables struct {
	info        Info
	version     version
	strings     pages[string]
	pointers    map[uint64]string // strings that are known by their address in the traced program
	threads     []Thread
	threadIndex map[uint64]int
	locations   []Location // static ones in their order of expansion, then the dynamic ones
	static      int        // how many of them
	extras      extras

	threadNames map[uint64]string // by thread id; until the threads are read
	crash       crash

	framesAt, messagesAt, zonesAt int64 // offsets in the inflated stream
}

// crash is Tracy's CrashEvent.
type crash struct {
	thread  uint64
	timeNS  int64
	message uint64 // string pointer
}

// stringReference is Tracy's StringRef.
type stringReference struct {
	value uint64
	flags uint8 // 1: value is an index into the strings, else a pointer; 2: there is a string
}

func (c *cursor) stringReference() stringReference { return stringReference{c.u64(), c.u8()} }

// string resolves a reference; without a string it is empty.
func (t *tables) string(r stringReference) (string, error) {
	switch {
	case r.flags&2 == 0:
		return "", nil
	case r.flags&1 == 0:
		return t.pointers[r.value], nil
	case r.value >= uint64(t.strings.count):
		return "", fmt.Errorf("string %d of %d", r.value, t.strings.count)
	}
	return *t.strings.at(int(r.value)), nil
}

// stringOrNone resolves an index + 1 that has been checked.
func (t *tables) stringOrNone(i uint32) string {
	if i == 0 {
		return ""
	}
	return *t.strings.at(int(i - 1))
}

// NameOf returns the name of a number of NameNumber.
func (t *tables) NameOf(number uint32) string { return t.stringOrNone(number) }

// indexed resolves an index + 1.
func (t *tables) indexed(i uint32) (string, error) {
	if i == 0 {
		return "", nil
	}
	return t.string(stringReference{uint64(i - 1), 3})
}

// read reads everything before the zones.
func (t *tables) read(c *cursor) {
	t.readHeader(c)
	t.skipTopology(c)
	t.readCrash(c)
	t.framesAt = c.offset()
	t.info.FrameCount = skipFrames(c)
	t.skipSections(c)
	t.readStrings(c)
	t.readThreads(c)
	t.readLocations(c)
	skipLocks(c)
	c.section = "messages"
	t.messagesAt = c.offset()
	t.info.MessageCount = t.skipMessages(c)
	t.readExtras(c)
	c.section = "zones"
	t.zonesAt = c.offset()
}

func (t *tables) readHeader(c *cursor) {
	c.section = "header"
	if magic := c.bytes(8); c.err != nil {
		return
	} else if string(magic[:5]) != "tracy" {
		c.fail(errors.New("the inflated stream does not begin with \"tracy\"; the file is damaged or older than " +
			"Tracy 0.2"))
		return
	} else {
		t.info.Version = [3]uint8(magic[5:])
	}
	t.version = versionOf(t.info.Version[0], t.info.Version[1], t.info.Version[2])
	name := fmt.Sprintf("version %d.%d.%d", t.info.Version[0], t.info.Version[1], t.info.Version[2])
	switch {
	case t.version > version0_14:
		c.fail(fmt.Errorf("%s: %w", name, ErrNewer))
	case t.version < version0_9:
		c.fail(fmt.Errorf("%s: %w", name, ErrOlder))
	}
	if t.version < version0_12_3 {
		c.skip(8) // cost of an event
	}
	t.info.ResolutionNS = int64(c.u64())
	c.skip(8) // ns per tick of the clock
	t.info.LastTimeNS = c.i64()
	c.skip(8) // frame offset
	t.info.PID = c.u64()
	c.skip(8 + 1 + 4 + 12) // sampling period; architecture, id and maker of the CPU
	if t.version >= version0_9_2 {
		t.info.OnDemand = c.u8() != 0
	}
	t.info.CaptureName = c.text()
	t.info.Program = c.text()
	t.info.CaptureTime = time.Unix(c.i64(), 0).UTC()
	c.skip(8) // time of the executable
	t.info.Host = c.text()
}

// skipTopology passes over packages, dies (since 0.11.2) and cores.
func (t *tables) skipTopology(c *cursor) {
	c.section = "topology"
	cores := func() {
		for n := c.count(12); n > 0 && c.err == nil; n-- {
			c.skip(4)
			c.skipRecords(4)
		}
	}
	for n := c.count(12); n > 0 && c.err == nil; n-- {
		c.skip(4)
		if t.version < version0_11_2 {
			cores()
			continue
		}
		for m := c.count(12); m > 0 && c.err == nil; m-- {
			c.skip(4)
			cores()
		}
	}
}

// readCrash reads where the program crashed; zeros if it did not.
func (t *tables) readCrash(c *cursor) {
	c.section = "crash"
	t.crash = crash{c.u64(), c.i64(), c.u64()}
	c.skip(4) // call stack
}

// skipSections passes over sections of the time line, new in 0.13.4 and changed in 0.13.5.
func (t *tables) skipSections(c *cursor) {
	c.section = "sections"
	switch {
	case t.version >= version0_13_5:
		for n := c.count(10); n > 0 && c.err == nil; n-- {
			c.skip(2)
			c.skipRecords(15)
		}
		c.skipRecords(2 + 3)
	case t.version == version0_13_4:
		c.skipRecords(15)
	}
}

// readStrings reads the strings, and the names of pointers and threads.
func (t *tables) readStrings(c *cursor) {
	c.section = "strings"
	n := c.count(16)
	if n > 1<<24 {
		c.failf("%d strings; Tracy numbers them with 24 bits", n)
	}
	var arena stringArena
	var address pages[uint64] // of each string in the traced program
	for ; n > 0 && c.err == nil; n-- {
		const head = 8 + 8
		if rest := c.buffer[c.pos:]; len(rest) >= head {
			// There are millions at times, nearly all of them short and at hand.
			length := binary.LittleEndian.Uint64(rest[8:])
			if length <= arenaChunk/8 && uint64(len(rest)-head) >= length {
				if !c.keep(int64(length) + 32) {
					return
				}
				address.append(binary.LittleEndian.Uint64(rest))
				t.strings.append(arena.add(rest[head : head+length]))
				c.pos += head + int(length)
				continue
			}
		}
		address.append(c.u64())
		length := c.count(1)
		if !c.keep(length + 32) {
			return
		}
		t.strings.append(arena.read(c, length))
	}
	t.readNames(c, &address)
}

// readNames reads the names of pointers and threads, which refer to strings by their addresses.
func (t *tables) readNames(c *cursor, address *pages[uint64]) {
	c.section = "string pointers"
	type named struct{ id, address uint64 }
	first := map[uint64]int{} // the first string at an address that is wanted; -1: not found yet
	read := func() (list []named) {
		for n := c.count(16); n > 0 && c.keep(64); n-- {
			v := named{c.u64(), c.u64()}
			list, first[v.address] = append(list, v), -1
		}
		return list
	}
	pointers, threads := read(), read()
	for i := range address.count {
		if at, wanted := first[*address.at(i)]; wanted && at < 0 {
			first[*address.at(i)] = i
		}
	}
	resolve := func(list []named) map[uint64]string {
		names := make(map[uint64]string, len(list))
		for _, v := range list {
			if i := first[v.address]; i >= 0 {
				names[v.id] = *t.strings.at(i)
			}
		}
		return names
	}
	t.pointers = resolve(pointers)
	t.threadNames = resolve(threads)
	c.skipRecords(24) // names of other programs' threads
}

// readThreads reads the thread ids; their order is Tracy's compressed index.
func (t *tables) readThreads(c *cursor) {
	c.section = "threads"
	t.threadIndex = map[uint64]int{}
	for n := c.count(8); n > 0 && c.keep(96); n-- {
		id := c.u64()
		t.threadIndex[id] = len(t.threads)
		t.threads = append(t.threads, Thread{ID: id, Name: t.threadNames[id]})
	}
	t.threadNames = nil
	c.skipRecords(8) // threads of other programs
}

// readLocations reads the static source locations, by address and in the order zones number them, and the dynamic ones.
func (t *tables) readLocations(c *cursor) {
	c.section = "source locations"
	byAddress := map[uint64]Location{}
	for n := c.count(43); n > 0 && c.keep(128); n-- {
		address := c.u64()
		byAddress[address] = t.location(c)
	}
	for n := c.count(8); n > 0 && c.keep(80); n-- {
		t.locations = append(t.locations, byAddress[c.u64()])
	}
	t.static = len(t.locations)
	for n := c.count(35); n > 0 && c.keep(80); n-- {
		t.locations = append(t.locations, t.location(c))
	}
	c.section = "zone counts"
	c.skipRecords(10)
	c.skipRecords(10)
}

// locationIndex is where the location of a zone is in the table: from 0 on a static one, below 0 a dynamic one. It is
// -1 for one that is not there.
func (t *tables) locationIndex(stored int16) int {
	at, end := int(stored), t.static
	if at < 0 {
		at, end = t.static-at-1, len(t.locations)
	}
	if at >= end {
		return -1
	}
	return at
}

// missingLocation is what is wrong with a zone for whose location locationIndex finds none.
func (t *tables) missingLocation(stored int16) error {
	return fmt.Errorf("source location %d; there are %d static and %d dynamic ones", stored, t.static,
		len(t.locations)-t.static)
}

// location reads Tracy's SourceLocationBase.
func (t *tables) location(c *cursor) Location {
	var text [3]string
	for i := range text {
		s, err := t.string(c.stringReference())
		if err != nil {
			c.fail(err)
		}
		text[i] = s
	}
	return Location{Name: text[0], Function: text[1], File: text[2], Line: c.u32(), Color: c.u32()}
}

func skipLocks(c *cursor) {
	c.section = "locks"
	for n := c.count(43); n > 0 && c.err == nil; n-- {
		c.skip(4 + 3 + 2 + 1 + 1 + 8 + 8)
		c.skipRecords(8)
		c.skipRecords(8 + 2 + 1 + 1)
	}
}
