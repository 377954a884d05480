package capi

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"zonemark/executor/dl"
)

// Families are the kinds of data that a profile holds: iree_hal_device_profiling_data_families_t. A device refuses
// those that it cannot give.
type Families uint64

// The families that local devices give and zonemark reads.
const (
	HostExecutionEvents Families = 1 << 1
	ExecutableMetadata  Families = 1 << 5
)

// EventCapacity is how many records of one kind a local device holds between two flushes:
// IREE_HAL_LOCAL_PROFILE_DEFAULT_EVENT_CAPACITY. Later records are lost.
const EventCapacity = 4096

// Chunk is a piece of a profile: records of one kind.
type Chunk struct {
	ContentType string // "application/vnd.iree.hal.profile.host-execution-events", …
	Data        []byte // the records; the receiver may keep them
	Dropped     uint64 // records of this kind that were lost since the previous chunk
}

// Profiling is a running profile of a device.
type Profiling struct {
	device *Device
	memory memory // memory of a profileSink and its table
	sink   *profileSink
	pinned runtime.Pinner // pins the receiver
}

// receiver is the Go side of a sink.
type receiver struct {
	mutex   sync.Mutex // chunks come on the flushing thread, and some on threads of the device
	receive func(Chunk) error
	err     error // the first one
}

// profileSink is iree_hal_profile_sink_t, followed by a pointer to our receiver. It is in the runtime's memory.
type profileSink struct {
	references uint32
	_          uint32
	table      *profileSinkTable
	receiver   *receiver // pinned while the profile runs, and referred to by Profiling
}

// profileSinkTable is iree_hal_profile_sink_vtable_t.
type profileSinkTable struct{ destroy, begin, write, end uintptr }

// manyReferences is a reference count so high that the runtime never frees a sink: we free the memory.
const manyReferences = 1 << 20

// profilingOptions is iree_hal_device_profiling_options_t.
type profilingOptions struct {
	_        [2]uint32 // flags
	families Families
	sink     *profileSink
	_        [6]uint64 // filter: none
	_        [2]uint64 // counter sets: none
}

// chunkMetadata is iree_hal_profile_chunk_metadata_t.
type chunkMetadata struct {
	contentType stringView
	_           stringView // name
	_           [5]uint64  // ids: session, stream, event, executable, command buffer
	_           [2]uint32  // ordinals: device, queue
	_           uint64     // flags
	dropped     uint64
}

// statusInternal is IREE_STATUS_INTERNAL, which a sink returns if its receiver failed.
const statusInternal = 13

// sinkFunctions returns the C functions of every sink of the process. They are made once, since a process can have only
// a limited number and they are never freed. The sink says which receiver a call is for.
var sinkFunctions = sync.OnceValue(func() profileSinkTable {
	nothing := dl.Callback(func(*profileSink) uintptr { return 0 })
	return profileSinkTable{
		destroy: nothing,
		begin:   dl.Callback(func(*profileSink, *chunkMetadata) uintptr { return 0 }),
		write:   dl.Callback(writeSink),
		end:     dl.Callback(func(*profileSink, *chunkMetadata, uintptr) uintptr { return 0 }),
	}
})

// writeSink is the function write of the sinks. spans is an array of count byte spans. None of its arguments is valid
// after it returns.
func writeSink(sink *profileSink, metadata *chunkMetadata, count uintptr, spans *stringView) uintptr {
	chunk := Chunk{ContentType: metadata.contentType.text(), Dropped: metadata.dropped}
	for _, span := range unsafe.Slice(spans, int(count)) {
		if span.size > 0 {
			chunk.Data = append(chunk.Data, unsafe.Slice(span.data, int(span.size))...)
		}
	}
	return sink.receiver.take(chunk)
}

func (r *receiver) take(c Chunk) uintptr {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.err == nil {
		r.err = r.receive(c)
	}
	if r.err != nil {
		return statusInternal // a status without text is its code
	}
	return 0
}

// StartProfiling begins to profile what the device does. receive gets the chunks one at a time, mostly when the profile
// is flushed or stopped. It may be called on another thread and must not use the device. The profile must be stopped. A
// device has one profile at a time.
func (d *Device) StartProfiling(families Families, receive func(Chunk) error) (*Profiling, error) {
	if d.profiling {
		return nil, fmt.Errorf("profile IREE device %s: it is being profiled already", d.name)
	}
	l := d.library
	type sinkMemory struct {
		sink  profileSink
		table profileSinkTable
	}
	m, err := l.allocate(unsafe.Sizeof(sinkMemory{}))
	if err != nil {
		return nil, fmt.Errorf("profile IREE device %s: %w", d.name, err)
	}
	p := &Profiling{device: d, memory: m}
	r := &receiver{receive: receive}
	p.pinned.Pin(r)
	c := (*sinkMemory)(m.address)
	c.table = sinkFunctions()
	c.sink = profileSink{references: manyReferences, table: &c.table, receiver: r}
	p.sink = &c.sink
	options := profilingOptions{families: families, sink: p.sink}
	if err := l.check(dl.Call(l.api.profilingBegin, d.device, uintptr(unsafe.Pointer(&options)))); err != nil {
		if r.err != nil {
			err = r.err
		}
		p.release()
		return nil, fmt.Errorf("profile IREE device %s: %w", d.name, err)
	}
	d.profiling = true
	return p, nil
}

// Flush passes what was recorded to the receiver. It returns the receiver's error, or the runtime's.
func (p *Profiling) Flush() error { return p.end(p.device.library.api.profilingFlush, "flush") }

// Stop ends the profile after a last flush.
func (p *Profiling) Stop() error {
	if p.sink == nil {
		return nil
	}
	err := p.end(p.device.library.api.profilingEnd, "end")
	p.device.profiling = false
	p.release()
	return err
}

func (p *Profiling) end(function uintptr, what string) error {
	if p.sink == nil {
		return errors.New("profile of an IREE device: it is stopped")
	}
	l := p.device.library
	err := l.check(dl.Call(function, p.device.device))
	r := p.sink.receiver
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.err != nil {
		return r.err
	}
	if err != nil {
		return fmt.Errorf("%s the profile of IREE device %s: %w", what, p.device.name, err)
	}
	return nil
}

func (p *Profiling) release() {
	p.memory.free()
	p.sink = nil
	p.pinned.Unpin()
}
