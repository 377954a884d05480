package platform

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// RawNS returns the time of the system's clock in nanoseconds: this system offers no raw monotonic one.
func RawNS() int64 { return time.Now().UnixNano() }

// ThreadCPUTimeNS returns the CPU time that the calling thread has used, in nanoseconds, or 0 if the system does not
// report it.
func ThreadCPUTimeNS() int64 {
	var created, exited, kernel, user windows.Filetime
	getThreadTimes := windows.NewLazySystemDLL("kernel32.dll").NewProc("GetThreadTimes")
	ok, _, _ := getThreadTimes.Call(uintptr(windows.CurrentThread()),
		uintptr(unsafe.Pointer(&created)), uintptr(unsafe.Pointer(&exited)),
		uintptr(unsafe.Pointer(&kernel)), uintptr(unsafe.Pointer(&user)))
	if ok == 0 {
		return 0
	}
	ticks := func(t windows.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) }
	return 100 * (ticks(kernel) + ticks(user))
}

// ProcessCPUTimeNS returns 0: it is not read on this system.
func ProcessCPUTimeNS() int64 { return 0 }
