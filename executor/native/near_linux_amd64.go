package native

import (
	"runtime"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// nearCode copies the timed loop to within reach of the function at entry, where a C caller would be. Processors
// predict calls between distant places less well: on a Zen 3, a loop in the program's own text takes six cycles for a
// call of an empty function in a library, a loop in a library four. An empty loop gets an empty function as well, at
// the offset within its page that entry has, so that neither distance nor alignment makes the two loops differ.
// nearCode returns false if there is no room, or if the system refuses executable memory.
func nearCode(entry uintptr, empty bool) (code, bool) {
	text := loopText()
	page := uintptr(unix.Getpagesize())
	if len(text) == 0 || entry == 0 {
		return code{}, false
	}
	pages := (uintptr(len(text)) + page - 1) / page
	memory := mapNear(entry, int((pages+1)*page))
	if memory == nil {
		return code{}, false
	}
	base := uintptr(unsafe.Pointer(unsafe.SliceData(memory)))
	offset := timedLoopEntry % lineBytes // keeps the alignment of what is inside
	c := code{loop: base + offset, memory: memory}
	if int(offset)+len(text) > int(pages*page) {
		unmapCode(memory)
		return code{}, false
	}
	copy(memory[offset:], text)
	if empty {
		place := pages*page + entry%page
		memory[place] = 0xc3 // RET
		c.empty = base + place
	}
	if unix.Mprotect(memory, unix.PROT_READ|unix.PROT_EXEC) != nil {
		unmapCode(memory)
		return code{}, false
	}
	return c, true
}

const (
	lineBytes = 64
	nearReach = 1 << 31 // the reach of a call's displacement in bytes
	nearStep  = 16 << 20
)

// loopText returns the machine code of the timed loop. It is looked up once, since each loop needs it.
var loopText = sync.OnceValue(func() []byte { return functionText(timedLoopEntry) })

// functionText returns the machine code of a function of this program. The function must not refer to addresses outside
// itself.
func functionText(entry uintptr) []byte {
	f := runtime.FuncForPC(entry)
	if f == nil || f.Entry() != entry {
		return nil
	}
	end := entry
	for runtime.FuncForPC(end) == f && end-entry < 1<<16 {
		end++
	}
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&entry))), end-entry)
}

// mapNear maps writable memory within reach of an address. It returns nil if it finds no room.
func mapNear(address uintptr, size int) []byte {
	for distance := uintptr(nearStep); distance < nearReach-nearStep; distance *= 2 {
		for _, hint := range []uintptr{address - distance, address + distance} {
			if distance >= address || hint < nearStep {
				continue
			}
			p, err := unix.MmapPtr(-1, 0, *(*unsafe.Pointer)(unsafe.Pointer(&hint)), uintptr(size),
				unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
			if err != nil {
				return nil
			}
			at := uintptr(p)
			if max(at, address)-min(at, address) < nearReach-nearStep {
				return unsafe.Slice((*byte)(p), size)
			}
			unmapCode(unsafe.Slice((*byte)(p), size))
		}
	}
	return nil
}

// free unmaps what was mapped for a loop.
func (c *code) free() {
	if c.memory != nil {
		unmapCode(c.memory)
		c.memory = nil
	}
}

// unmapCode unmaps what mapNear has mapped.
func unmapCode(memory []byte) {
	// It cannot fail: the memory is one whole mapping of our own.
	_ = unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(memory)), uintptr(len(memory)))
}
