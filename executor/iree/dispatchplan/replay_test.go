package dispatchplan

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recording is a recorded run as the tools write it: lines, and the file that they refer to.
type recording struct {
	lines strings.Builder
	file  bytes.Buffer
}

func (r *recording) line(format string, args ...any) { fmt.Fprintf(&r.lines, format+"\n", args...) }

func (r *recording) operation(name string, object, related int, payload string) {
	r.line(`{"kind":"operation","operation":%q,"object_id":%d,"related_object_id":%d,"status_code":0,"payload":{%s}}`, name, object, related, payload)
}

// keep appends little-endian words of 32 bits to the file and returns the range as a payload's text.
func (r *recording) keep(words ...uint32) string {
	at := r.file.Len()
	for _, w := range words {
		binary.Write(&r.file, binary.LittleEndian, w)
	}
	return fmt.Sprintf(`{"offset":%d,"length":%d,"uncompressed_length":%d}`, at, 4*len(words), 4*len(words))
}

// recordedRun is a function of one input and one result, made of two dispatches through a buffer between them.
func recordedRun() *recording {
	r := &recording{}
	r.line(`{"kind":"file","version_major":2}`)
	r.operation("replay.scope_begin", 0, 0, `"name":"init"`)
	r.operation("replay.scope_end", 0, 0, `"name":"init"`)
	r.operation("executable_cache.prepare_executable", 3, 4, `"data_range":{"offset":7,"length":9,"uncompressed_length":9}`)
	for ordinal, slots := range [][2]uint32{{0, 2}, {2, 1}} {
		var words []uint32
		for _, slot := range slots {
			offset := uint32(0)
			if slot == 2 {
				offset = 64
			}
			words = append(words, 0, 0, offset, 0, 128, 0, slot, 0)
		}
		r.operation("command_buffer.dispatch", 5, 0, fmt.Sprintf(`"executable_id":4,"function_ordinal":%d,"workgroup_count":[%d,2,1],"constants_range":%s,"bindings_range":%s`,
			ordinal, ordinal+3, r.keep(uint32(ordinal), 77), r.keep(words...)))
		r.operation("command_buffer.execution_barrier", 5, 0, "")
	}
	r.operation("allocator.allocate_buffer", 2, 6, `"allocation_size":128`)
	r.operation("buffer.map_range", 6, 0, `"memory_access":6`)
	r.operation("buffer.map_range", 6, 0, `"memory_access":6`)
	r.operation("replay.scope_begin", 0, 0, `"name":"execute"`)
	r.operation("device.queue_alloca", 1, 10, `"allocation_size":128`)
	r.operation("device.queue_alloca", 1, 12, `"allocation_size":256`)
	r.operation("device.queue_execute", 1, 5, `"command_buffer_id":5,"bindings":[{"buffer_id":6,"length":128},{"buffer_id":10,"length":128},{"buffer_id":12,"length":256}]`)
	r.operation("allocator.allocate_buffer", 2, 16, `"allocation_size":128`)
	r.operation("command_buffer.copy_buffer", 15, 0, `"source":{"buffer_id":10,"length":18446744073709551615}`)
	r.operation("device.queue_execute", 1, 15, `"command_buffer_id":15`)
	r.operation("buffer.map_range", 16, 0, `"memory_access":1`)
	r.operation("replay.scope_end", 0, 0, `"name":"execute"`)
	return r
}

func library(e Executable) (int, error) {
	if e != (Executable{7, 9}) {
		return 0, fmt.Errorf("executable at %v", e)
	}
	return 1, nil
}

func TestReadReplay(t *testing.T) {
	r := recordedRun()
	got, err := ReadReplay(strings.NewReader(r.lines.String()), bytes.NewReader(r.file.Bytes()), library)
	if err != nil {
		t.Fatal(err)
	}
	first := 0
	want := &Function{
		Inputs:  []string{""},
		Buffers: []Buffer{{Bytes: 128, Input: &first}, {Bytes: 128}, {Bytes: 256}, {Bytes: 128}},
		Dispatches: []Step{
			{Library: 1, Ordinal: 0, Workgroups: [3]uint32{3, 2, 1}, Constants: []uint32{0, 77}, Bindings: []Range{{0, 0, 128}, {2, 64, 128}}},
			{Library: 1, Ordinal: 1, Workgroups: [3]uint32{4, 2, 1}, Constants: []uint32{1, 77}, Bindings: []Range{{2, 64, 128}, {1, 0, 128}}},
		},
		Outputs: []Range{{1, 0, 128}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got.Trim()
	if len(got.Buffers) != 3 {
		t.Errorf("%d buffers after trimming, want 3", len(got.Buffers))
	}
}

// TestReplayIncomplete changes the run so that its dispatches alone no longer make it up.
func TestReplayIncomplete(t *testing.T) {
	r := recordedRun()
	lines := strings.Replace(r.lines.String(), `"operation":"replay.scope_end"`, `"operation":"none"`, 1) // the input now is made when the module is loaded
	got, err := ReadReplay(strings.NewReader(lines), bytes.NewReader(r.file.Bytes()), library)
	if err != nil || !strings.Contains(got.Incomplete, "keeps for itself") {
		t.Errorf("a buffer of the module: %+v, %v", got, err)
	}
	lines = strings.Replace(r.lines.String(), `"command_buffer.execution_barrier"`, `"command_buffer.fill_buffer"`, 1)
	got, err = ReadReplay(strings.NewReader(lines), bytes.NewReader(r.file.Bytes()), library)
	if err != nil || !strings.Contains(got.Incomplete, "command_buffer.fill_buffer") {
		t.Errorf("a fill: %+v, %v", got, err)
	}
}

func TestReadReplayErrors(t *testing.T) {
	for what, c := range map[string]struct{ old, new, want string }{
		"no JSON":            {`{"kind":"file"`, `{"kind":`, "line 1"},
		"unknown buffer":     {`{"buffer_id":10,"length":128}`, `{"buffer_id":99,"length":128}`, "buffer 99"},
		"too few slots":      {`,{"buffer_id":12,"length":256}`, ``, "slot 2 of 2"},
		"beyond the buffer":  {`"allocation_size":256`, `"allocation_size":100`, "128 bytes from byte 64 on"},
		"unknown executable": {`"related_object_id":4`, `"related_object_id":5`, "executable 4 was never made"},
		"another executable": {`"offset":7,"length":9`, `"offset":8,"length":9`, "executable at {8 9}"},
		"beyond the file":    {`"constants_range":{"offset":0`, `"constants_range":{"offset":99999`, "replay file"},
		"negative size":      {`"allocation_size":256`, `"allocation_size":-1`, "buffer 12 of -1 bytes"},
		"indirect":           {`"executable_id":4`, `"workgroup_count_ref":{"buffer_id":6},"executable_id":4`, "--param workgroups="},
	} {
		r := recordedRun()
		lines := strings.Replace(r.lines.String(), c.old, c.new, 1)
		if _, err := ReadReplay(strings.NewReader(lines), bytes.NewReader(r.file.Bytes()), library); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
	if _, err := ReadReplay(strings.NewReader(""), bytes.NewReader(nil), library); err == nil {
		t.Error("nothing is a recording")
	}
}

func FuzzReadReplay(f *testing.F) {
	r := recordedRun()
	f.Add(r.lines.String(), r.file.Bytes())
	f.Fuzz(func(t *testing.T, lines string, file []byte) {
		got, err := ReadReplay(strings.NewReader(lines), bytes.NewReader(file), func(Executable) (int, error) { return 0, nil })
		if err == nil && got.check() != nil {
			t.Error("a plan whose references do not hold")
		}
	})
}
