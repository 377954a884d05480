package dispatchplan

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// replayLine is a line of iree-dump-replay --format=jsonl (IREE 3.13), with the fields that are used here.
type replayLine struct {
	Kind       string  `json:"kind"`
	Operation  string  `json:"operation"`
	ObjectType string  `json:"object_type"`
	Object     uint64  `json:"object_id"`
	Related    uint64  `json:"related_object_id"`
	Status     int     `json:"status_code"`
	Payload    payload `json:"payload"`
}

type payload struct {
	Name           string        `json:"name"`
	Allocation     int64         `json:"allocation_size"`
	Executable     uint64        `json:"executable_id"`
	Ordinal        int           `json:"function_ordinal"`
	Workgroups     [3]uint32     `json:"workgroup_count"`
	ConstantsRange fileRange     `json:"constants_range"`
	BindingsRange  fileRange     `json:"bindings_range"`
	DataRange      fileRange     `json:"data_range"`
	CommandBuffer  uint64        `json:"command_buffer_id"`
	Bindings       []bufferRange `json:"bindings"`
	Source         bufferRange   `json:"source"`
	Target         bufferRange   `json:"target"`
	SourceRef      bufferRange   `json:"source_ref"`
	TargetRef      bufferRange   `json:"target_ref"`
	PatternRange   fileRange     `json:"pattern_range"`
	FileID         uint64        `json:"source_file_id"`
	FileOffset     int64         `json:"source_offset"`
	ByteOffset     int64         `json:"byte_offset"`
	ReferenceType  string        `json:"reference_type_name"`
	Reference      fileRange     `json:"reference_range"`
	Access         int           `json:"memory_access"`
	Indirect       bufferRange   `json:"workgroup_count_ref"`
}

// fileRange is a range of bytes of the replay file.
type fileRange struct {
	Offset       int64 `json:"offset"`
	Length       int64 `json:"length"`
	Uncompressed int64 `json:"uncompressed_length"`
}

// bufferRange is a part of a buffer. With buffer 0 it is a part of the buffer that a command buffer gets in a slot.
type bufferRange struct {
	Buffer uint64 `json:"buffer_id"`
	Offset uint64 `json:"offset"`
	Length uint64 `json:"length"`
	Slot   uint32 `json:"buffer_slot"`
}

// Executable is a library in a replay: the range of its bytes in the replay file.
type Executable struct{ Offset, Length int64 }

const (
	maxLine = 16 << 20
	// bindingBytes is the size of a binding in the replay file: buffer u64, offset u64, length u64, slot u32,
	// reserved u32.
	bindingBytes   = 32
	maxBindings    = 1 << 16
	memoryRead     = 1 // bit of memory_access
	memoryWrite    = 2
	wholeBuffer    = ^uint64(0)
	scopeInit      = "init"
	scopeExecution = "execute"
)

// Replay is the recording of one call of a function.
type Replay struct {
	Lines io.Reader   // of iree-dump-replay
	File  io.ReaderAt // the replay file, which holds constants, bindings and data
	// Library returns which library of the module an executable is.
	Library func(Executable) (int, error)
	// Keep keeps data of the module in the plan's own file, and returns where.
	Keep func(data io.Reader) (offset int64, err error)
}

// ReadReplay makes the plan of a function from the recording of one call.
func ReadReplay(from Replay) (*Function, error) {
	r := &replay{
		file:        from.File,
		library:     from.Library,
		keep:        from.Keep,
		files:       map[uint64]heldFile{},
		host:        map[uint64]bool{},
		executables: map[uint64]int{},
		places:      map[uint64]int{},
		commands:    map[uint64][]replayLine{},
		candidate:   map[uint64]bool{},
	}
	s := bufio.NewScanner(from.Lines)
	s.Buffer(nil, maxLine)
	n := 0
	for s.Scan() {
		n++
		var line replayLine
		if err := json.Unmarshal(s.Bytes(), &line); err != nil {
			return nil, fmt.Errorf("recorded run, line %d: %w", n, err)
		}
		if err := r.add(&line); err != nil {
			return nil, fmt.Errorf("recorded run, line %d: %s: %w", n, line.Operation, err)
		}
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("recorded run, line %d: %w", n+1, err)
	}
	if n == 0 {
		return nil, errors.New("the recorded run is empty")
	}
	r.function.After = r.pending
	return &r.function, r.function.check()
}

