package halprofile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func sample(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// summary returns the number of events of each kind, and the functions' names in order.
func summary(r *Records) (counts map[Kind]int, names []string) {
	counts = map[Kind]int{}
	for _, e := range r.Events {
		counts[e.Kind]++
	}
	for _, n := range r.Functions {
		names = append(names, n)
	}
	slices.Sort(names)
	return counts, names
}

var mlpNames = []string{
	"mlp_dispatch_0_matmul_64x512x256_f32",
	"mlp_dispatch_1_matmul_64x128x512_f32",
	"mlp_dispatch_2_softmax_64x128xf32_dispatch_tensor_store",
}

func TestReadFile(t *testing.T) {
	for name, want := range map[string]map[Kind]int{
		"mlp_local-sync.ireeprof": {Dispatch: 60, Alloca: 40, Execute: 20, Barrier: 20},
		"mlp_local-task.ireeprof": {Dispatch: 60, Alloca: 40, Execute: 20, Dealloca: 20},
	} {
		r, err := ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		counts, names := summary(r)
		for kind, n := range want {
			if counts[kind] != n {
				t.Errorf("%s: %d events of kind %d, want %d", name, counts[kind], kind, n)
			}
		}
		if !slices.Equal(names, mlpNames) || r.Dropped != 0 {
			t.Errorf("%s: functions %q, %d dropped", name, names, r.Dropped)
		}
		for i, e := range r.Events {
			if e.Kind != Dispatch {
				continue
			}
			groups := [3]uint32{16, 1, 1}
			if strings.Contains(r.Name(e.Function), "softmax") {
				groups[0] = 8
			}
			if e.Workgroups != groups || e.Status != 0 || e.Tiles != uint64(groups[0]) ||
				(e.Command == NoCommand) != strings.Contains(name, "sync") {
				t.Errorf("%s: event %d is %+v", name, i, e)
			}
		}
	}
}

// TestExport compares the decoder with iree-profile's own export of the same program.
func TestExport(t *testing.T) {
	r, err := ReadFile(filepath.Join("testdata", "mlp_local-sync.ireeprof"))
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string][]Event{}
	for _, e := range r.Events {
		if e.Kind == Dispatch {
			byName[r.Name(e.Function)] = append(byName[r.Name(e.Function)], e)
		}
	}
	rows := map[string]int{}
	lines := bufio.NewScanner(bytes.NewReader(sample(t, "mlp_local-sync.ireeperf.jsonl")))
	for lines.Scan() {
		var row struct {
			Type       string `json:"record_type"`
			Op, Key    string
			Workgroups [3]uint32 `json:"workgroup_count"`
			Tiles      uint64    `json:"tile_count"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if row.Type != "host_execution_event" || row.Op != "dispatch" {
			continue
		}
		rows[row.Key]++
		if len(byName[row.Key]) == 0 {
			t.Fatalf("the export has %q, the file does not", row.Key)
		}
		if e := byName[row.Key][0]; e.Workgroups != row.Workgroups || e.Tiles != row.Tiles {
			t.Errorf("%s: workgroups %v and %d tiles, exported as %v and %d",
				row.Key, e.Workgroups, e.Tiles, row.Workgroups, row.Tiles)
		}
	}
	if len(rows) != 3 {
		t.Fatalf("the export has %v", rows)
	}
	for name, n := range rows {
		if len(byName[name]) != n {
			t.Errorf("%s: %d dispatches, exported %d", name, len(byName[name]), n)
		}
	}
}

func TestBadFiles(t *testing.T) {
	good := sample(t, "mlp_local-task.ireeprof")
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"empty":         {nil, "cut off"},
		"text":          {[]byte(strings.Repeat("profile ", 10)), "not an IREE profile"},
		"version":       {patched(good, 4, 2), "version 2.6"},
		"no records":    {patched(good, 16, 24, 0)[:24], "holds no records"},
		"cut off":       {good[:len(good)-100], "cut off: the file has"},
		"record length": {patched(good, 24, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), "byte 24"},
		"payload":       {patched(good, 24+8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), "byte 24"},
		"no length":     {patched(good, 24, 0, 0, 0, 0), "byte 24"},
	} {
		if r, err := Decode(bytes.NewReader(c.b), int64(len(c.b))); err == nil {
			t.Errorf("%s: read %d events", name, len(r.Events))
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error %q does not say %q", name, err, c.want)
		}
	}
	if _, err := ReadFile(t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none.ireeprof")); err == nil ||
		!strings.Contains(err.Error(), "none.ireeprof") {
		t.Errorf("a missing file: %v", err)
	}
}

func patched(b []byte, at int, with ...byte) []byte {
	c := slices.Clone(b)
	copy(c[at:], with)
	return c
}

func TestBadRecords(t *testing.T) {
	event := make([]byte, eventBytes)
	binary.LittleEndian.PutUint32(event, eventBytes)
	backwards := slices.Clone(event)
	binary.LittleEndian.PutUint64(backwards[104:], 7)
	function := make([]byte, functionBytes)
	binary.LittleEndian.PutUint32(function, functionBytes)
	binary.LittleEndian.PutUint32(function[44:], 1)
	for name, c := range map[string]struct {
		kind string
		b    []byte
		want string
	}{
		"zero length": {"host-execution-events", make([]byte, eventBytes), "a record of 0 bytes"},
		"short":       {"host-execution-events", event[:eventBytes-1], "a record of 152 bytes"},
		"tail": {"host-execution-events",
			append(slices.Clone(event), 1, 2), "byte 152: a record's length is cut off"},
		"backwards": {"host-execution-events", backwards, "ends 7 ns before it begins"},
		"name":      {"executable-functions", function, "a function's name of 1 bytes"},
	} {
		var r Records
		if err := r.Add(contentPrefix+c.kind, c.b, 0); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var r Records
	longer := append(slices.Clone(event), make([]byte, 8)...)
	binary.LittleEndian.PutUint32(longer, uint32(len(longer)))
	if err := r.Add(contentPrefix+"host-execution-events", longer, 3); err != nil || len(r.Events) != 1 ||
		r.Dropped != 3 {
		t.Errorf("a record of a later version: %v, %d events, %d dropped", err, len(r.Events), r.Dropped)
	}
	if err := r.Add(contentPrefix+"queue-events", []byte{1}, 2); err != nil || r.Dropped != 5 {
		t.Errorf("a kind that is not needed: %v, %d dropped", err, r.Dropped)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(sample(f, lavapipeSample))
	for _, name := range []string{"mlp_local-sync.ireeprof", "mlp_local-task.ireeprof"} {
		b := sample(f, name)
		f.Add(b[:4096])
		f.Add(patched(b, 16, 0, 0, 0, 0)[:1600])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := Decode(bytes.NewReader(b), int64(len(b)))
		if err == nil && len(r.Events)*deviceDispatchBytes > len(b) {
			t.Errorf("%d events from %d bytes", len(r.Events), len(b))
		}
	})
}

func FuzzRecords(f *testing.F) {
	b := sample(f, "mlp_local-sync.ireeprof")
	f.Add(true, b[1800+168:1800+1232])
	f.Add(false, b[739+167:739+486])
	f.Fuzz(func(t *testing.T, events bool, b []byte) {
		kind := "executable-functions"
		if events {
			kind = "host-execution-events"
		}
		var r Records
		_ = r.Add(contentPrefix+kind, b, 0)
		if n := len(r.Events)*eventBytes + len(r.Functions)*functionBytes; n > len(b) {
			t.Errorf("%d bytes of records from %d", n, len(b))
		}
		for key := range r.Functions {
			if r.Name(key) == "" {
				t.Error("a function without a name")
			}
		}
	})
}
