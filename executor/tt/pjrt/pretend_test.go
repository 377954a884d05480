package pjrt

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/executor/dl/dltest"
)

// pretend compiles our own plugin for tests.
func pretend(t testing.TB, flags ...string) string {
	t.Helper()
	return dltest.Compile(t, filepath.Join("..", "testdata", "plugin.c"), flags...)
}

// TestOpenRefuses checks that an unsuitable file is refused with a reason before it is used.
func TestOpenRefuses(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text.so")
	if err := os.WriteFile(text, []byte("no plugin"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, path, want string }{
		{"text", text, "not a shared library"},
		{"missing", filepath.Join(t.TempDir(), "none.so"), "none.so"},
		{"no plugin", pretend(t, "-DGetPjrtApi=GetSomethingElse"),
			"is not a PJRT plugin: it does not export GetPjrtApi"},
		{"other major version", pretend(t, "-DMAJOR=1", "-DMINOR=2"),
			"its PJRT API is version 1.2 and zonemark knows 0.x"},
		{"no table", pretend(t, "-DTABLE_SIZE=16"), "says that it has 16 bytes"},
		{"absurd table", pretend(t, "-DTABLE_SIZE=123456789"), "says that it has 123456789 bytes"},
		{"no functions", pretend(t, "-DFUNCTIONS=1"), "no PJRT_Error_Message"},
	} {
		p, err := Open(c.path)
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), filepath.Base(c.path)) {
			t.Errorf("%s: %v, error %v; want %q in it", c.name, p, err, c.want)
		}
	}
}

// TestTableSizes checks plugins with fewer and with more functions. The functions of an older plugin work, and errors
// name the missing ones. A newer plugin has more.
func TestTableSizes(t *testing.T) {
	for _, c := range []struct {
		name            string
		flags           []string
		text            string
		absent, absent2 string // of copying results, of asking for their types
	}{
		{"old", []string{"-DFUNCTIONS=60", "-DMINOR=20"}, "plugin.so (PJRT API 0.20, 60 functions)",
			"PJRT_Buffer_ToHostBuffer", "PJRT_Executable_OutputElementTypes"},
		{"older", []string{"-DFUNCTIONS=80", "-DMINOR=40"}, "plugin.so (PJRT API 0.40, 80 functions)", "",
			"PJRT_Executable_OutputElementTypes"},
		{"newer", []string{"-DFUNCTIONS=400", "-DMINOR=900"}, "plugin.so (PJRT API 0.900, 400 functions)", "",
			"PJRT_Executable_OutputElementTypes"},
	} {
		p, err := Open(pretend(t, c.flags...))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if p.String() != c.text {
			t.Errorf("%s: %q, want %q", c.name, p, c.text)
		}
		client, err := p.NewClient()
		if err != nil {
			t.Fatal(err)
		}
		if n := len(client.Devices()); n != 3 {
			t.Errorf("%s: %d devices", c.name, n)
		}
		e, err := client.Compile([]byte("anything"), CompileOptions(1, nil))
		if err != nil {
			t.Fatal(err)
		}
		var absent *AbsentError
		if _, err := e.Outputs(); !errors.As(err, &absent) || absent.Function != c.absent2 {
			t.Errorf("%s: types of results: %v", c.name, err)
		}
		if cost := e.Cost(); len(cost) != 0 {
			t.Errorf("%s: cost %v", c.name, cost)
		}
		_, err = client.NewDownload(make([]byte, 4))
		if absent = nil; (errors.As(err, &absent) && absent.Function == c.absent) != (c.absent != "") {
			t.Errorf("%s: copying results: %v, want %q to be absent", c.name, err, c.absent)
		}
		if err := errors.Join(e.Close(), client.Close()); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestErrors checks that errors of a plugin carry its own message and code.
func TestErrors(t *testing.T) {
	p, err := Open(pretend(t, `-DCREATE_ERROR="no card in any slot"`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.NewClient()
	var failed *Error
	if !errors.As(err, &failed) || failed.Code != 14 || failed.Message != "no card in any slot" ||
		failed.Function != "PJRT_Client_Create" {
		t.Errorf("error %v", err)
	}
	if err == nil || !strings.Contains(err.Error(), "PJRT_Client_Create: UNAVAILABLE: no card in any slot") {
		t.Errorf("error %v", err)
	}
	for code, want := range map[Code]string{0: "OK", 3: "INVALID_ARGUMENT", ResourceExhausted: "RESOURCE_EXHAUSTED",
		16: "UNAUTHENTICATED", 17: "code 17", -1: "code -1"} {
		if code.String() != want {
			t.Errorf("code %d: %s, want %s", int(code), code, want)
		}
	}
}

func TestTypes(t *testing.T) {
	for code := Pred; code <= F4E2M1FN; code++ {
		back, known := TypeNamed(code.String())
		if code == Token {
			if known || code.Size() != 0 {
				t.Error("tokens are no numbers")
			}
			continue
		}
		if !known || back != code || code.Size() == 0 {
			t.Errorf("%s is %d and back %d, %d bytes", code, code, back, code.Size())
		}
	}
	for _, name := range []string{"", "f31", "type 13", "i3"} {
		if code, known := TypeNamed(name); known {
			t.Errorf("%q is %s", name, code)
		}
	}
	for _, c := range []struct {
		s    Shape
		want int64
		ok   bool
	}{
		{Shape{F32, nil}, 4, true}, {Shape{C128, []int64{2, 3}}, 96, true}, {Shape{S4, []int64{5}}, 5, true},
		{Shape{F32, []int64{0, 9}}, 0, true},
		{Shape{F32, []int64{-1}}, 0, false}, {Shape{F32, []int64{1 << 40, 1 << 40}}, 0, false},
		{Shape{Token, nil}, 0, false},
	} {
		if got, ok := c.s.Bytes(); ok != c.ok || ok && got != c.want {
			t.Errorf("%s: %d bytes, %v", c.s, got, ok)
		}
	}
}
