package halide

import (
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"zonemark/executor/dl"
)

// errorTexts collects the texts that pipelines report errors with. Threads of a pipeline may report several.
type errorTexts struct {
	// handler returns the address of a C function, a halide_error_handler_t: void (*)(void *context, const char *text).
	handler func() uintptr

	mu    sync.Mutex
	texts []string
}

const (
	maxErrorTexts = 4
	maxErrorBytes = 4096
)

func newErrorTexts() *errorTexts {
	e := &errorTexts{}
	// Made on first use: a process that describes artifacts needs none, and callbacks are never freed.
	e.handler = sync.OnceValue(func() uintptr {
		return dl.Callback(func(_ uintptr, text *byte) uintptr {
			e.add(text)
			return 0
		})
	})
	return e
}

// add keeps a copy of a C string.
func (e *errorTexts) add(text *byte) {
	n := 0
	for text != nil && n < maxErrorBytes && *(*byte)(unsafe.Add(unsafe.Pointer(text), n)) != 0 {
		n++
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if words := strings.TrimSpace(string(unsafe.Slice(text, n))); len(e.texts) < maxErrorTexts {
		e.texts = append(e.texts, words)
	}
}

// take returns the texts since it was called last, joined.
func (e *errorTexts) take() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	text := strings.Join(e.texts, "; ")
	e.texts = nil
	return text
}

// errorNames are the meanings of halide_error_code_t, from -1 on (HalideRuntime.h of 14 to 21, without its later ones).
var errorNames = []string{
	"generic error", "explicit bounds too small", "bad type", "access out of bounds", "buffer allocation too large",
	"buffer extents too large", "constraints make required region smaller", "constraint violated", "param too small",
	"param too large", "out of memory", "buffer argument is null", "debug to file failed", "copy to host failed",
	"copy to device failed", "device malloc failed", "device sync failed", "device free failed", "no device interface",
	"unimplemented", "symbol not found", "internal error", "device run failed", "unaligned host pointer", "bad fold",
	"fold factor too small", "requirement failed", "buffer extents negative",
}

// outOfMemory is halide_error_code_out_of_memory.
const outOfMemory = -11

// CallError reports that a pipeline has returned an error.
type CallError struct {
	Pipeline string
	Code     int32  // halide_error_code_t, or the pipeline's own
	Text     string // that the pipeline has given; may be empty
}

// Error returns Halide's text, or the meaning of the code.
func (e *CallError) Error() string {
	meaning := ""
	if i := -int(e.Code) - 1; i >= 0 && i < len(errorNames) {
		meaning = " (" + errorNames[i] + ")"
	}
	text := fmt.Sprintf("%s returned error %d%s", e.Pipeline, e.Code, meaning)
	if e.Text != "" {
		text += ": " + e.Text
	}
	return text
}