// replay is the state after the lines so far.
type replay struct {
	file        io.ReaderAt
	library     func(Executable) (int, error)
	executables map[uint64]int // object to library
	commands    map[uint64][]replayLine
	places      map[uint64]int  // object to buffer of the function
	candidate   map[uint64]bool // objects that the host may fill as inputs
	host        map[uint64]bool // objects that the host makes during the call
	files       map[uint64]heldFile
	keep        func(io.Reader) (int64, error)
	pending     []Operation // since the last dispatch of the call
	scope       string
	inputs      int
	function    Function
}

// incomplete keeps the first reason.
func (r *replay) incomplete(format string, args ...any) {
	if r.function.Incomplete == "" {
		r.function.Incomplete = fmt.Sprintf(format, args...)
	}
}

func (r *replay) add(line *replayLine) error {
	p := &line.Payload
	if line.Kind != "operation" || line.Status != 0 {
		return nil
	}
	switch line.Operation {
	case "replay.scope_begin":
		r.scope = p.Name
	case "replay.scope_end":
		r.scope = ""
	case "executable_cache.prepare_executable":
		i, err := r.library(Executable{p.DataRange.Offset, p.DataRange.Length})
		if err != nil {
			return err
		}
		r.executables[line.Related] = i
	case "allocator.allocate_buffer":
		r.host[line.Related] = r.scope == scopeExecution
		return r.allocate(line.Related, p.Allocation, r.scope == scopeExecution && len(r.function.Dispatches) == 0)
	case "device.queue_alloca":
		return r.allocate(line.Related, p.Allocation, false)
	case "allocator.import_buffer":
		if err := r.allocate(line.Related, p.Allocation, false); err != nil {
			return err
		}
		return r.write(bufferRange{Buffer: line.Related, Length: wholeBuffer}, nil, p.DataRange)
	case "device.import_file":
		return r.imported(line.Related, p)
	case "buffer.map_range":
		r.mapped(line)
	case "buffer.unmap_range":
		return r.unmapped(line)
	case "device.queue_execute":
		return r.execute(line)
	case "device.queue_dispatch":
		return r.dispatch(line, nil)
	case "device.queue_fill":
		return r.fill(p.TargetRef, nil, p.PatternRange)
	case "device.queue_update":
		return r.write(p.TargetRef, nil, p.DataRange)
	case "device.queue_copy":
		return r.copy(p.SourceRef, p.TargetRef, nil)
	case "device.queue_read":
		return r.read(p)
	default:
		if len(line.Operation) > 15 && line.Operation[:15] == "command_buffer." {
			r.commands[line.Object] = append(r.commands[line.Object], *line)
		}
	}
	return nil
}

// allocate adds a buffer. A buffer that the host fills before the first dispatch is an input.
func (r *replay) allocate(object uint64, size int64, candidate bool) error {
	if size < 0 || size > maxBytes || len(r.function.Buffers) >= maxBindings {
		return fmt.Errorf("buffer %d of %d bytes", object, size)
	}
	r.places[object] = len(r.function.Buffers)
	r.function.Buffers = append(r.function.Buffers, Buffer{Bytes: size})
	r.candidate[object] = candidate
	return nil
}

// mapped notes what the host writes, an input, and what it reads, an output.
func (r *replay) mapped(line *replayLine) {
	place, known := r.places[line.Object]
	b := Buffer{}
	if known {
		b = r.function.Buffers[place]
	}
	switch {
	case !known:
	case line.Payload.Access&memoryWrite != 0 && r.candidate[line.Object] && b.Input == nil:
		n := r.inputs
		r.inputs++
		r.function.Buffers[place].Input = &n
		r.function.Inputs = append(r.function.Inputs, "")
	case line.Payload.Access&memoryWrite == 0 && line.Payload.Access&memoryRead != 0 && r.bound(place):
		r.output(Range{Buffer: place, Bytes: b.Bytes})
	}
}

// bound reports whether a dispatch uses the buffer.
func (r *replay) bound(place int) bool {
	for _, d := range r.function.Dispatches {
		for _, b := range d.Bindings {
			if b.Buffer == place {
				return true
			}
		}
	}
	return false
}

func (r *replay) output(o Range) {
	for _, known := range r.function.Outputs {
		if known == o {
			return
		}
	}
	r.function.Outputs = append(r.function.Outputs, o)
}

