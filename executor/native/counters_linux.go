//go:build linux && (amd64 || arm64)

package native

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// OpenCounters opens cycles, instructions and the given events for the calling thread. The goroutine must be locked to
// that thread, which must be the one that is measured. The events count in user mode only and begin stopped. The error
// is a *CountersError if the machine, its settings or other users of the counters leave nothing to count, or if the
// counts of a loop of known length are wrong.
func OpenCounters(events []Event) (*Counters, error) {
	c, err := openEvents(events, openPerfEvent, func() { spin(time.Millisecond) })
	if err != nil {
		return nil, err
	}
	if !c.hasHardware() {
		c.Close()
		return nil, &CountersError{noHardware}
	}
	if err := c.check(); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// hasHardware reports whether the processor, and not the kernel, counts any open event.
func (c *Counters) hasHardware() bool {
	for _, e := range c.events {
		if e.Type != eventSoftware {
			return true
		}
	}
	return false
}

// spin computes for d without a system call.
func spin(d time.Duration) {
	for start := time.Now(); time.Since(start) < d; {
	}
}

// perfEvent is one descriptor of perf_event_open(2).
type perfEvent struct {
	fd     int
	mapped []byte // one page, laid out as perf_event_mmap_page; nil unless mapped
}

// firstDescriptor is the lowest number of the descriptors if the limit allows: native code that closes small numbers
// then misses them.
const firstDescriptor = 4101

// openPerfEvent opens an event of the calling thread on any CPU.
func openPerfEvent(e Event, inherit bool) (openEvent, error) {
	attr := unix.PerfEventAttr{
		Type: e.Type, Config: e.Config, Ext1: e.Config1, Ext2: e.Config2,
		Size:        uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Bits:        unix.PerfBitDisabled | unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
		Read_format: unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING,
	}
	if inherit {
		// The event is not pinned: the kernel does not report that a pinned event loses its counter in an inheriting
		// thread. If it is not pinned, the times of its reading differ then.
		attr.Bits |= unix.PerfBitInherit
	} else {
		attr.Bits |= unix.PerfBitPinned
	}
	fd, err := unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return nil, openError(e, err)
	}
	if high, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, firstDescriptor); err == nil {
		unix.Close(fd)
		fd = high
	}
	p := &perfEvent{fd: fd}
	if !inherit && runtime.GOARCH == "amd64" {
		// Without a page the counts can still be read by read(2).
		p.mapped, _ = unix.Mmap(fd, 0, os.Getpagesize(), unix.PROT_READ, unix.MAP_SHARED)
	}
	return p, nil
}

func (p *perfEvent) enable() error  { return unix.IoctlSetInt(p.fd, unix.PERF_EVENT_IOC_ENABLE, 0) }
func (p *perfEvent) disable() error { return unix.IoctlSetInt(p.fd, unix.PERF_EVENT_IOC_DISABLE, 0) }

func (p *perfEvent) read() (reading, error) {
	var r reading
	b := unsafe.Slice((*byte)(unsafe.Pointer(&r)), unsafe.Sizeof(r))
	n, err := unix.Read(p.fd, b)
	switch {
	case err != nil:
		return reading{}, err
	case n == 0: // a pinned event has lost its counter
		return reading{}, io.EOF
	case n != len(b):
		return reading{}, fmt.Errorf("%d bytes, want %d", n, len(b))
	}
	return r, nil
}

// capUserReadPMC is cap_user_rdpmc of the capabilities in perf_event_mmap_page.
const capUserReadPMC = 1 << 2

func (p *perfEvent) page() uintptr {
	if p.mapped == nil {
		return 0
	}
	page := (*unix.PerfEventMmapPage)(unsafe.Pointer(unsafe.SliceData(p.mapped)))
	if page.Capabilities&capUserReadPMC == 0 {
		return 0
	}
	return uintptr(unsafe.Pointer(page))
}

func (p *perfEvent) close() error {
	var err error
	if p.mapped != nil {
		err = unix.Munmap(p.mapped)
		p.mapped = nil
	}
	return errors.Join(err, unix.Close(p.fd))
}

// openError returns why perf_event_open failed: a *refusal if the reason holds for this event, a *CountersError if it
// holds for all.
func openError(e Event, err error) error {
	switch err {
	case unix.ENOENT, unix.EOPNOTSUPP, unix.ENODEV:
		return &refusal{"this machine does not count it"}
	case unix.EINVAL:
		return &refusal{fmt.Sprintf("the kernel refuses type %d, config %#x on this processor", e.Type, e.Config)}
	case unix.EACCES, unix.EPERM:
		return &CountersError{forbidden(paranoid())}
	case unix.ENOSYS:
		return &CountersError{"the kernel has no perf events, or a container's seccomp filter hides them"}
	}
	return &CountersError{fmt.Sprintf("open %s: %v", e.Name, err)}
}

const paranoidFile = "/proc/sys/kernel/perf_event_paranoid"

// paranoid reads the setting that limits perf events of ordinary users.
func paranoid() (level int, known bool) {
	b, err := os.ReadFile(paranoidFile)
	if err != nil {
		return 0, false
	}
	level, err = strconv.Atoi(strings.TrimSpace(string(b)))
	return level, err == nil
}

// forbidden returns which setting refuses events. Up to level 2, the kernel lets everybody count in user mode.
func forbidden(level int, known bool) string {
	const filter = "a seccomp filter, such as a container's, or a security module refuses perf_event_open"
	switch {
	case !known:
		return "not permitted: " + paranoidFile + " must be 2 or less, or " + filter
	case level > 2:
		return fmt.Sprintf("not permitted: %s is %d; 2 or less would allow them", paranoidFile, level)
	}
	return fmt.Sprintf("%s (%s is %d, which allows them)", filter, paranoidFile, level)
}
