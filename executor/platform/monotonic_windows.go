package platform

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Monotonic reads the performance counter. On Windows, the clock of the Go runtime advances in steps of up to 16
// milliseconds.
type Monotonic struct {
	query  *windows.LazyProc
	nsTick float64
	epoch  time.Time
}

func NewMonotonic(epoch time.Time) Monotonic {
	kernel := windows.NewLazySystemDLL("kernel32.dll")
	m := Monotonic{query: kernel.NewProc("QueryPerformanceCounter"), epoch: epoch}
	var perSecond int64
	kernel.NewProc("QueryPerformanceFrequency").Call(uintptr(unsafe.Pointer(&perSecond)))
	if perSecond > 0 {
		m.nsTick = 1e9 / float64(perSecond)
	}
	return m
}

// NowNS returns the nanoseconds since a fixed moment.
func (m Monotonic) NowNS() int64 {
	if m.nsTick == 0 {
		return int64(time.Since(m.epoch))
	}
	var ticks int64
	m.query.Call(uintptr(unsafe.Pointer(&ticks)))
	return int64(float64(ticks) * m.nsTick)
}
