package platform

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Exchange is memory in two parts that two processes have. Each process maps one of them at a time, and they change
// parts: physical pages differ in how they share caches, and with the parts this difference changes sides.
type Exchange struct{ fds [ExchangeParts]int }

// TakeExchange returns the exchange whose parts are open as two inherited descriptors, which begin at first. It moves
// them to numbers above floor, which native code does not use by mistake.
func TakeExchange(first, floor int) (*Exchange, error) {
	x := &Exchange{}
	for i := range x.fds {
		high, err := unix.FcntlInt(uintptr(first+i), unix.F_DUPFD_CLOEXEC, floor)
		if err != nil {
			return nil, fmt.Errorf("descriptor %d of memory to exchange: %w", first+i, err)
		}
		if err := unix.Close(first + i); err != nil {
			return nil, fmt.Errorf("descriptor %d of memory to exchange: %w", first+i, err)
		}
		x.fds[i] = high
	}
	return x, nil
}

// alloc maps n bytes of a part, populated. Their contents are what the processes have left there. They begin where a huge
// page could: processors join the translations of small pages that lie beside each other in both memories, which address
// decides, and a function took a third more time in one of two processes.
func (s Shared) alloc(n int) (b []byte, free func() error, err error) {
	page := os.Getpagesize()
	size := (n + page - 1) / page * page
	whole, err := unix.Mmap(-1, 0, size+hugePage, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, refused(n, err)
	}
	head := int(-uintptr(unsafe.Pointer(unsafe.SliceData(whole))) % hugePage)
	if err := s.mapAt(unsafe.Pointer(&whole[head]), size); err != nil {
		_ = unmapMemory(whole) // which nobody has used
		return nil, nil, refused(n, err)
	}
	return whole[head:][:n], func() error { return unmapMemory(whole) }, nil
}

// Replace puts memory of a part in the place of memory that AllocLayout has returned for the other part. Its contents
// are what the processes have left there.
func (s Shared) Replace(b []byte) error {
	page := os.Getpagesize()
	offset := int(uintptr(unsafe.Pointer(unsafe.SliceData(b))) % uintptr(page))
	start := unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), -offset)
	if err := s.mapAt(start, (len(b)+offset+page-1)/page*page); err != nil {
		return refused(len(b), err)
	}
	return nil
}

// mapAt maps the first bytes of a part at an address, in the place of what is there.
func (s Shared) mapAt(at unsafe.Pointer, size int) error {
	if s.Exchange == nil || s.Part < 0 || s.Part >= ExchangeParts {
		return errors.New("no memory to exchange")
	}
	fd := s.Exchange.fds[s.Part]
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return err
	}
	if page := int64(os.Getpagesize()); (stat.Size+page-1)/page*page < int64(size) { // there would be a SIGBUS
		return fmt.Errorf("the memory to exchange has %d bytes", stat.Size)
	}
	p, err := unix.MmapPtr(fd, 0, at, uintptr(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_FIXED)
	if err != nil {
		return err
	}
	b := unsafe.Slice((*byte)(p), size)
	switch err := unix.Madvise(b, unix.MADV_POPULATE_READ); err {
	case unix.ENOMEM, unix.EFAULT, unix.EHWPOISON:
		return unix.ENOMEM
	} // before Linux 5.14, filling it populates it
	return nil
}
