package wire

import (
	"bytes"
	"errors"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// addGolden seeds a fuzz target with the payload of every golden file.
func addGolden(f *testing.F, add func(payload []byte)) {
	f.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "golden", "*.golden"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		add(readGolden(f, file))
	}
}

// same compares messages. Timings may differ as far as their encoding allows, whatever least timing a hostile peer
// states.
var same = cmp.Options{cmpopts.EquateNaNs(), cmp.Comparer(func(a, b []float64) bool {
	near := func(x, y float64) bool { return math.Abs(x-y) <= 1e-30+0x1p-24*(slices.Max(a)-slices.Min(a)) }
	return (a == nil) == (b == nil) && slices.EqualFunc(a, b, near)
})}

// FuzzMessage decodes one payload of any kind. A valid message must be the same after encoding and decoding.
func FuzzMessage(f *testing.F) {
	addGolden(f, func(payload []byte) { f.Add(payload) })
	f.Fuzz(func(t *testing.T, payload []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err := newDecoder().decode(payload)
		runtime.ReadMemStats(&after)
		// Errors and the lists of fields take some memory for any payload.
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<16+2*memoryPerByte*uint64(len(payload)) {
			t.Errorf("%d bytes were allocated for a payload of %d", grown, len(payload))
		}
		if err != nil {
			bad, ok := errors.AsType[*FrameError](err)
			if !ok || bad.Offset < 0 || bad.Offset > int64(len(payload)) {
				t.Fatalf("%#v is no FrameError within %d bytes", err, len(payload))
			}
			return
		}
		frame, err := newEncoder().frame(m)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again, err := newDecoder().decode(frame[headerBytes:])
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if diff := cmp.Diff(m, again, same); diff != "" {
			t.Errorf("the message changed on its way:\n%s", diff)
		}
	})
}

// FuzzReceive reads a stream and then a valid frame, which must arrive if the stream ends between two frames.
func FuzzReceive(f *testing.F) {
	addGolden(f, func(payload []byte) { f.Add(append(framed(payload...), framed(0x92, 0x63, 0xa0)...)) })
	f.Add([]byte("HTTP/1.1 200 OK\r\n"))
	f.Add(framed())
	f.Fuzz(func(t *testing.T, stream []byte) {
		c := NewConn(bytes.NewReader(stream), nil)
		for frames := 0; ; frames++ {
			_, err := c.Receive()
			if _, ok := errors.AsType[*FrameError](err); ok || err == nil {
				if frames > len(stream)/headerBytes {
					t.Fatalf("%d frames in %d bytes", frames, len(stream))
				}
				continue
			}
			if err != io.EOF {
				return
			}
			break
		}
		c = NewConn(bytes.NewReader(append(bytes.Clone(stream), frameOf(t, &Goodbye{Reason: "end"})...)), nil)
		var last Message
		for {
			m, err := c.Receive()
			if err == io.EOF {
				break
			}
			last = m
		}
		if g, ok := last.(*Goodbye); !ok || g.Reason != "end" {
			t.Errorf("the frame after the stream became %+v", last)
		}
	})
}
