package dispatchplan

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recording is a recorded run as the tools write it: lines, and the file that they refer to.
type recording struct {
	lines strings.Builder
	file  bytes.Buffer
	kept  []string // data of the module
}

// read reads lines about the file. Data are kept one after the other, by their numbers.
func (r *recording) read(lines string) (*Function, error) {
	return ReadReplay(Replay{strings.NewReader(lines), bytes.NewReader(r.file.Bytes()), library,
		func(data io.Reader) (int64, error) {
			text, err := io.ReadAll(data)
			r.kept = append(r.kept, string(text))
			return int64(len(r.kept)) - 1, err
		}})
}

func (r *recording) line(format string, args ...any) { fmt.Fprintf(&r.lines, format+"\n", args...) }

func (r *recording) operation(name string, object, related int, payload string) {
	r.line(`{"kind":"operation","operation":%q,"object_id":%d,"related_object_id":%d,"status_code":0,"payload":{%s}}`,
		name, object, related, payload)
}

// keep appends little-endian words of 32 bits to the file and returns the range as a payload's text.
func (r *recording) keep(words ...uint32) string {
	at := r.file.Len()
	for _, w := range words {
		binary.Write(&r.file, binary.LittleEndian, w)
	}
	return fmt.Sprintf(`{"offset":%d,"length":%d,"uncompressed_length":%d}`, at, 4*len(words), 4*len(words))
}

