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
// the offset within its page that entry has, so that neither distance nor alignment makes the two loops differ. place
// chooses the distance, see nearPlaces, and others are addresses that the loop must not resemble beside entry. nearCode
// returns false if there is no room, or if the system refuses executable memory.
func nearCode(entry uintptr, empty bool, place uint64, others ...uintptr) (code, bool) {
	text := loopText()
	page := uintptr(unix.Getpagesize())
	if len(text) == 0 || entry == 0 {
		return code{}, false
	}
	offset := lineOf(place)*lineBytes + timedLoopEntry%lineBytes // keeps the alignment of what is inside
	pages := (offset + uintptr(len(text)) + page - 1) / page
	memory := mapNear(nearPlaces(entry, place, others...), int((pages+1)*page))
	if memory == nil {
		return code{}, false
	}
	base := uintptr(unsafe.Pointer(unsafe.SliceData(memory)))
	c := code{loop: base + offset, memory: memory}
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

// mapNear maps writable memory at the first of these places that is free. It returns nil if none is.
func mapNear(places []uintptr, size int) []byte {
	for _, hint := range places {
		p, err := unix.MmapPtr(-1, 0, *(*unsafe.Pointer)(unsafe.Pointer(&hint)), uintptr(size),
			unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_FIXED_NOREPLACE)
		if err != nil {
			continue
		}
		memory := unsafe.Slice((*byte)(p), size)
		if uintptr(p) == hint {
			return memory
		}
		unmapCode(memory) // a system that does not know the flag takes the address for a wish
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
