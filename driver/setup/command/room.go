package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// trialBytes are written to find out whether a disk is full. A program that failed for want of room may have removed
// what it wrote, but a disk with less room than this holds no component.
const trialBytes = 4 << 20

// NoRoom returns an error that says that the disk is full if that is why a program failed; else nil. Python's own
// message names the module that failed to unpack something, which sounds as if it were missing.
func NoRoom(failed *Error, folder string) error {
	if !failed.Says("No space left on device", "Disk quota exceeded") && !isFull(filepath.Dir(folder)) {
		return nil
	}
	return fmt.Errorf("no room on the disk of %s: %w; make room, or set ZONEMARK_HOME to a folder on another disk",
		folder, failed)
}

// isFull reports whether a small file cannot be written to a folder for want of room.
func isFull(folder string) bool {
	f, err := os.CreateTemp(folder, ".room-*")
	if err != nil {
		return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, trialBytes))
	err = errors.Join(err, f.Close())
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
