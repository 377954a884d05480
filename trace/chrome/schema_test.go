package chrome

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/trace"
)

// event is an event of the trace-event format, with every key that Write gives one.
type event struct {
	Phase     string                     `json:"ph"`
	Name      *string                    `json:"name"`
	PID       *int64                     `json:"pid"`
	TID       *int64                     `json:"tid"`
	Time      *json.Number               `json:"ts"`
	Duration  *json.Number               `json:"dur"`
	Scope     *string                    `json:"s"`
	Arguments map[string]json.RawMessage `json:"args"`
}

type place struct{ pid, tid int64 }

// span is a zone in nanoseconds.
type span struct{ start, end int64 }

// conform returns what of a document is not as the trace-event format has it: its keys and their types, the keys of
// each phase, ids that Perfetto reads, and zones of a thread that nest. Zones of a thread come in the order of their ends.
func conform(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var doc struct {
		Unit   string            `json:"displayTimeUnit"`
		Events []event           `json:"traceEvents"`
		Other  map[string]string `json:"otherData"`
	}
	if err := decoder.Decode(&doc); err != nil {
		return err
	}
	if decoder.More() {
		return fmt.Errorf("there is something behind the object")
	}
	if doc.Unit != "ns" && doc.Unit != "ms" {
		return fmt.Errorf("displayTimeUnit is %q", doc.Unit)
	}
	zones := map[place][]span{}
	names := map[string]bool{}
	for i := range doc.Events {
		if err := doc.Events[i].conform(zones, names); err != nil {
			return fmt.Errorf("event %d: %w", i, err)
		}
	}
	for at, list := range zones {
		if err := nested(list); err != nil {
			return fmt.Errorf("thread %d of process %d: %w", at.tid, at.pid, err)
		}
	}
	return nil
}

// conform checks an event. It adds a zone to those of its thread, and the name of metadata to names.
func (e *event) conform(zones map[place][]span, names map[string]bool) error {
	if e.Name == nil || e.PID == nil || e.TID == nil {
		return fmt.Errorf("no name, pid or tid")
	}
	if *e.PID < 0 || *e.PID > math.MaxInt32 || *e.TID < 0 || *e.TID > math.MaxInt32 {
		return fmt.Errorf("pid %d, tid %d: ids have 31 bits", *e.PID, *e.TID)
	}
	if timed := e.Phase != "M"; timed != (e.Time != nil) || (e.Phase == "X") != (e.Duration != nil) ||
		(e.Phase == "i") != (e.Scope != nil) {
		return fmt.Errorf("phase %q has keys of another", e.Phase)
	}
	switch e.Phase {
	case "X":
		start, err := nanoseconds(*e.Time)
		if err != nil {
			return err
		}
		length, err := nanoseconds(*e.Duration)
		if err != nil || length < 0 {
			return fmt.Errorf("dur %s: %v", *e.Duration, err)
		}
		at := place{*e.PID, *e.TID}
		zones[at] = append(zones[at], span{start, start + length})
	case "M":
		var name string
		if err := json.Unmarshal(e.Arguments["name"], &name); err != nil || len(e.Arguments) != 1 ||
			*e.Name != "process_name" && *e.Name != "thread_name" {
			return fmt.Errorf("metadata %s with arguments %s: %v", *e.Name, e.Arguments, err)
		}
		key := fmt.Sprint(*e.Name, *e.PID, *e.TID)
		if names[key] {
			return fmt.Errorf("%s of %d and %d is given twice", *e.Name, *e.PID, *e.TID)
		}
		names[key] = true
	case "i":
		if !strings.Contains("gpt", *e.Scope) || len(*e.Scope) != 1 {
			return fmt.Errorf("scope %q", *e.Scope)
		}
	case "C":
		var value float64
		if err := json.Unmarshal(e.Arguments["value"], &value); err != nil {
			return fmt.Errorf("a counter without a value: %w", err)
		}
	default:
		return fmt.Errorf("phase %q", e.Phase)
	}
	return nil
}

