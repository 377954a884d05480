// Package trace is the model of a Tracy capture, and the reader of .tracy files of Tracy 0.9 to 0.14: zones, messages,
// frames, plots and GPU zones are read from the file in passes of bounded memory. It knows nothing of what anybody does
// with them.
package trace

import (
	"math"
	"strconv"
	"strings"
)

// Location is a source location: the static part of a zone.
type Location struct {
	Name     string // as the program named the zone; empty when it did not
	Function string
	File     string
	Line     uint32
	Color    uint32
}

// Place is "file:line", or empty if the capture does not know it.
func (l *Location) Place() string {
	if l.File == "" {
		return ""
	}
	return l.File + ":" + strconv.FormatUint(uint64(l.Line), 10)
}

// Label is the name of the location, else its function.
func (l *Location) Label() string {
	if l.Name != "" {
		return l.Name
	}
	return l.Function
}

// Thread is a thread of the traced program. Its index in a capture is Tracy's compressed thread index.
type Thread struct {
	ID   uint64 // of the operating system; 0 when only the index is known
	Name string
}

// Zone is one timed stretch of one thread. Strings and the location are shared between zones and live as long as the
// capture.
type Zone struct {
	// position in order of beginning on all threads as they are stored: a parent comes before its children
	Ordinal  int64
	Parent   int64 // ordinal of the enclosing zone on the same thread; -1: none
	Depth    int   // enclosing zones
	Thread   int   // index of the thread
	Location *Location

	DynamicName string // given to this zone alone; empty: none
	Text        string // as it is stored, a value on its last line included; see Value
	Color       uint32 // given to this zone alone; 0: none

	StartNS    int64
	DurationNS int64
	SelfNS     int64 // DurationNS without the children
	Unfinished bool  // still open when the capture ended; it then ends with the capture
	Repeats    bool  // inside another zone of its name and place, whose time holds its own
}

// Name is the zone's own name, else that of its location, else the function.
func (z *Zone) Name() string {
	if z.DynamicName != "" {
		return z.DynamicName
	}
	return z.Location.Label()
}

// EndNS is the end of the zone.
func (z *Zone) EndNS() int64 { return z.StartNS + z.DurationNS }

// Value splits the text into what was given as text and the value that Tracy appends to it on a line of its own, "42
// [0x2a]".
func (z *Zone) Value() (text string, value uint64, ok bool) { return CutValue(z.Text) }

// CutValue is Zone.Value of a text.
func CutValue(stored string) (text string, value uint64, ok bool) {
	if !strings.HasSuffix(stored, "]") {
		return stored, 0, false
	}
	text, last := "", stored
	if i := strings.LastIndexByte(stored, '\n'); i >= 0 {
		text, last = stored[:i], stored[i+1:]
	}
	decimal, hexadecimal, found := strings.Cut(last, " [0x")
	if !found {
		return stored, 0, false
	}
	value, err := strconv.ParseUint(decimal, 10, 64)
	if err != nil || hexadecimal != strconv.FormatUint(value, 16)+"]" {
		return stored, 0, false
	}
	return text, value, true
}

// AddNS adds without turning round: sums of hostile durations end at the greatest time there is.
func AddNS(sum, ns int64) int64 {
	if ns > 0 && sum > math.MaxInt64-ns {
		return math.MaxInt64
	}
	return sum + max(ns, 0)
}
