package remoting

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// endless is a head that never ends.
type endless struct{ read int64 }

func (e *endless) Read(b []byte) (int, error) {
	e.read += int64(len(b))
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

// A host that sends the head of a capture without end is not read on.
func TestEndlessHead(t *testing.T) {
	from := &endless{}
	tracer := &Tracer{host: &host{name: "there"}, output: filepath.Join(t.TempDir(), "x.tracy"), started: 1}
	if list, err := tracer.take(from); err == nil || len(list) > 0 || from.read > 2*mostHead {
		t.Errorf("%v, %d captures, %d bytes read", err, len(list), from.read)
	}
}

func TestTakeCaptures(t *testing.T) {
	for _, c := range []struct {
		sent   string
		kept   []string // contents
		errors string
	}{
		{"", nil, ""},
		{`{"path":"/there/trace.tracy","bytes":3}` + "\nabc", []string{"abc"}, ""},
		{`{"bytes":2}` + "\n{}" + `{"bytes":0,"error":"no client came"}` + "\n" + `{"bytes":1}` + "\nz", []string{"{}", "", "z"}, ""},
		{`{"bytes":5}` + "\nabc", nil, "3 of 5 bytes arrived"},
		{"not JSON\n", nil, "invalid character"},
		{`{"bytes":3}`, nil, "EOF"},
		{`{"error":"` + strings.Repeat("x", 2*mostHead), nil, "the head of a capture does not end within 64 KiB"},
		{`{"bytes":-1}` + "\n", nil, "announces a capture of -1 bytes"},
		{`{"bytes":9223372036854775807}` + "\n", nil, "at most 64 GiB are taken"},
		{strings.Repeat("{}\n", 5), []string{"", "", "", ""}, "more captures than executors were started there (4)"},
	} {
		folder := t.TempDir()
		tracer := &Tracer{host: &host{name: "there"}, output: filepath.Join(folder, "x.tracy"), started: 4}
		list, err := tracer.take(strings.NewReader(c.sent))
		if fmt.Sprint(err) == "<nil>" && c.errors != "" || err != nil && (c.errors == "" || !strings.Contains(err.Error(), c.errors)) {
			t.Errorf("%q: error %v, want %q", c.sent, err, c.errors)
		}
		if len(list) != len(c.kept) {
			t.Fatalf("%q: %d captures, want %d", c.sent, len(list), len(c.kept))
		}
		for i, want := range c.kept {
			content, _ := os.ReadFile(list[i].Path) // there is no file of an empty one
			if string(content) != want || filepath.Dir(list[i].Path) != folder {
				t.Errorf("%q: %s has %q, want %q", c.sent, list[i].Path, content, want)
			}
		}
		if parts, _ := filepath.Glob(filepath.Join(folder, "*.part")); len(parts) > 0 {
			t.Errorf("%q: it leaves %q", c.sent, parts)
		}
	}
}

// A host may send anything: nothing is written but captures, beside the first one.
func FuzzTakeCaptures(f *testing.F) {
	f.Add([]byte(`{"path":"a","bytes":3}` + "\nabc"))
	f.Add([]byte(`{"bytes":-1}` + "\n" + `{"bytes":9223372036854775807}` + "\n"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		folder := t.TempDir()
		tracer := &Tracer{host: &host{name: "there"}, output: filepath.Join(folder, "x.tracy"), started: 100}
		list, _ := tracer.take(bytes.NewReader(sent))
		for _, one := range list {
			if filepath.Dir(one.Path) != folder {
				t.Errorf("it writes %s", one.Path)
			}
		}
	})
}
