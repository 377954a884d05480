// Package halprofile decodes the records of IREE's profiler for devices (the hardware abstraction layer, HAL), from a
// sink in the process or from .ireeprof files. It knows which operation ran when. It knows nothing of calls, measuring
// or native code.
//
// Layouts are those of IREE 3.13, iree/hal/profile_schema.h and the bundle format 1.6, little endian. Records begin
// with their own length. What follows the fields that are known here is skipped.
package halprofile

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// Kind is what an event did; iree_hal_profile_queue_event_type_t.
type Kind uint32

// The kinds of events.
const (
	Barrier Kind = 1 + iota
	Dispatch
	Execute // a whole command buffer
	Copy
	Fill
	Update
	Read
	Write
	Alloca
	Dealloca
	HostCall
)

// NoCommand is the Command of an event that does not belong to a recorded command buffer.
const NoCommand = 1<<32 - 1

// Event is one operation that the host executed (iree_hal_profile_host_execution_event_t), or a dispatch that a device
// has timed by a clock of its own.
type Event struct {
	Kind           Kind
	OnDevice       bool   // timed by a device
	Status         uint32 // iree_status_code_t, 0 for success
	ID, Submission uint64 // both grow in the order in which work was given to the device
	CommandBuffer  uint64 // 0 if there is none
	Function       FunctionKey
	Command        uint32    // index in its command buffer, or NoCommand
	Workgroups     [3]uint32 // counts along x, y, z
	StartNS, EndNS int64     // on the system's monotonic clock
	Tiles          uint64    // pieces that the workgroups were handed out in; 0 if unknown
	TileNS         int64     // sum of their durations, more than the event's if they ran at the same time
}

// FunctionKey identifies a function of a dispatch library within one profile.
type FunctionKey struct {
	Executable uint64
	Ordinal    uint32
}

// Records holds the records of a profile, in the order of arrival.
type Records struct {
	Functions map[FunctionKey]string // names
	Events    []Event
	Dropped   uint64 // records that the profiler lost

	device     uint32 // of the chunk that is read
	clocks     map[uint32]clock
	dispatches []deviceDispatch // whose times are not on the host's clock yet
}

const contentPrefix = "application/vnd.iree.hal.profile."

// Sizes of records up to the last field that is read here.
const (
	eventBytes    = 152
	functionBytes = 64
)

// Add decodes a chunk: records of one kind, of which the profiler dropped some. It skips kinds that are not needed
// here. After an error the records before the bad one are kept. Dispatches of devices become events in Decode, which knows
// all samples of their clocks.
func (r *Records) Add(contentType string, data []byte, dropped uint64) error {
	kind := strings.TrimPrefix(contentType, contentPrefix)
	var add func(record []byte) error
	minimum := 0
	switch kind {
	case "host-execution-events":
		add, minimum = r.addEvent, eventBytes
	case "dispatch-events":
		add, minimum = r.addDeviceDispatch, deviceDispatchBytes
	case "clock-correlations":
		add, minimum = r.addCorrelation, correlationBytes
	case "executable-functions":
		add, minimum = r.addFunction, functionBytes
	default:
		r.Dropped += dropped
		return nil
	}
	r.Dropped += dropped
	for at := 0; at < len(data); {
		rest := data[at:]
		if len(rest) < 4 {
			return fmt.Errorf("%s: byte %d: a record's length is cut off", kind, at)
		}
		n := binary.LittleEndian.Uint32(rest)
		if uint64(n) < uint64(minimum) || uint64(n) > uint64(len(rest)) {
			return fmt.Errorf("%s: byte %d: a record of %d bytes, where %d to %d fit", kind, at, n, minimum, len(rest))
		}
		if err := add(rest[:n]); err != nil {
			return fmt.Errorf("%s: byte %d: %w", kind, at, err)
		}
		at += int(n)
	}
	return nil
}

// addEvent decodes a record of at least eventBytes.
func (r *Records) addEvent(b []byte) error {
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
	e := Event{
		Kind: Kind(u32(4)), Status: u32(12), ID: u64(16), Submission: u64(24), CommandBuffer: u64(32),
		Function: FunctionKey{u64(40), u32(76)}, Command: u32(72),
		Workgroups: [3]uint32{u32(80), u32(84), u32(88)},
		StartNS:    int64(u64(104)), EndNS: int64(u64(112)),
		Tiles: u64(128), TileNS: int64(u64(136)),
	}
	if e.EndNS < e.StartNS {
		return fmt.Errorf("event %d ends %d ns before it begins", e.ID, e.StartNS-e.EndNS)
	}
	r.Events = append(r.Events, e)
	return nil
}

// addFunction decodes a record of at least functionBytes: fields, then the name.
func (r *Records) addFunction(b []byte) error {
	length := binary.LittleEndian.Uint32(b[44:])
	if uint64(length) > uint64(len(b)-functionBytes) {
		return fmt.Errorf("a function's name of %d bytes in a record of %d", length, len(b))
	}
	if r.Functions == nil {
		r.Functions = make(map[FunctionKey]string)
	}
	key := FunctionKey{binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint32(b[16:])}
	r.Functions[key] = strings.ToValidUTF8(string(b[functionBytes:functionBytes+int(length)]), "\ufffd")
	return nil
}

// Name returns the name of a function, or its numbers if the profile has no name for it.
func (r *Records) Name(k FunctionKey) string {
	if name := r.Functions[k]; name != "" {
		return name
	}
	return fmt.Sprintf("executable %d, function %d", k.Executable, k.Ordinal)
}
