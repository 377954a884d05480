package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"zonemark/invocations"

	"github.com/google/go-cmp/cmp"
)

// framed returns a payload behind its length.
func framed(payload ...byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(payload))), payload...)
}

func frameOf(tb testing.TB, m Message) []byte {
	tb.Helper()
	frame, err := newEncoder().frame(m)
	if err != nil {
		tb.Fatal(err)
	}
	return bytes.Clone(frame)
}

func TestReceiveAtTheEndOfTheStream(t *testing.T) {
	frame := frameOf(t, &Started{ID: "1", Phase: "measure"})
	for cut := range len(frame) {
		c := NewConn(bytes.NewReader(append(bytes.Clone(frame), frame[:cut]...)), nil)
		if _, err := c.Receive(); err != nil {
			t.Fatal(err)
		}
		for range 2 { // every later call returns the error
			_, err := c.Receive()
			if cut == 0 && err != io.EOF {
				t.Errorf("between frames: %v, want io.EOF", err)
			}
			if cut > 0 && (!errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)) {
				t.Errorf("after %d bytes of a frame: %v, want io.ErrUnexpectedEOF", cut, err)
			}
		}
	}
}

func TestReceiveFromASlowStream(t *testing.T) {
	long := &Goodbye{Reason: strings.Repeat("long ", 100_000)}
	var stream bytes.Buffer
	sender := NewConn(nil, &stream)
	want := []Message{&Started{ID: "1"}, long, &Started{ID: "2"}, long}
	for _, m := range want {
		if err := sender.Send(m); err != nil {
			t.Fatal(err)
		}
	}
	for name, r := range map[string]io.Reader{"whole": &stream,
		"bytes": iotest.OneByteReader(bytes.NewReader(bytes.Clone(stream.Bytes())))} {
		c := NewConn(r, nil)
		for i, m := range want {
			got, err := c.Receive()
			if err != nil {
				t.Fatalf("%s, message %d: %v", name, i, err)
			}
			if diff := cmp.Diff(m, got); diff != "" {
				t.Errorf("%s, message %d:\n%s", name, i, diff)
			}
		}
		if _, err := c.Receive(); err != io.EOF {
			t.Errorf("%s: %v, want io.EOF", name, err)
		}
	}
}

