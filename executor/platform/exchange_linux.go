package platform

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"zonemark/invocations/loans"

	"golang.org/x/sys/unix"
)

// Exchange is memory in two parts that two processes have. Each process maps one of them at a time, and they change
// parts: physical pages differ in how they share caches, and with the parts this difference changes sides. The driver
// lends a part to one process at a time, so that none can write what the other one uses.
type Exchange struct {
	lender int // the end of a socket, on which the driver answers
	steps  int // a page that both processes have
	held   bool
}

// TakeExchange returns the exchange of a process that has inherited two descriptors, which begin at first: that of the
// lender, and that of the page for steps. It moves them to numbers above floor, which native code does not use by
// mistake.
func TakeExchange(first, floor int) (*Exchange, error) {
	x := &Exchange{}
	for i, fd := range []*int{&x.lender, &x.steps} {
		high, err := unix.FcntlInt(uintptr(first+i), unix.F_DUPFD_CLOEXEC, floor)
		if err != nil {
			return nil, fmt.Errorf("descriptor %d of memory to exchange: %w", first+i, err)
		}
		if err := unix.Close(first + i); err != nil {
			return nil, fmt.Errorf("descriptor %d of memory to exchange: %w", first+i, err)
		}
		*fd = high
	}
	return x, nil
}

// Take returns a descriptor of a part, which the caller closes.
func (x *Exchange) Take(part int) (fd int, err error) {
	if fd, err = x.ask(byte(part)); err == nil {
		x.held = true
	}
	return fd, err
}

// giveBack tells the lender that the part is mapped no more.
func (x *Exchange) giveBack() error {
	if !x.held {
		return nil
	}
	x.held = false
	_, err := x.ask(loans.Returned)
	return err
}

// ask sends a word and returns the descriptor that comes with the answer; -1 if none does.
func (x *Exchange) ask(word byte) (fd int, err error) {
	if _, err := unix.Write(x.lender, []byte{word}); err != nil {
		return -1, fmt.Errorf("ask for memory to exchange: %w", err)
	}
	answer, rights := []byte{loans.Refused}, make([]byte, unix.CmsgSpace(4))
	var n, have int
	for {
		if n, have, _, _, err = unix.Recvmsg(x.lender, answer, rights, unix.MSG_CMSG_CLOEXEC); err != unix.EINTR {
			break
		}
	}
	if err != nil {
		return -1, fmt.Errorf("ask for memory to exchange: %w", err)
	}
	if n == 0 || answer[0] != loans.Granted {
		return -1, errors.New("the other side of the comparison has not given back the memory that is this side's now")
	}
	if word == loans.Returned {
		return -1, nil
	}
	messages, err := unix.ParseSocketControlMessage(rights[:have])
	if err != nil || len(messages) != 1 {
		return -1, fmt.Errorf("memory to exchange came without a descriptor: %w", err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return -1, fmt.Errorf("memory to exchange came without a descriptor: %w", err)
	}
	return fds[0], nil
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
		return nil, nil, err
	}
	return whole[head:][:n], func() error { return errors.Join(unmapMemory(whole), s.Exchange.giveBack()) }, nil
}

// Replace puts memory of a part in the place of memory that AllocLayout has returned for another one, which is given
// back. Its contents are what the processes have left there. If the part is Nowhere, nothing can be read there until
// the memory is replaced again.
func (s Shared) Replace(b []byte) error {
	if s.Exchange == nil {
		return errors.New("no memory to exchange")
	}
	page := os.Getpagesize()
	offset := int(uintptr(unsafe.Pointer(unsafe.SliceData(b))) % uintptr(page))
	start := unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), -offset)
	size := (len(b) + offset + page - 1) / page * page
	_, err := unix.MmapPtr(-1, 0, start, uintptr(size), unix.PROT_NONE,
		unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_FIXED|unix.MAP_NORESERVE)
	if err != nil {
		return refused(len(b), err)
	}
	if err := s.Exchange.giveBack(); err != nil || s.Part == Nowhere {
		return err
	}
	return s.mapAt(start, size)
}

// mapAt maps the first bytes of a part at an address, in the place of what is there.
func (s Shared) mapAt(at unsafe.Pointer, size int) error {
	if s.Exchange == nil || s.Part < 0 || s.Part >= loans.Parts {
		return errors.New("no memory to exchange")
	}
	fd, err := s.Exchange.Take(s.Part)
	if err != nil {
		return err
	}
	defer unix.Close(fd) // the mapping stays
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return err
	}
	if page := int64(os.Getpagesize()); (stat.Size+page-1)/page*page < int64(size) { // there would be a SIGBUS
		return fmt.Errorf("the memory to exchange has %d bytes", stat.Size)
	}
	p, err := unix.MmapPtr(fd, 0, at, uintptr(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_FIXED)
	if err != nil {
		return refused(size, err)
	}
	b := unsafe.Slice((*byte)(p), size)
	switch err := unix.Madvise(b, unix.MADV_POPULATE_READ); err {
	case unix.ENOMEM, unix.EFAULT, unix.EHWPOISON:
		return refused(size, unix.ENOMEM)
	} // before Linux 5.14, filling it populates it
	return nil
}
