package native

import (
	"bytes"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// nearCode copies the timed loop to within reach of the function at entry, where a C caller would be. Processors
// predict calls between distant places less well: on a Zen 3, a loop in the program's own text takes six cycles for a
// call of an empty function in a library, a loop in a library four. An empty loop gets an empty function as well, at
// the offset within its page that entry has, so that neither distance nor alignment makes the two loops differ. place
// chooses the distance (see nearPlaces) and the filler. others are addresses that the loop must not resemble beside
// entry. nearCode returns false if there is no room, or if the system refuses executable memory.
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
	copy(memory[offset:], bytes.ReplaceAll(text, []byte(fillerCode), []byte(fillerOf(place).code())))
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

// fillerCode is a long NOP that stands before calls of the loop. Its last four bytes, an address that it ignores, mark
// it.
const fillerCode = "\x66\x0f\x1f\x84\x00FILL"

// A filler is what stands in its place: instructions that do nothing, of which a processor passes on up to six in a
// cycle, so that the function begins at each place among them. Every iteration of a loop in the function may depend on
// that, and on how many loads were before: on a Zen 4, additions and multiplications of 8192 numbers, which fill the
// first cache, take 155 ns after one load, and 173 ns after none or two.
type filler struct {
	load bool // before the others
	nops int  // from 1 to mostNops
}

const mostNops = 5

// fillerOf returns the filler of a place. The way to call decides about the load.
func fillerOf(place uint64) filler {
	return filler{load: place%Ways >= 2, nops: 1 + int(place/Ways%mostNops)}
}

// code returns the machine code, as long as fillerCode.
func (f filler) code() string {
	code := ""
	if f.load {
		code = "\x44\x8b\x1c\x24" // MOVL 0(SP), R11, which passes no argument
	}
	code += strings.Repeat(nopsByLength[1], f.nops-1)
	return code + nopsByLength[len(fillerCode)-len(code)]
}

// nopsByLength are instructions that do nothing, of Intel's manual, volume 2B.
var nopsByLength = [...]string{
	1: "\x90",
	2: "\x66\x90",
	3: "\x0f\x1f\x00",
	4: "\x0f\x1f\x40\x00",
	5: "\x0f\x1f\x44\x00\x00",
	6: "\x66\x0f\x1f\x44\x00\x00",
	7: "\x0f\x1f\x80\x00\x00\x00\x00",
	8: "\x0f\x1f\x84\x00\x00\x00\x00\x00",
	9: "\x66\x0f\x1f\x84\x00\x00\x00\x00\x00",
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
