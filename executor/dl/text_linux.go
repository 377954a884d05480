package dl

import (
	"debug/elf"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// maxOwnText is how much code ownText moves, which takes a millisecond for 2 to 4 MiB. Of larger code, what is used is
// moved.
const maxOwnText = 16 << 20

// requestLinkMap is RTLD_DI_LINKMAP of dlfcn.h. The first word of what it finds is what the loader adds to addresses.
const requestLinkMap = 2

// ownText moves the library's code to pages of physical memory that no other process uses; addresses stay. A file's code
// lies in the system's cache, where it keeps its place from process to process, perhaps for days. The place can decide
// about time: processors remember what loads and stores have met by hashes of physical addresses, and one place in
// forty made the loads of Floyd and Warshall's algorithm take 1.6 % longer on a Zen 4, in each launch. With pages of
// its own, each process is a sample. ownText reports whether it has moved the code: it does not where a system refuses
// to have code written. Code of more than 16 MiB stays as well, until OwnUsed moves a part.
func (l Library) ownText() bool {
	bias, ok := l.bias()
	if !ok {
		return false
	}
	f, err := elf.Open(l.image.path)
	if err != nil {
		return false
	}
	defer f.Close()
	page, moved := uint64(os.Getpagesize()), false
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || p.Flags&elf.PF_X == 0 || p.Filesz == 0 {
			continue
		}
		from, end := p.Vaddr&^(page-1), (p.Vaddr+p.Filesz+page-1)&^(page-1)
		address := bias + uintptr(from)
		first := *(*unsafe.Pointer)(unsafe.Pointer(&address))
		text := unsafe.Slice((*byte)(first), end-from)
		if p.Filesz > maxOwnText {
			large.add(l.image, text, protection(p.Flags))
			continue
		}
		if !copyPages(text, protection(p.Flags)) {
			return false
		}
		moved = true
	}
	return moved
}

// bias returns what the loader has added to the addresses in the file.
func (l Library) bias() (bias uintptr, ok bool) {
	inform, err := lookup(everywhere, "dlinfo")
	if err != nil || inform == 0 || l.image == nil || l.image.handle == 0 {
		return 0, false
	}
	var of *uintptr
	if int32(Call(inform, l.image.handle, requestLinkMap, uintptr(unsafe.Pointer(&of)))) != 0 || of == nil {
		return 0, false
	}
	return *of, true
}

// copyPages has the system copy each page of a private mapping, by writing what is there already. Threads may run the
// code meanwhile.
func copyPages(text []byte, flags int) bool {
	if unix.Mprotect(text, flags|unix.PROT_WRITE) != nil {
		return false
	}
	for at := 0; at < len(text); at += os.Getpagesize() {
		atomic.AddUint32((*uint32)(unsafe.Pointer(&text[at])), 0)
	}
	return unix.Mprotect(text, flags) == nil
}

// protection returns what a segment's memory may be used for.
func protection(flags elf.ProgFlag) (p int) {
	if flags&elf.PF_R != 0 {
		p |= unix.PROT_READ
	}
	if flags&elf.PF_W != 0 {
		p |= unix.PROT_WRITE
	}
	if flags&elf.PF_X != 0 {
		p |= unix.PROT_EXEC
	}
	return p
}