// recordedRun returns the recording of a function with one input and one result, made of two dispatches with a buffer
// between them.
func recordedRun() *recording {
	r := &recording{}
	r.line(`{"kind":"file","version_major":2}`)
	r.operation("replay.scope_begin", 0, 0, `"name":"init"`)
	r.operation("replay.scope_end", 0, 0, `"name":"init"`)
	r.operation("executable_cache.prepare_executable", 3, 4,
		`"data_range":{"offset":7,"length":9,"uncompressed_length":9}`)
	for ordinal, slots := range [][2]uint32{{0, 2}, {2, 1}} {
		var words []uint32
		for _, slot := range slots {
			offset := uint32(0)
			if slot == 2 {
				offset = 64
			}
			words = append(words, 0, 0, offset, 0, 128, 0, slot, 0)
		}
		r.operation("command_buffer.dispatch", 5, 0,
			fmt.Sprintf(`"executable_id":4,"function_ordinal":%d,"workgroup_count":[%d,2,1],`+
				`"constants_range":%s,"bindings_range":%s`,
				ordinal, ordinal+3, r.keep(uint32(ordinal), 77), r.keep(words...)))
		r.operation("command_buffer.execution_barrier", 5, 0, "")
	}
	r.operation("replay.scope_begin", 0, 0, `"name":"execute"`)
	r.operation("allocator.allocate_buffer", 2, 6, `"allocation_size":128`)
	r.operation("buffer.map_range", 6, 0, `"memory_access":6`)
	r.operation("buffer.map_range", 6, 0, `"memory_access":6`)
	r.operation("device.queue_alloca", 1, 10, `"allocation_size":128`)
	r.operation("device.queue_alloca", 1, 12, `"allocation_size":256`)
	r.operation("device.queue_execute", 1, 5,
		`"command_buffer_id":5,"bindings":[{"buffer_id":6,"length":128},`+
			`{"buffer_id":10,"length":128},{"buffer_id":12,"length":256}]`)
	r.operation("allocator.allocate_buffer", 2, 16, `"allocation_size":128`)
	r.operation("command_buffer.copy_buffer", 15, 0, `"source":{"buffer_id":10,"length":18446744073709551615},"target":{"buffer_id":16,"length":128}`)
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
	got, err := r.read(r.lines.String())
	if err != nil {
		t.Fatal(err)
	}
	first := 0
	want := &Function{
		Inputs:  []string{""},
		Buffers: []Buffer{{Bytes: 128, Input: &first}, {Bytes: 128}, {Bytes: 256}, {Bytes: 128}},
		Dispatches: []Step{
			{Library: 1, Ordinal: 0, Workgroups: [3]uint32{3, 2, 1}, Constants: []uint32{0, 77},
				Bindings: []Range{{0, 0, 128}, {2, 64, 128}}},
			{Library: 1, Ordinal: 1, Workgroups: [3]uint32{4, 2, 1}, Constants: []uint32{1, 77},
				Bindings: []Range{{2, 64, 128}, {1, 0, 128}}},
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

// TestReplayOperations: what is done beside the dispatches belongs to the plan. That is what the module does when it is
// loaded, and what the call does before, between and behind its dispatches.
func TestReplayOperations(t *testing.T) {
	const execute, begin = "device.queue_execute", `{"kind":"operation","operation":"replay.scope_begin","object_id":0,` +
		`"related_object_id":0,"status_code":0,"payload":{"name":"execute"}}`
	r := recordedRun()
	setup := &recording{}
	setup.file = r.file
	text := setup.keep(0x64636261)
	setup.operation("device.import_file", 1, 30, `"reference_type_name":"external_path","reference_range":`+text)
	setup.operation("device.import_file", 1, 31, `"reference_type_name":"inline_bytes","reference_range":`+setup.keep(1, 2, 3))
	setup.operation("allocator.import_buffer", 2, 32, `"allocation_size":8,"data_range":`+setup.keep(8, 9))
	setup.operation("device.queue_alloca", 1, 33, `"allocation_size":64`)
	to := func(offset, length int) string {
		return fmt.Sprintf(`"target_ref":{"buffer_id":33,"offset":%d,"length":%d}`, offset, length)
	}
	setup.operation("device.queue_read", 1, 33, `"source_file_id":30,"source_offset":88,`+to(0, 16))
	setup.operation("device.queue_read", 1, 33, `"source_file_id":31,"source_offset":4,`+to(16, 8))
	setup.operation("device.queue_fill", 1, 33, to(24, 8)+`,"pattern_range":`+setup.keep(7))
	setup.operation("device.queue_update", 1, 33, to(32, 4)+`,"data_range":`+setup.keep(5))
	setup.operation("device.queue_copy", 1, 33, to(40, 8)+`,"source_ref":{"buffer_id":32,"length":8}`)
	setup.operation("command_buffer.fill_buffer", 34, 0, `"target":{"buffer_id":33,"offset":48,"length":4},"pattern_range":`+
		setup.keep(6))
	setup.operation(execute, 1, 34, `"command_buffer_id":34`)
	lines := strings.Replace(r.lines.String(), begin, setup.lines.String()+begin, 1)
	// The barrier between the dispatches becomes a fill.
	lines = strings.Replace(lines, `"command_buffer.execution_barrier","object_id":5,"related_object_id":0,"status_code":0,`+
		`"payload":{}`, `"command_buffer.fill_buffer","object_id":5,"related_object_id":0,"status_code":0,"payload":{`+
		`"target":{"buffer_slot":2,"length":4},"pattern_range":`+text+`}`, 1)
	r.file = setup.file
	got, err := r.read(lines)
	if err != nil {
		t.Fatal(err)
	}
	load := func(offset, bytes int64, file string, at int64) Operation {
		return Operation{Load: &Load{To: Range{1, offset, bytes}, File: file, Offset: at}}
	}
	pattern := func(b byte) []byte { return []byte{b, 0, 0, 0} }
	want := []Operation{
		{Load: &Load{To: Range{0, 0, 8}, Offset: 0}},
		load(0, 16, "abcd", 88), load(16, 8, "", 1),
		{Fill: &Fill{Range{1, 24, 8}, pattern(7)}}, load(32, 4, "", 2),
		{Copy: &Copy{Range{0, 0, 8}, Range{1, 40, 8}}}, {Fill: &Fill{Range{1, 48, 4}, pattern(6)}},
	}
	if diff := cmp.Diff(want, got.Setup); diff != "" {
		t.Error(diff)
	}
	between := []Operation{{Fill: &Fill{Range{4, 0, 4}, []byte("abcd")}}}
	if diff := cmp.Diff(between, got.Dispatches[1].Before); diff != "" || got.Incomplete != "" || len(got.After) != 0 {
		t.Errorf("%s\n%q, %v", diff, got.Incomplete, got.After)
	}
	if want := []string{"\b\x00\x00\x00\t\x00\x00\x00", "\x02\x00\x00\x00\x03\x00\x00\x00", "\x05\x00\x00\x00"}; !cmp.Equal(r.kept, want) {
		t.Errorf("kept %q", r.kept)
	}
	p := &Plan{Version: Version, Functions: []Function{*got}, Data: "m.data", Module: "/m.vmfb"}
	if files := p.Files("/plans/m.json"); !cmp.Equal(files, []string{"/plans/m.data", "abcd"}) || got.Plain() {
		t.Errorf("files %q", files)
	}
	p.Functions[0].Setup[1].Load.File = "/abcd"
	p.Move(func(path string) string { return "/moved" + path })
	if p.Module != "/moved/m.vmfb" || p.Data != "m.data" || p.Functions[0].Setup[1].Load.File != "/moved/abcd" {
		t.Errorf("%+v", p)
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
		"indirect": {`"executable_id":4`, `"workgroup_count_ref":{"buffer_id":6},"executable_id":4`,
			"computed by the module itself"},
	} {
		r := recordedRun()
		lines := strings.Replace(r.lines.String(), c.old, c.new, 1)
		if _, err := r.read(lines); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
	if _, err := (&recording{}).read(""); err == nil {
		t.Error("nothing is a recording")
	}
}

func FuzzReadReplay(f *testing.F) {
	r := recordedRun()
	f.Add(r.lines.String(), r.file.Bytes())
	f.Fuzz(func(t *testing.T, lines string, file []byte) {
		got, err := ReadReplay(Replay{strings.NewReader(lines), bytes.NewReader(file),
			func(Executable) (int, error) { return 0, nil }, func(io.Reader) (int64, error) { return 0, nil }})
		if err == nil && got.check() != nil {
			t.Error("a plan whose references do not hold")
		}
	})
}
