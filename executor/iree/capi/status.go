package capi

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"zonemark/executor/dl"
	"zonemark/invocations/lazyregexp"
)

// StatusError is an iree_status_t that is not OK.
type StatusError struct {
	Code int    // iree_status_code_t
	Text string // the runtime's own text, without the places in its sources
}

func (e *StatusError) Error() string { return e.Text }

// VersionError reports a module that was compiled for another version of the runtime.
type VersionError struct {
	What            string // "bytecode" or "executable library"
	Module, Runtime string // versions; Module is empty if the runtime does not report it
	Status          *StatusError
}

func (e *VersionError) Error() string {
	const remedy = "compile the module again with the iree-compile that belongs to this runtime, or choose the " +
		"runtime that belongs to the compiler"
	if e.Module == "" {
		return fmt.Sprintf("the module's %s is of another version than %s, which this runtime loads: %s (the runtime "+
			"says: %s)", e.What, e.Runtime, remedy, e.Status)
	}
	return fmt.Sprintf("the module has %s version %s, this runtime loads %s: %s", e.What, e.Module, e.Runtime, remedy)
}

func (e *VersionError) Unwrap() error { return e.Status }

// Limits of what is copied of a status. Stack traces and nested modules make some of them very long.
const (
	statusBytes     = 16 << 10
	statusCodeMask  = 31 // the code is in the low bits of the pointer; IREE_STATUS_CODE_MASK
	statusTextBytes = 1000
)

// check turns a status that the runtime returned into an error and releases it. It returns nil if the status is OK.
func (l *Library) check(status uintptr) error {
	if status == 0 {
		return nil
	}
	buffer := make([]byte, statusBytes)
	var length uintptr
	text := ""
	if dl.Call(l.api.statusFormat, status, uintptr(len(buffer)), uintptr(unsafe.Pointer(&buffer[0])),
		uintptr(unsafe.Pointer(&length)))&0xff != 0 {
		text = string(buffer[:min(length, uintptr(len(buffer)))])
	}
	code := int(status & statusCodeMask)
	dl.Call(l.api.statusIgnore, status) // releases it
	return statusError(code, text)
}

// statusError returns the error for a status: a VersionError if it is about versions.
func statusError(code int, text string) error {
	status := &StatusError{Code: code, Text: cleaned(text)}
	if status.Text == "" {
		status.Text = fmt.Sprintf("IREE status code %d", code)
	}
	if m := bytecodeMismatch().FindStringSubmatch(text); m != nil {
		return &VersionError{What: "bytecode", Module: m[2], Runtime: m[1], Status: status}
	}
	if m := executableMismatch().FindStringSubmatch(text); m != nil {
		return &VersionError{What: "executable library", Runtime: executableVersion(m[1]), Status: status}
	}
	return status
}

// The messages of the runtime about versions: iree/vm/bytecode/verifier.c and iree/hal/local/loaders/*.c.
var (
	bytecodeMismatch   = lazyregexp.New(`bytecode version mismatch; runtime supports ([0-9.]+), module has ([0-9.]+)`)
	executableMismatch = lazyregexp.New(`executable does not support this version of the runtime \(([0-9A-F]{8})\)`)
)

// executableVersion returns the version of an executable library interface from the number in its header: major in the
// high half, minor in the low half.
func executableVersion(hexadecimal string) string {
	var v uint32
	if _, err := fmt.Sscanf(hexadecimal, "%X", &v); err != nil {
		return hexadecimal
	}
	return fmt.Sprintf("%d.%d", v>>16, v&0xffff)
}

var (
	sourceLine = lazyregexp.New(`(?:[A-Za-z0-9_.+-]*/)+[A-Za-z0-9_.+-]+\.(?:c|h|cc|cpp|inl):[0-9]+: *`)
	// stackStart matches where the native stack or that of the virtual machine begins. It is always the end of a
	// status.
	stackStart = lazyregexp.New(`(?i)\n\s*(?:stack trace|backtrace|0x[0-9a-f]{6,})` +
		`|; while invoking native function|\[ *0\] (?:bytecode|native)`)
)

// cleaned returns a formatted status on one line: without places in the runtime's sources, stacks and control
// characters, and cut if it is very long.
func cleaned(text string) string {
	if i := stackStart().FindStringIndex(text); i != nil {
		text = text[:i[0]]
	}
	text = sourceLine().ReplaceAllString(text, "")
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	text = strings.Trim(text, "; ")
	if len(text) > statusTextBytes {
		text = strings.ToValidUTF8(text[:statusTextBytes], "") + " …"
	}
	return text
}

// memory is zeroed memory of the runtime's allocator.
type memory struct {
	address unsafe.Pointer
	library *Library
}

// allocate returns zeroed memory that does not move until it is freed.
func (l *Library) allocate(bytes uintptr) (memory, error) {
	m := memory{library: l}
	status := dl.Call(l.api.allocatorMalloc, 0, l.api.allocatorLibcCtl, bytes, uintptr(unsafe.Pointer(&m.address)))
	return m, l.check(status)
}

func (m *memory) free() {
	if m.address != nil {
		dl.Call(m.library.api.allocatorFree, 0, m.library.api.allocatorLibcCtl, uintptr(m.address))
		m.address = nil
	}
}

func (m *memory) word() uintptr { return uintptr(m.address) }
