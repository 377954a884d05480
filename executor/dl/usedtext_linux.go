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

// each calls visit with the code of libraries that are still open, and with what the system tells of its pages.
func (l *largeTexts) each(visit func(t largeText, pages []page)) {
	l.Lock()
	defer l.Unlock()
	for _, t := range l.all {
		if pages := pagesOf(t.text); t.of.handle != 0 && pages != nil {
			visit(t, pages)
		}
	}
}

// page is what the system tells of a page of this process: Documentation/admin-guide/mm/pagemap.rst.
type page uint64

func (p page) present() bool { return p>>63 != 0 }

// changed reports whether the page is not what the file has.
func (p page) changed() bool {
	const swapped, ofFile = 1 << 62, 1 << 61
	return p&swapped != 0 || p.present() && p&ofFile == 0
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
// those that are used from now on. Nothing is read anew: the pages are in the system's cache. Code that was changed
// stays as it is.
func ForgetUse() {
	large.each(func(t largeText, pages []page) {
		for _, p := range pages {
			if p.changed() {
				return
			}
		}
		_ = unix.Madvise(t.text, unix.MADV_DONTNEED) // else more is moved
	})
}

// OwnUsed moves the code of large libraries that this process has used, as OpenOwn moves all code of others. Threads may
// run it meanwhile.
func OwnUsed() {
	size := os.Getpagesize()
	large.each(func(t largeText, pages []page) {
		for from := 0; from < len(pages); from++ {
			end := from
			for end < len(pages) && pages[end].present() && !pages[end].changed() {
				end++
			}
			if end > from && !copyPages(t.text[from*size:end*size], t.flags) {
				return
			}
			from = end
		}
	})
}
