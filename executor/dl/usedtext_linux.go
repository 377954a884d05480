package dl

import (
	"encoding/binary"
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// large is the code of open libraries that is too large to be moved as a whole: 142 MB of a plugin take 90 ms, and calls
// use a small part.
var large largeTexts

type largeTexts struct {
	sync.Mutex
	all []largeText
}

type largeText struct {
	of    *image
	text  []byte
	flags int
}

func (l *largeTexts) add(of *image, text []byte, flags int) {
	l.Lock()
	defer l.Unlock()
	l.all = append(l.all, largeText{of, text, flags})
}

// used calls visit with each run of pages that this process uses and nobody has changed, of libraries that are still open.
func (l *largeTexts) used(visit func(run []byte, flags int)) {
	l.Lock()
	defer l.Unlock()
	size := os.Getpagesize()
	for _, t := range l.all {
		if t.of.handle == 0 {
			continue
		}
		pages := pagesOf(t.text)
		for from := 0; from < len(pages); from++ {
			end := from
			for end < len(pages) && pages[end].shared() {
				end++
			}
			if end > from {
				visit(t.text[from*size:end*size], t.flags)
			}
			from = end
		}
	}
}

// page is what the system tells of a page of this process: Documentation/admin-guide/mm/pagemap.rst.
type page uint64

// shared reports whether the process uses the page as the file has it, in the system's cache.
func (p page) shared() bool {
	const present, ofFile = 1 << 63, 1 << 61
	return p&present != 0 && p&ofFile != 0
}

// pagesOf returns what the system tells of the pages of a memory; nil if it tells nothing.
func pagesOf(memory []byte) []page {
	f, err := os.Open("/proc/self/pagemap")
	if err != nil {
		return nil
	}
	defer f.Close()
	const size = int(unsafe.Sizeof(page(0)))
	text := make([]byte, len(memory)/os.Getpagesize()*size)
	first := uintptr(unsafe.Pointer(unsafe.SliceData(memory))) / uintptr(os.Getpagesize())
	if _, err := f.ReadAt(text, int64(first)*int64(size)); err != nil {
		return nil
	}
	pages := make([]page, len(text)/size)
	for i := range pages {
		pages[i] = page(binary.NativeEndian.Uint64(text[i*size:]))
	}
	return pages
}

// ForgetUse has the system forget which pages of large libraries' code this process has used, so that OwnUsed moves
// those that are used from now on. Nothing is read anew: the pages are in the system's cache. Those that were changed or
// moved stay.
func ForgetUse() {
	large.used(func(run []byte, _ int) { _ = unix.Madvise(run, unix.MADV_DONTNEED) }) // else more is moved
}

// OwnUsed moves the code of large libraries that this process uses, as OpenOwn moves all code of others. Threads may run
// it meanwhile.
func OwnUsed() {
	large.used(func(run []byte, flags int) { copyPages(run, flags) })
}
