// Package tracy emits zones, messages and plots through the C API of the Tracy client that a loaded library contains.
// That is the runtime's own client, so that its zones and ours are in one capture. The package knows nothing of
// runtimes or of how a capture is read.
//
// Zones nest per thread of the operating system: the caller locks its goroutine to its thread from the first Begin to
// the last End.
package tracy

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"zonemark/executor/dl"
)

// The layouts are those of TracyC.h of Tracy 0.11.2; they are the same since 0.9.
const (
	// MaxTextBytes is the number of bytes of a text, name or message that Tracy can store, because their length has 16
	// bits. Longer ones are cut.
	MaxTextBytes = 1<<16 - 2
	// maxPartBytes bounds each string of a dynamic location. Its three strings and twelve bytes of numbers share one
	// 16-bit length.
	maxPartBytes = (1<<16 - 16) / 3
)

// Client is the Tracy client of a loaded library. A nil Client stands for a library without one: its zones do nothing,
// and it is never connected. Several threads may use a Client at once.
type Client struct {
	connected     uintptr `c:"___tracy_connected"`
	setThreadName uintptr `c:"___tracy_set_thread_name"`
	begin         uintptr `c:"___tracy_emit_zone_begin"`
	beginAlloc    uintptr `c:"___tracy_emit_zone_begin_alloc"`
	allocLocation uintptr `c:"___tracy_alloc_srcloc_name"`
	end           uintptr `c:"___tracy_emit_zone_end"`
	zoneText      uintptr `c:"___tracy_emit_zone_text"`
	zoneName      uintptr `c:"___tracy_emit_zone_name"`
	zoneValue     uintptr `c:"___tracy_emit_zone_value"`
	emitMessage   uintptr `c:"___tracy_emit_message,optional"`
	emitPlot      uintptr `c:"___tracy_emit_plot_int,optional"`

	mutex      sync.Mutex
	memory     permanent // guarded by mutex
	invocation StaticLocation
}

// New finds the functions of the Tracy client by name, usually with (dl.Library).Lookup. The error lists every function
// that is missing. A library without Tracy has none of them. Message and Plot may be missing from a good client,
// because newer versions have renamed their functions.
func New(lookup func(name string) (uintptr, error)) (*Client, error) {
	if lookup == nil {
		return nil, errors.New("tracy client: no library to look in")
	}
	c := &Client{}
	err := dl.Fill(lookup, c)
	var missing *dl.MissingError
	if errors.As(err, &missing) {
		return nil, fmt.Errorf("tracy client: the library lacks %s: "+
			"use a build with Tracy whose functions are exported: %w", strings.Join(missing.Names, ", "), missing.Err)
	}
	c.invocation, err = c.Locate(Location{Name: "invocation", Function: "invoke", File: "zonemark"})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Connected reports whether a capture is attached. The client keeps what is emitted before, and sends it when one
// attaches.
func (c *Client) Connected() bool {
	return c != nil && int32(dl.Call(c.connected)) != 0
}

// SetThreadName names the calling thread in the capture.
func (c *Client) SetThreadName(name string) {
	if c == nil {
		return
	}
	text := append([]byte(upToZero(name)), 0)
	dl.Call(c.setThreadName, uintptr(unsafe.Pointer(&text[0])))
}

// Message puts a text on the time line. It returns an error if this client has no such function.
func (c *Client) Message(text string) error {
	switch {
	case c == nil || text == "":
		return nil
	case c.emitMessage == 0:
		return errors.New("tracy client: the library lacks ___tracy_emit_message")
	}
	text = cut(text, MaxTextBytes)
	dl.Call(c.emitMessage, uintptr(unsafe.Pointer(unsafe.StringData(text))), uintptr(len(text)), 0)
	return nil
}

// Plot is a named series of numbers.
type Plot struct {
	client *Client
	name   uintptr
}

// NewPlot makes a series. Its name is kept as long as the process lives, because Tracy identifies plots by its address:
// make each plot once. NewPlot returns an error if this client has no plots, or if there is no memory.
func (c *Client) NewPlot(name string) (Plot, error) {
	if c == nil {
		return Plot{}, nil
	}
	if c.emitPlot == 0 {
		return Plot{}, errors.New("tracy client: the library lacks ___tracy_emit_plot_int")
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	p, err := c.memory.string(name)
	return Plot{c, p}, err
}

// Set adds a point at the present time.
func (p Plot) Set(value int64) {
	if p.client != nil {
		dl.Call(p.client.emitPlot, p.name, uintptr(value))
	}
}

// cut returns the beginning of s that fits into limit bytes.
func cut(s string, limit int) string { return s[:min(len(s), limit)] }

// upToZero returns s as C reads it: up to the first zero byte.
func upToZero(s string) string {
	s, _, _ = strings.Cut(s, "\x00")
	return s
}