// nanoseconds returns a number of microseconds with three decimals.
func nanoseconds(n json.Number) (int64, error) {
	whole, rest, found := strings.Cut(n.String(), ".")
	if !found || len(rest) != 3 {
		return 0, fmt.Errorf("%s has not three decimals", n)
	}
	return json.Number(whole + rest).Int64()
}

// nested reports zones that begin in one and end behind it, and zones that are not in the order of their ends.
func nested(list []span) error {
	var open []span // those seen that no later zone holds
	for i, z := range list {
		if i > 0 && z.end < list[i-1].end {
			return fmt.Errorf("zone %d ends at %d ns, before the one before it", i, z.end)
		}
		for len(open) > 0 && open[len(open)-1].start >= z.start {
			open = open[:len(open)-1] // it lies in z
		}
		if len(open) > 0 && open[len(open)-1].end > z.start {
			return fmt.Errorf("the zones %v and %v overlap", open[len(open)-1], z)
		}
		open = append(open, z)
	}
	return nil
}

// TestSchema: what is written of real captures is as the format has it.
func TestSchema(t *testing.T) {
	captures, err := filepath.Glob(filepath.Join("..", "testdata", "*.tracy"))
	if err != nil || len(captures) == 0 {
		t.Fatal(captures, err)
	}
	for _, path := range captures {
		f, err := trace.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		err = Write(&b, Trace{Program: f.Info().Program, PID: f.Info().PID, Threads: f.Threads(), Zones: f.Zones(),
			Messages: f.Messages(), GPUZones: f.GPUZones(), Plots: f.Plots()})
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if err := conform(b.Bytes()); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if n := bytes.Count(b.Bytes(), []byte(`"ph":"X"`)); n == 0 {
			t.Errorf("%s: no zones", path)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestSchemaRefuses: the check sees what is wrong.
func TestSchemaRefuses(t *testing.T) {
	zone := `{"ph":"X","name":"z","pid":1,"tid":2,"ts":%s,"dur":%s}`
	good := fmt.Sprintf(zone, "1.000", "2.000") + "," + fmt.Sprintf(zone, "0.500", "2.500")
	for events, want := range map[string]string{
		good: "",
		fmt.Sprintf(zone, "1.000", "2.000") + "," + fmt.Sprintf(zone, "2.000", "2.000"): "overlap",
		fmt.Sprintf(zone, "1.000", "2.000") + "," + fmt.Sprintf(zone, "0.000", "0.500"): "before the one before",
		fmt.Sprintf(zone, "1.000", "-2.000"):                                            "dur",
		fmt.Sprintf(zone, "1e3", "2.000"):                                               "three decimals",
		`{"ph":"X","name":"z","pid":1,"tid":2,"ts":1.000}`:                              "keys of another",
		`{"ph":"M","name":"thread_name","pid":1,"tid":2,"ts":1.000}`:                    "keys of another",
		`{"ph":"M","name":"thread_name","pid":1,"tid":2}`:                               "metadata",
		`{"ph":"X","pid":1,"tid":2,"ts":1.000,"dur":1.000}`:                             "no name",
		`{"ph":"X","name":"z","pid":1,"tid":4294967296,"ts":1.000,"dur":1.000}`:         "31 bits",
		`{"ph":"i","name":"z","pid":1,"tid":2,"ts":1.000,"s":"x"}`:                      "scope",
		`{"ph":"C","name":"z","pid":1,"tid":2,"ts":1.000}`:                              "without a value",
		`{"ph":"?","name":"z","pid":1,"tid":2,"ts":1.000}`:                              "phase",
		`{"ph":"C","name":"z","pid":1,"tid":2,"ts":1.000,"colour":"red"}`:               "unknown field",
	} {
		err := conform([]byte(`{"displayTimeUnit":"ns","traceEvents":[` + events + `],"otherData":{}}`))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", events, err, want)
		}
	}
	if conform([]byte(`{"displayTimeUnit":"s","traceEvents":[]}`)) == nil {
		t.Error("an unknown unit is not seen")
	}
}
