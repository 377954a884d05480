package pjrt

import (
	"errors"
	"fmt"
	"unsafe"

	"zonemark/executor/dl"
)

// Error is the answer of a plugin that did not succeed, in its own words.
type Error struct {
	Function string // the called function, "PJRT_Client_Compile"
	Code     Code
	Message  string
}

// Error returns the function, the code and the plugin's message.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s: %s", e.Function, e.Code, e.Message) }

// AbsentError reports a function that a plugin's table does not have.
type AbsentError struct {
	Function  string // the missing function, "PJRT_Executable_OutputDimensions"
	Version   string // of the plugin's API
	Functions int    // the number of functions in the plugin's table
}

// Error returns what is missing and what to do.
func (e *AbsentError) Error() string {
	return fmt.Sprintf("the plugin's PJRT API %s has %d functions and no %s; take a newer plugin",
		e.Version, e.Functions, e.Function)
}

// NotImplemented reports whether an error is that a plugin does not have a function, or has it in its table and does not
// implement it.
func NotImplemented(err error) bool {
	var absent *AbsentError
	var failed *Error
	return errors.As(err, &absent) || errors.As(err, &failed) && failed.Code == Unimplemented
}

// Code is a canonical status code, PJRT_Error_Code of pjrt_c_api.h.
type Code int32

// These are the codes of errors for lack of memory, and of functions that a plugin does not implement.
const (
	ResourceExhausted Code = 8
	Unimplemented     Code = 12
)

// String returns the code's canonical name, "INVALID_ARGUMENT".
func (c Code) String() string {
	names := [...]string{"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
		"ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED",
		"FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
		"UNAUTHENTICATED"}
	if c >= 0 && int(c) < len(names) {
		return names[c]
	}
	return fmt.Sprintf("code %d", int32(c))
}

// maxMessage limits how much of a message is kept. Compilers put whole programs into their messages.
const maxMessage = 16 << 10

// failure reads and destroys an error.
func (p *Plugin) failure(f function, failed uintptr) error {
	message := errorMessageArgs{base: sized[errorMessageArgs](), failed: failed}
	dl.Call(p.functions[errorMessage.index], uintptr(unsafe.Pointer(&message)))
	e := &Error{Function: f.String(), Code: 2} // UNKNOWN
	if message.text != 0 {
		e.Message = text(message.text, min(message.size, maxMessage))
		if message.size > maxMessage {
			e.Message += "…"
		}
	}
	if p.has(errorGetCode) {
		code := errorGetCodeArgs{base: sized[errorGetCodeArgs](), failed: failed}
		if again := dl.Call(p.functions[errorGetCode.index], uintptr(unsafe.Pointer(&code))); again == 0 {
			e.Code = Code(code.code)
		} else {
			p.destroyError(again)
		}
	}
	p.destroyError(failed)
	return e
}

func (p *Plugin) destroyError(failed uintptr) {
	args := handleArgs{base: sized[handleArgs](), handle: failed}
	dl.Call(p.functions[errorDestroy.index], uintptr(unsafe.Pointer(&args)))
}

// text copies a text of the plugin.
func text(address, size uintptr) string {
	if address == 0 || size == 0 {
		return ""
	}
	return string(unsafe.Slice((*byte)(at(address)), size))
}
