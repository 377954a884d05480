package trace

import (
	"errors"
	"fmt"
)

// FormatError says where a capture cannot be read on, and why.
type FormatError struct {
	Path    string
	Section string // part of the file: "container", "strings", "zones" …
	Offset  int64  // byte in the file for the container, else in the inflated stream
	Err     error
}

// Error names file, section and byte.
func (e *FormatError) Error() string {
	place := "of the inflated stream"
	if e.Section == sectionContainer {
		place = "of the file"
	}
	return fmt.Sprintf("%s: %s, byte %d %s: %v", e.Path, e.Section, e.Offset, place, e.Err)
}

// Unwrap returns the reason, among them ErrTruncated, ErrNewer and ErrOlder.
func (e *FormatError) Unwrap() error { return e.Err }

// Reasons of a FormatError that a caller may want to tell apart.
var (
	ErrTruncated = errors.New("the capture ends too early; it was cut or is still being written")
	ErrNewer     = errors.New("the capture is newer than this program knows; take a newer zonemark or record with " +
		"Tracy 0.14 or older")
	ErrOlder = errors.New("the capture is older than 0.9; bring it up to date with the tracy-update tool of " +
		"Tracy 0.9 to 0.11")
)

const sectionContainer = "container"
