package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// NoRoomError tells that a capture was cut since its disk is full. Capture tools do not notice that.
type NoRoomError struct {
	Path string // of the capture
	Err  error  // of the system
}

func (e *NoRoomError) Error() string {
	return fmt.Sprintf("tracy capture: there is no room on the disk of %s: %v; no capture is kept; make "+
		"room, or keep it on another disk", e.Path, e.Err)
}

func (e *NoRoomError) Unwrap() error { return e.Err }

// isTorn reports whether a capture ends within one of its blocks {u32 size, content} (Tracy's TracyFileWrite.hpp). Of a
// file with another signature nothing is said.
func isTorn(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false
	}
	begin := make([]byte, 6)
	n, _ := io.ReadFull(f, begin) // a shorter file is torn, if it is a capture
	offset := int64(6)
	switch {
	case bytes.HasPrefix(begin[:n], []byte{'t', 'r', 0xFD, 'P'}):
	case bytes.HasPrefix(begin[:n], []byte{'t', 'l', 'Z', 4}), bytes.HasPrefix(begin[:n], []byte("tZst")):
		offset = 4
	default:
		return false
	}
	var size [4]byte
	for offset < info.Size() {
		if _, err := f.ReadAt(size[:], offset); err != nil {
			return true
		}
		offset += int64(len(size)) + int64(binary.LittleEndian.Uint32(size[:]))
	}
	return offset > info.Size()
}

// trialBytes are written to find out whether a disk is full.
const trialBytes = 256 << 10

// noRoom returns the error with which a small file cannot be written beside a capture; nil if it can be.
func noRoom(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".room-*")
	if err == nil {
		defer os.Remove(f.Name())
		_, err = f.Write(make([]byte, trialBytes))
		err = errors.Join(err, f.Close())
	}
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		if errors.Is(err, full) {
			return full
		}
	}
	return nil
}