func TestMalformedFrameLeavesTheStreamInStep(t *testing.T) {
	for _, test := range []struct {
		name    string
		payload []byte
		kind    Kind
		id      string
		offset  int64 // in the payload
		want    string
	}{
		{"empty", nil, 0, "", 0, "ends in the middle"},
		{"no array", []byte{0x07}, 0, "", 0, "want an array"},
		{"no element", []byte{0x90}, 0, "", 1, "the kind of the message is missing"},
		{"kind is a text", []byte{0x91, 0xa1, '7'}, 0, "", 1, "kind of the message: want an integer"},
		{"unknown kind", []byte{0x92, 0x63, 0xa0}, 99, "", 2, "unknown kind of message: 99"},
		{"kind beyond a byte", []byte{0x92, 0xcd, 0x01, 0x01, 0xa0}, 0, "", 4, "unknown kind of message: 257"},
		{"phase is a number", []byte{0x93, 0x07, 0xa1, 'x', 0x05}, KindStarted, "x", 4,
			"field Phase: want a text, found a value that starts with byte 0x05"},
		{"phase is nil", []byte{0x93, 0x07, 0xa1, 'x', 0xc0}, KindStarted, "x", 4, "field Phase: want a text"},
		{"cut off", []byte{0x93, 0x07, 0xa1, 'x'}, KindStarted, "x", 4, "field Phase: the payload ends"},
		{"text longer than the payload", []byte{0x93, 0x07, 0xa1, 'x', 0xdb, 0xff, 0xff, 0xff, 0xff}, KindStarted, "x",
			9,
			"a length of 4294967295 with 0 bytes left"},
		{"bytes after the message", []byte{0x93, 0x07, 0xa1, 'x', 0xa0, 0xc0}, KindStarted, "x", 5,
			"1 bytes after the message"},
		{"further field cut off", []byte{0x94, 0x07, 0xa1, 'x', 0xa0, 0x92, 0x01}, KindStarted, "x", 6,
			"after the last field of Started: a length of 2 with 1 bytes left"},
		{"further field reserved", []byte{0x94, 0x07, 0xa1, 'x', 0xa0, 0xc1}, KindStarted, "x", 5, "0xc1"},
		{"map key twice", []byte{0x95, 0x02, 0xa1, 'x', 0xa0, 0xa0, 0x82, 0xa1, 'k', 0xa0, 0xa1, 'k', 0xa0},
			KindDescribe, "x", 13,
			`field Parameters: key "k" occurs twice`},
		{"negative protocol", []byte{0x93, 0x01, 0xa0, 0xff}, KindHello, "", 4, "want an unsigned integer, found -1"},
		{"round is no integer", []byte{0x93, 0x08, 0x92, 0xa1, 'x', 0xcb, 0, 0, 0, 0, 0, 0, 0, 0}, KindResult, "x", 5,
			"field Result: field Number: want an integer, found a value that starts with byte 0xcb"},
	} {
		t.Run(test.name, func(t *testing.T) {
			next := &Started{ID: "next", Phase: "prepare"}
			c := NewConn(bytes.NewReader(append(framed(test.payload...), frameOf(t, next)...)), nil)
			_, err := c.Receive()
			bad, ok := errors.AsType[*FrameError](err)
			if !ok {
				t.Fatalf("error %v, want a FrameError", err)
			}
			if bad.Kind != test.kind || bad.ID != test.id || bad.Offset != headerBytes+test.offset ||
				!strings.Contains(err.Error(), test.want) {
				t.Errorf("kind %d, id %q, offset %d, error %q\nwant kind %d, id %q, offset %d, error with %q",
					bad.Kind, bad.ID, bad.Offset, err, test.kind, test.id, headerBytes+test.offset, test.want)
			}
			got, err := c.Receive()
			if err != nil {
				t.Fatalf("the frame after it: %v", err)
			}
			if diff := cmp.Diff(Message(next), got); diff != "" {
				t.Errorf("the frame after it:\n%s", diff)
			}
		})
	}
}

func TestUnknownKindIsRecognizable(t *testing.T) {
	_, err := NewConn(bytes.NewReader(framed(0x92, 0x63, 0xa0)), nil).Receive()
	if !errors.Is(err, ErrUnknownKind) {
		t.Errorf("%v is not ErrUnknownKind", err)
	}
}

func TestFrameBeyondTheLimit(t *testing.T) {
	c := NewConn(strings.NewReader("Welcome to node 17\n"), nil) // "Welc" is a length of more than a gigabyte
	for range 2 {
		if _, err := c.Receive(); !errors.Is(err, ErrFrameLength) {
			t.Errorf("%v, want ErrFrameLength", err)
		}
	}
	var out bytes.Buffer
	c = NewConn(nil, &out)
	if err := c.Send(&Goodbye{Reason: strings.Repeat("x", MaxFrame)}); !errors.Is(err, ErrFrameLength) {
		t.Errorf("sending: %v, want ErrFrameLength", err)
	}
	if out.Len() != 0 {
		t.Errorf("%d bytes of a refused message were written", out.Len())
	}
	if err := c.Send(&Goodbye{}); err != nil {
		t.Errorf("after a refused message: %v", err)
	}
}

func TestSendRefusesWhatIsNoTiming(t *testing.T) {
	for _, ns := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -5e15} {
		var out bytes.Buffer
		c := NewConn(nil, &out)
		for _, r := range []invocations.Result{{ID: "7",
			Batches: invocations.Batches{SamplesNS: []float64{1, ns}}}, {ID: "7",
			Batches: invocations.Batches{CPUSamplesNS: []float64{1, ns}}}} {
			if err := c.Send(&Result{r}); err == nil || !strings.Contains(err.Error(), "timing 1 is") {
				t.Errorf("%v: error %v, want one that names timing 1", ns, err)
			}
		}
		if out.Len() != 0 {
			t.Errorf("%v: %d bytes were written", ns, out.Len())
		}
	}
}

