package libpython

import (
	"strings"
	"unsafe"

	"zonemark/executor/dl"
)

// Exception is an exception that Python code has raised.
type Exception struct {
	Type      string // "ValueError"
	Message   string // the exception's own text
	Traceback string // the full text, as Python prints it
}

// Error returns the traceback, which ends with type and message.
func (e *Exception) Error() string { return strings.TrimSpace(e.Traceback) }

// exception takes the exception that a call has left.
func (i *Interpreter) exception() error {
	var kind, value, trace uintptr
	dl.Call(i.api.errFetch, uintptr(unsafe.Pointer(&kind)), uintptr(unsafe.Pointer(&value)),
		uintptr(unsafe.Pointer(&trace)))
	unknown := &Exception{Type: "SystemError", Message: "Python reports an error and names none"}
	unknown.Traceback = unknown.Type + ": " + unknown.Message
	if kind == 0 {
		return unknown
	}
	dl.Call(i.api.errNormalize, uintptr(unsafe.Pointer(&kind)), uintptr(unsafe.Pointer(&value)),
		uintptr(unsafe.Pointer(&trace)))
	arguments := dl.Call(i.api.newTuple, 3)
	if i.describe == 0 || arguments == 0 {
		i.releaseAll([]uintptr{kind, value, trace, arguments})
		return unknown
	}
	for n, object := range []uintptr{kind, value, trace} {
		if object == 0 {
			object = i.api.none
			dl.Call(i.api.incRef, object)
		}
		dl.Call(i.api.setTuple, arguments, uintptr(n), object) // takes over the reference
	}
	defer i.release(arguments)
	described := dl.Call(i.api.callObject, i.describe, arguments)
	if described == 0 { // computing the exception's text raises one too
		dl.Call(i.api.errClear)
		return unknown
	}
	defer i.release(described)
	all, err := i.string(described)
	if err != nil {
		return unknown
	}
	parts := strings.SplitN(all, "\x00", 3)
	if len(parts) != 3 {
		return unknown
	}
	return &Exception{Type: parts[0], Message: parts[1], Traceback: parts[2]}
}
