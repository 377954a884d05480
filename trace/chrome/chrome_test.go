package chrome

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"math"
	"testing"

	"zonemark/trace"
	"zonemark/trace/internal/zonetest"
)

// chromeEvent is what the tests look at.
type chromeEvent struct {
	Phase string `json:"ph"`
	Name  string
	PID   int64
	TID   int64
	TS    float64
	Dur   float64
	Scope string `json:"s"`
	Args  map[string]any
}

func decodeChrome(t *testing.T, text []byte) (events []chromeEvent, other map[string]string) {
	t.Helper()
	var doc struct {
		TraceEvents []chromeEvent
		OtherData   map[string]string
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return doc.TraceEvents, doc.OtherData
}

func sequence[T any](values ...T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range values {
			if !yield(v, nil) {
				return
			}
		}
	}
}

func TestChrome(t *testing.T) {
	zones := zonetest.Family()
	zones[0].Text = "two\nlines \"quoted\" \xff</script>\u2028"
	zones[3].Unfinished = true
	var b bytes.Buffer
	err := Write(&b, Trace{
		Program:  "p",
		PID:      77,
		Threads:  []trace.Thread{{ID: 100, Name: "main"}, {ID: 100, Name: "twin"}, {ID: 1 << 40}},
		Zones:    zonetest.Zones(nil, zones...),
		Messages: sequence(trace.Message{TimeNS: 1234567, Text: "hello", Thread: 2}),
		GPUZones: sequence(trace.GPUZone{Context: 0, ContextName: "queue", Location: &trace.Location{Name: "kernel"},
			StartNS: -1500, DurationNS: 2}),
		Plots: sequence(trace.PlotPoint{Plot: &trace.Plot{Name: "load"}, Value: 1.5},
			trace.PlotPoint{Plot: &trace.Plot{Name: "load"}, Value: math.NaN()}),
	})
	if err != nil {
		t.Fatal(err)
	}
	events, _ := decodeChrome(t, b.Bytes())
	count := map[string]int{}
	threads := map[string]int64{}
	for _, e := range events {
		count[e.Phase]++
		switch {
		case e.Name == "thread_name":
			threads[e.Args["name"].(string)] = e.TID
		case e.Name == "child" && (e.TS != 0.010 || e.Dur != 0.030 || e.PID != 77 || e.Args["file"] != "a.c" ||
			e.Args["line"] != 2.0):
			t.Errorf("%+v", e)
		case e.Name == "child" && e.Args["text"] != "two\nlines \"quoted\" \ufffd</script>\u2028":
			t.Errorf("text %q", e.Args["text"])
		case e.Phase == "i" && (e.TS != 1234.567 || e.Scope != "t"):
			t.Errorf("%+v", e)
		case e.Name == "kernel" && (e.TS != -1.5 || e.PID == 77):
			t.Errorf("%+v", e)
		}
	}
	if count["X"] != 5 || count["i"] != 1 || count["C"] != 1 || count["M"] != 6 {
		t.Errorf("%v", count)
	}
	if threads["main"] != 100 || threads["twin"] == 100 || threads["thread 2"] > math.MaxInt32 ||
		threads["queue"] != 1 {
		t.Errorf("%v", threads)
	}
}

// TestChromeIsWholeWhenTheCaptureIsNot: what could be read is valid JSON, says what is missing, and the error is
// returned.
func TestChromeIsWholeWhenTheCaptureIsNot(t *testing.T) {
	for n := range len(zonetest.Family()) + 1 {
		var b bytes.Buffer
		err := Write(&b, Trace{Zones: zonetest.Zones(zonetest.ErrCut, zonetest.Family()[:n]...)})
		if !errors.Is(err, zonetest.ErrCut) {
			t.Error(err)
		}
		events, other := decodeChrome(t, b.Bytes())
		if len(events) != n || other["incomplete"] != zonetest.ErrCut.Error() {
			t.Errorf("%d events of %d; %v", len(events), n, other)
		}
	}
}

type fullDisk struct{ left int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.left -= len(p); d.left < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

func TestChromeStopsWhenItCannotWrite(t *testing.T) {
	read := 0
	endless := func(yield func(trace.Zone, error) bool) {
		for z := (trace.Zone{Location: &trace.Location{Name: "x"}}); yield(z, nil); {
			read++
		}
	}
	if err := Write(&fullDisk{1 << 20}, Trace{Zones: endless}); !errors.Is(err, io.ErrShortWrite) {
		t.Error(err)
	}
	if read == 0 {
		t.Error("nothing was read")
	}
}

func FuzzChromeIsJSON(f *testing.F) {
	f.Add("name", "text", "file", int64(0), int64(1))
	f.Add("\x00\"\\", "\xff", "\u2028", int64(math.MinInt64), int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, name, text, file string, start, duration int64) {
		z := trace.Zone{DynamicName: name, Text: text, Location: &trace.Location{Name: name, File: file},
			StartNS: start, DurationNS: duration}
		var b bytes.Buffer
		if err := Write(&b, Trace{Program: name, Threads: []trace.Thread{{Name: text}},
			Zones: zonetest.Zones(nil, z)}); err != nil {
			t.Fatal(err)
		}
		if !json.Valid(b.Bytes()) {
			t.Fatalf("no JSON: %s", b.Bytes())
		}
	})
}