func TestSendNothing(t *testing.T) {
	if err := NewConn(nil, io.Discard).Send(nil); err == nil {
		t.Error("sending a nil message succeeds")
	}
}

// writes records each Write. From the second Write on, it fails with the error fail, if that is set.
type writes struct {
	all  [][]byte
	fail error
}

func (w *writes) Write(b []byte) (int, error) {
	w.all = append(w.all, bytes.Clone(b))
	if w.fail != nil && len(w.all) > 1 {
		return len(b) / 2, w.fail
	}
	return len(b), nil
}

func TestOneWriteForEachMessage(t *testing.T) {
	for name, m := range everyMessage() {
		var w writes
		if err := NewConn(nil, &w).Send(m); err != nil {
			t.Fatal(err)
		}
		if len(w.all) != 1 {
			t.Errorf("%s left in %d writes", name, len(w.all))
		}
	}
}

func TestNothingFollowsAFailedWrite(t *testing.T) {
	w := writes{fail: io.ErrClosedPipe}
	c := NewConn(nil, &w)
	if err := c.Send(&Goodbye{}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.Send(&Goodbye{}); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%v, want io.ErrClosedPipe", err)
		}
	}
	if len(w.all) != 2 {
		t.Errorf("%d writes, want none after the one that failed", len(w.all)-1)
	}
}

