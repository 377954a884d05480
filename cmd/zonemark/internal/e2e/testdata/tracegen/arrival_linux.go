package main

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"zonemark/executor/dl"
)

// arriveWithin is how long the capture may take to receive everything.
const arriveWithin = 20 * time.Second

// waitForArrival waits until the capture has received all that was emitted.
//
// It emits a point of a new plot. Tracy sends the address of the plot's name with the point. When the capture has
// received the point, it asks for the text at that address, and the client's own thread reads it. The end of the text
// lies in a page of memory that nobody has touched, so the page becomes resident when the text is read. Tracy sends
// small amounts only once all of its queues are empty, so everything emitted before the point is sent no later than the
// point.
func waitForArrival(emitPlot uintptr) error {
	page := unix.Getpagesize()
	memory, err := unix.Mmap(-1, 0, 2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return fmt.Errorf("map a name: %w", err)
	}
	const name = "arrival"
	begin := page - len(name)
	copy(memory[begin:], name) // the zero byte behind it is the first one of the second page
	dl.Call(emitPlot, uintptr(unsafe.Pointer(&memory[begin])), 0)
	for began := time.Now(); time.Since(began) < arriveWithin; time.Sleep(time.Millisecond) {
		if read, err := resident(memory[page:]); read || err != nil {
			return err
		}
	}
	return fmt.Errorf("the capture has not received everything within %v", arriveWithin)
}

// resident reports whether a page is in memory. The slice begins at the page's first byte.
func resident(page []byte) (bool, error) {
	var state [1]byte
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(unsafe.SliceData(page))), uintptr(len(page)),
		uintptr(unsafe.Pointer(&state[0])))
	if errno != 0 {
		return false, fmt.Errorf("mincore: %w", errno)
	}
	return state[0]&1 != 0, nil
}

// heldName is the name of a process that has reached its end in the scenario hold.
const heldName = "held"

// hold names the process heldName, so that others see that the capture has everything, and then waits to be killed.
func hold() error {
	name := unsafe.StringData(heldName + "\x00")
	if err := unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(name)), 0, 0, 0); err != nil {
		return fmt.Errorf("name the process: %w", err)
	}
	time.Sleep(time.Hour)
	return errors.New("nobody has ended the process for an hour")
}
