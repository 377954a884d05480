package pjrt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

func recorded(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "mlp.xplane.pb"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A profile that JAX has recorded: fifty calls of a program of nine operations, on three threads.
func TestRecordedXSpace(t *testing.T) {
	s, err := ParseXSpace(recorded(t))
	if err != nil || len(s.Planes) < 1 || s.Planes[0].Name != "/host:CPU" || len(s.Errors) > 0 {
		t.Fatalf("%v, %+v", err, s)
	}
	count := map[string]int{}
	calls := 0
	for _, l := range s.Planes[0].Lines {
		for _, e := range l.Events {
			if e.StartPS < 0 || e.Name == "" {
				t.Fatalf("%+v", e)
			}
			if e.Operation != "" {
				count[e.Operation]++
			}
			if l.Name == "python" && e.Name == "PjRtCpuExecutable::Execute" {
				calls++
			}
		}
	}
	if calls != 50 {
		t.Errorf("%d calls", calls)
	}
	for _, name := range []string{"dot.8", "tanh.9", "dot.10", "reduce-window", "reduce.15",
		"subtract_exponential_fusion", "reduce-window.1", "reduce.27", "broadcast_divide_fusion"} {
		if count[name] != 50 {
			t.Errorf("%s: %d times", name, count[name])
		}
		delete(count, name)
	}
	if len(count) > 0 {
		t.Errorf("and %v", count)
	}
}

// message is a protobuf message of fields: pairs of a number and an int or a text.
func message(fields ...any) string {
	var b []byte
	for i := 0; i+1 < len(fields); i += 2 {
		switch value := fields[i+1].(type) {
		case int:
			b = appendVarintField(b, protowire.Number(fields[i].(int)), uint64(value))
		case string:
			b = appendBytesField(b, protowire.Number(fields[i].(int)), []byte(value))
		}
	}
	return string(b)
}

// Lines begin at times of their own, names come from metadata wherever it stands, and operations from statistics of an
// event or of all of its kind.
func TestXSpaceFields(t *testing.T) {
	kind := func(key int, fields ...any) string { return message(1, key, 2, message(fields...)) }
	line := func(name string, ns int, events ...string) string {
		fields := []any{2, name, 3, ns}
		for _, e := range events {
			fields = append(fields, 4, e)
		}
		return message(fields...)
	}
	data := message(
		1, message(2, "/device:TPU:0",
			3, line("a", 1_700_000_000_000_000_005, message(1, 1, 2, 7, 3, 100, 4, message(1, 9, 5, "dot.1")),
				message(1, 2, 5, 12, 3, 50)),
			3, line("b", 1_700_000_000_000_000_002, message(1, 2, 2, 1, 3, 50)),
			3, line("empty", 1),
			4, kind(1, 2, "%dot = f32[] dot(…)", 4, "dot"), 4, kind(2, 2, "add", 5, message(1, 9, 7, 10)), 5,
			kind(9, 2, "hlo_op"), 5, kind(10, 2, "add.7")),
		2, "an error", 3, "a warning", 4, "host")
	s, err := ParseXSpace([]byte(data))
	if err != nil || len(s.Planes) != 1 || s.Errors[0] != "an error" || s.Warnings[0] != "a warning" {
		t.Fatalf("%+v, %v", s, err)
	}
	lines := s.Planes[0].Lines
	if want := (XEvent{"dot", 3007, 100, "dot.1"}); len(lines[0].Events) != 1 || lines[0].Events[0] != want {
		t.Errorf("%+v, want %+v and nothing that says not when it was", lines[0].Events, want)
	}
	if want := (XEvent{"add", 1, 50, "add.7"}); lines[1].Events[0] != want {
		t.Errorf("%+v, want %+v", lines[1].Events, want)
	}
	for text, want := range map[string]string{
		"\x0a": "longer than the message",
		"text": "profile: ",
		message(1, message(2, "p", 3, line("l", 0, message(1, 1, 3,
			-1)))): `plane 0, "p": line 0, "l": event 0: its time is impossible`,
		message(1, message(2, "p", 3, line("l", 0, message(3, 1)), 3,
			line("m", 1<<62, message(3, 1)))): `line 1, "m": it begins 4611686018427387904 ns after the first one`,
	} {
		if _, err := ParseXSpace([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q in it", text, err, want)
		}
	}
}

// FuzzParseXSpace: whatever comes, times stay within bounds whose sums do not overflow.
func FuzzParseXSpace(f *testing.F) {
	f.Add([]byte(message(1, message(2, "p", 3, message(2, "l", 3, 5, 4, message(1, 1, 2, 3, 3, 4, 4,
		message(1, 1, 5, "x"))), 4, message(1, 1, 2, message(2, "n")), 5, message(1, 1, 2, message(2, "hlo_op"))))))
	f.Add(recorded(f)[:4000])
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseXSpace(data)
		if err != nil {
			return
		}
		for _, p := range s.Planes {
			for _, l := range p.Lines {
				for _, e := range l.Events {
					if e.DurationPS < 0 || e.DurationPS > timeMaxPS || e.StartPS > 2*timeMaxPS ||
						e.StartPS < -timeMaxPS {
						t.Errorf("%+v", e)
					}
				}
			}
		}
	})
}