func TestSendFromManyGoroutines(t *testing.T) {
	const senders, each = 8, 50
	r, w := io.Pipe()
	c := NewConn(r, w)
	var sending sync.WaitGroup
	for s := range senders {
		sending.Go(func() {
			for i := range each {
				if err := c.Send(&Started{ID: fmt.Sprint(s), Phase: fmt.Sprint(i)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	go func() { sending.Wait(); w.Close() }()
	next := make(map[string]int)
	for {
		m, err := c.Receive()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		s := m.(*Started)
		if s.Phase != fmt.Sprint(next[s.ID]) {
			t.Fatalf("sender %s: message %s, want %d", s.ID, s.Phase, next[s.ID])
		}
		next[s.ID]++
	}
	for id, n := range next {
		if n != each {
			t.Errorf("sender %s: %d messages, want %d", id, n, each)
		}
	}
	if len(next) != senders {
		t.Errorf("%d senders, want %d", len(next), senders)
	}
}

// TestLengthsAllocateOnlyWhatIsThere feeds lengths that promise gigabytes.
func TestLengthsAllocateOnlyWhatIsThere(t *testing.T) {
	started := []byte{0x93, 0x07, 0xa1, 'x'}
	for name, stream := range map[string][]byte{
		"frame":   {0, 0, 0, 4, 0x93}, // 64 MiB, then nothing
		"text":    framed(append(started, 0xdb, 0x7f, 0xff, 0xff, 0xff)...),
		"array":   framed(0xdd, 0x7f, 0xff, 0xff, 0xff, 0x07),
		"list":    framed(0x94, 0x03, 0xa0, 0xa0, 0xdd, 0x7f, 0xff, 0xff, 0xff),
		"map":     framed(0x95, 0x02, 0xa0, 0xa0, 0xa0, 0xdf, 0x7f, 0xff, 0xff, 0xff),
		"skipped": framed(append([]byte{0x94, 0x07, 0xa0, 0xa0}, 0xdf, 0xff, 0xff, 0xff, 0xff)...),
		"nested":  framed(append([]byte{0x94, 0x07, 0xa0, 0xa0}, bytes.Repeat([]byte{0x91}, 1<<16)...)...),
	} {
		var before, after runtime.MemStats
		c := NewConn(bytes.NewReader(stream), nil)
		runtime.ReadMemStats(&before)
		_, err := c.Receive()
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
			t.Errorf("%s: %d bytes were allocated for a stream of %d", name, grown, len(stream))
		}
	}
}

// TestEmptyStructsTakeBoundedMemory sends a list whose elements take a byte each on the wire and many in memory.
func TestEmptyStructsTakeBoundedMemory(t *testing.T) {
	const n = 1 << 20
	payload := append([]byte{0x94, byte(KindDescribed), 0xa1, 'x', 0xa0, 0xdd}, 0, n>>16, 0, 0)
	payload = append(payload, bytes.Repeat([]byte{0x90}, n)...)
	var before, after runtime.MemStats
	c := NewConn(bytes.NewReader(framed(payload...)), nil)
	runtime.ReadMemStats(&before)
	_, err := c.Receive()
	runtime.ReadMemStats(&after)
	if bad, ok := errors.AsType[*FrameError](err); !ok || bad.ID != "x" || !strings.Contains(err.Error(),
		"more memory") {
		t.Errorf("error %v, want one about memory", err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > memoryPerByte*n {
		t.Errorf("%d bytes were allocated for a payload of %d", grown, n)
	}
}

func TestDeepNestingIsSkipped(t *testing.T) {
	deep := append(bytes.Repeat([]byte{0x91}, 1<<20), 0xc0)
	c := NewConn(bytes.NewReader(framed(append([]byte{0x94, 0x07, 0xa1, 'x', 0xa0}, deep...)...)), nil)
	m, err := c.Receive()
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := m.(*Started); !ok || s.ID != "x" {
		t.Errorf("received %+v", m)
	}
}

func TestHelloOfAnotherProtocol(t *testing.T) {
	if err := (&Hello{Protocol: Protocol}).Check(); err != nil {
		t.Errorf("own protocol: %v", err)
	}
	// Protocol 3 has only the two fields in common.
	c := NewConn(bytes.NewReader(framed(0x95, 0x01, 0xa0, 0x03, 0xa4, 'v', '9', '.', '0', 0x80)), nil)
	m, err := c.Receive()
	if err != nil {
		t.Fatal(err)
	}
	err = m.(*Hello).Check()
	if err == nil {
		t.Fatal("protocol 3 passes")
	}
	for _, want := range []string{"protocol 3", `"v9.0"`, "protocol 2", "install the same zonemark on both ends"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
}

func TestReceivedMessagesAreIndependent(t *testing.T) {
	first := everyMessage()["result"]
	stream := append(frameOf(t, first), frameOf(t, &Result{invocations.Result{ID: "2",
		Batches: invocations.Batches{SamplesNS: []float64{9, 9, 9, 9,
			9}}, Notes: []string{"other"}}})...)
	c := NewConn(bytes.NewReader(stream), nil)
	got, err := c.Receive()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Receive(); err != nil {
		t.Fatal(err)
	}
	clear(stream)
	if diff := cmp.Diff(first, got); diff != "" {
		t.Errorf("a message changed when the next was received:\n%s", diff)
	}
}

// Messages of an executor without lists, and texts of all its messages, have limits of their own, beyond which nothing
// is kept.
func TestExecutorsTextsAreBounded(t *testing.T) {
	text := func(n int) []byte {
		b := binary.BigEndian.AppendUint32([]byte{0xdb}, uint32(n))
		return append(b, bytes.Repeat([]byte{'x'}, n)...)
	}
	message := func(head []byte, kind Kind, n int) []byte {
		return append(append(head, byte(kind), 0xa1, 'x'), text(n)...)
	}
	for _, c := range []struct {
		name    string
		payload []byte
		want    string // part of the error; empty: none
	}{
		{"a short phase", message([]byte{0x93}, KindStarted, 100), ""},
		{"a long phase", message([]byte{0x93}, KindStarted, maxTextBytes+1), "a text of"},
		{"a phase beyond the frame", message([]byte{0x93}, KindStarted, maxShortFrame), "at most"},
		{"the same as a longer array", message([]byte{0xdc, 0, 3}, KindStarted, maxShortFrame), "at most"},
		{"the same as the longest array", message([]byte{0xdd, 0, 0, 0, 3}, KindStarted, maxShortFrame), "at most"},
		{"a reason that is read", message([]byte{0x93}, KindDescribed, maxTextBytes), ""},
		{"a reason that is too long", message([]byte{0x93}, KindDescribed, maxTextBytes+1), "a text of"},
		{"an order of the driver", message([]byte{0x93}, KindDescribe, 3*maxTextBytes), ""},
	} {
		_, err := NewConn(bytes.NewReader(framed(c.payload...)), nil).Receive()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}