// execute issues the commands of a command buffer.
func (r *replay) execute(line *replayLine) error {
	for i := range r.commands[line.Payload.CommandBuffer] {
		c := &r.commands[line.Payload.CommandBuffer][i]
		switch c.Operation {
		case "command_buffer.begin", "command_buffer.end", "command_buffer.execution_barrier",
			"command_buffer.begin_debug_group", "command_buffer.end_debug_group":
		case "command_buffer.dispatch":
			if err := r.dispatch(c, line.Payload.Bindings); err != nil {
				return err
			}
		case "command_buffer.copy_buffer":
			if err := r.copy(c.Payload.Source, c.Payload.Target, line.Payload.Bindings); err != nil {
				return err
			}
		case "command_buffer.fill_buffer":
			if err := r.fill(c.Payload.Target, line.Payload.Bindings, c.Payload.PatternRange); err != nil {
				return err
			}
		case "command_buffer.update_buffer":
			if err := r.write(c.Payload.Target, line.Payload.Bindings, c.Payload.DataRange); err != nil {
				return err
			}
		default:
			if r.scope == scopeExecution {
				r.incomplete("the function also does %s", c.Operation)
			}
		}
	}
	return nil
}

func (r *replay) dispatch(line *replayLine, slots []bufferRange) error {
	p := &line.Payload
	library, known := r.executables[p.Executable]
	if !known {
		return fmt.Errorf("executable %d was never made", p.Executable)
	}
	if p.Indirect.Buffer != 0 {
		return errComputedWorkgroups
	}
	d := Step{Library: library, Ordinal: p.Ordinal, Workgroups: p.Workgroups}
	constants, err := r.bytes(p.ConstantsRange, 4)
	if err != nil {
		return fmt.Errorf("constants: %w", err)
	}
	for ; len(constants) > 0; constants = constants[4:] {
		d.Constants = append(d.Constants, binary.LittleEndian.Uint32(constants))
	}
	bindings, err := r.bytes(p.BindingsRange, bindingBytes)
	if err != nil {
		return fmt.Errorf("bindings: %w", err)
	}
	for ; len(bindings) > 0; bindings = bindings[bindingBytes:] {
		word := func(i int) uint64 { return binary.LittleEndian.Uint64(bindings[8*i:]) }
		binding := bufferRange{Buffer: word(0), Offset: word(1), Length: word(2), Slot: uint32(word(3))}
		b, err := r.resolve(binding, slots)
		if err != nil {
			return err
		}
		d.Bindings = append(d.Bindings, b)
	}
	if r.scope != scopeExecution { // what is computed once belongs to no call
		r.function.Setup = append(r.function.Setup, Operation{Dispatch: &d})
		return nil
	}
	d.Before, r.pending = r.pending, nil
	r.function.Dispatches = append(r.function.Dispatches, d)
	return nil
}

// errComputedWorkgroups is why a call with a number of workgroups that the module computes is not in a plan.
var errComputedWorkgroups = errors.New(
	"the number of workgroups is computed by the module itself, which a plan cannot hold")

// bytes reads a range of the replay file, which must hold whole elements.
func (r *replay) bytes(f fileRange, element int64) ([]byte, error) {
	if f.Length != f.Uncompressed {
		return nil, errors.New("compressed data, which is not understood")
	}
	if f.Offset < 0 || f.Length < 0 || f.Length > element*maxBindings || f.Length%element != 0 {
		return nil, fmt.Errorf("%d bytes at byte %d of the replay file", f.Length, f.Offset)
	}
	data := make([]byte, f.Length)
	if _, err := r.file.ReadAt(data, f.Offset); err != nil {
		return nil, fmt.Errorf("replay file: %w", err)
	}
	return data, nil
}

// resolve returns the part of a buffer that a range refers to.
func (r *replay) resolve(b bufferRange, slots []bufferRange) (Range, error) {
	if b.Buffer == 0 {
		if int64(b.Slot) >= int64(len(slots)) {
			return Range{}, fmt.Errorf("slot %d of %d", b.Slot, len(slots))
		}
		s := slots[b.Slot]
		b.Buffer, b.Offset = s.Buffer, b.Offset+s.Offset
	}
	place, known := r.places[b.Buffer]
	if !known {
		return Range{}, fmt.Errorf("buffer %d was made in a way that is not understood", b.Buffer)
	}
	buffer := r.function.Buffers[place]
	if b.Offset > uint64(buffer.Bytes) {
		return Range{}, fmt.Errorf("byte %d of buffer %d, which has %d", b.Offset, b.Buffer, buffer.Bytes)
	}
	rest := uint64(buffer.Bytes) - b.Offset
	if b.Length == wholeBuffer {
		b.Length = rest
	}
	if b.Length > rest {
		return Range{}, fmt.Errorf("%d bytes from byte %d on of buffer %d, which has %d",
			b.Length, b.Offset, b.Buffer, buffer.Bytes)
	}
	return Range{Buffer: place, Offset: int64(b.Offset), Bytes: int64(b.Length)}, nil
}
