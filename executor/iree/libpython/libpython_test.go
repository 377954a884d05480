package libpython

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"zonemark/driver/setup/setuptest"
	"zonemark/invocations/testneeds"
)

// options returns those of the Python that IREE is installed in, or else of the python3 on the path.
func options(t *testing.T) Options {
	t.Helper()
	o := Options{
		Library:    setuptest.Getenv("ZONEMARK_IREE_LIBPYTHON"),
		Executable: setuptest.Getenv("ZONEMARK_IREE_PYTHON"),
	}
	var err error
	if o.Library == "" || o.Executable == "" {
		const question = "import os, sys, sysconfig as s; print(os.path.join(s.get_config_var('LIBDIR'), " +
			"s.get_config_var('INSTSONAME'))); print(sys.executable)"
		var answer []byte
		if answer, err = exec.Command("python3", "-c", question).Output(); err == nil {
			o.Library, o.Executable, _ = strings.Cut(strings.TrimSpace(string(answer)), "\n")
			if _, err = os.Stat(o.Library); err == nil && filepath.Ext(o.Library) == ".a" {
				err = errors.New("this Python has no shared library")
			}
		}
	}
	if err != nil {
		testneeds.Missing(t, fmt.Errorf("no shared libpython: %w", err))
	}
	return o
}

// thread runs functions on the one thread that the interpreter belongs to.
var thread = sync.OnceValue(func() chan func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

// withPython calls f with the interpreter, on its thread. f must not end the test, only fail it.
func withPython(t *testing.T, f func(i *Interpreter) error) {
	t.Helper()
	o := options(t)
	done := make(chan error)
	thread() <- func() {
		i, err := Start(o)
		if err == nil {
			err = f(i)
		}
		done <- err
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

const source = `
import pickle, sys
count = 0
kept = None
def step():
    global count
    count += 1
def value():
    return [1]
def fail():
    raise ValueError("no\n\0 luck ü")
class Mute(Exception):
    def __str__(self):
        raise RuntimeError
def mute():
    raise Mute
def leave():
    sys.exit(3)
def swap(message, data):
    return message[::-1], [bytes(d)[::-1] for d in data]
def keep(message, data):
    global kept
    kept = pickle.PickleBuffer(data[0])
    return "", []
def answer(what):
    return lambda message, data: what
def read_only(message, data):
    data[0][0] = 1
def lost():
    return count
`

func TestCalls(t *testing.T) {
	withPython(t, func(i *Interpreter) error {
		if err := i.Run("calls", source); err != nil {
			return err
		}
		if err := i.Run("calls", "nothing that would run, as the module is there"); err != nil {
			return err
		}
		for _, name := range []string{"step", "value"} {
			f, err := i.Get("calls", name)
			if err != nil {
				return err
			}
			for range 1000 {
				if err := f.Call(); err != nil {
					return err
				}
			}
			if name == "step" {
				if n := testing.AllocsPerRun(100, func() { _ = f.Call() }); n != 0 {
					t.Errorf("%v allocations a call", n)
				}
			}
			if err := f.Close(); err != nil {
				return err
			}
			if err := f.Close(); err == nil {
				t.Error("closing twice gave no error")
			}
		}
		count, err := i.Get("calls", "lambda message, data: (str(count), [])")
		if err != nil {
			return err
		}
		defer count.Close()
		if text, _, err := count.Exchange(""); err != nil || text != "1101" {
			t.Errorf("step has run %s times: %v", text, err)
		}
		return nil
	})
}

func TestExchange(t *testing.T) {
	withPython(t, func(i *Interpreter) error {
		if err := i.Run("calls", source); err != nil {
			return err
		}
		swap, err := i.Get("calls", "swap")
		if err != nil {
			return err
		}
		defer swap.Close()
		big := bytes.Repeat([]byte("xy"), 1<<20)
		text, data, err := swap.Exchange("añb\x00c", []byte("abc"), nil, big)
		if err != nil {
			return err
		}
		if text != "c\x00bña" || len(data) != 3 || string(data[0]) != "cba" || len(data[1]) != 0 ||
			!bytes.Equal(data[2], bytes.Repeat([]byte("yx"), 1<<20)) {
			t.Errorf("got %q and %.10q", text, data)
		}
		if text, data, err := swap.Exchange(""); text != "" || len(data) != 0 || err != nil {
			t.Errorf("nothing came back as %q, %q, %v", text, data, err)
		}
		if _, _, err := swap.Exchange("\xff"); err == nil || !strings.Contains(err.Error(), "UnicodeDecodeError") {
			t.Errorf("text that is not UTF-8: %v", err)
		}
		return nil
	})
}

func TestExchangeErrors(t *testing.T) {
	withPython(t, func(i *Interpreter) error {
		if err := i.Run("calls", source); err != nil {
			return err
		}
		for expression, want := range map[string]string{
			"keep":                   "argument 0 is still in use after the call: ",
			"read_only":              "TypeError: cannot modify read-only memory",
			"answer(None)":           "TypeError",
			"answer(1)":              "TypeError",
			"answer(())":             "returned 0 values",
			"answer(('', [], 1))":    "returned 3 values",
			"answer((1, []))":        "TypeError",
			"answer(('', [1]))":      "TypeError",
			"answer(('', 1))":        "TypeError",
			`answer(('\ud800', []))`: "UnicodeEncodeError",
			"1":                      "not callable",
		} {
			f, err := i.Get("calls", expression)
			if err != nil {
				return err
			}
			if _, _, err := f.Exchange("message", []byte("data")); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v does not say %q", expression, err, want)
			}
			f.Close()
		}
		return nil
	})
}

func TestExceptions(t *testing.T) {
	withPython(t, func(i *Interpreter) error {
		if err := i.Run("calls", source); err != nil {
			return err
		}
		for _, c := range []struct{ expression, kind, message, trace string }{
			{"fail", "ValueError", "no\n\ufffd luck ü", `File "calls.py", line 11, in fail`},
			{"mute", "SystemError", "Python reports an error and names none", ""},
			{"leave", "SystemExit", "3", `line 18, in leave`},
			{"None", "TypeError", "'NoneType' object is not callable", ""},
		} {
			f, err := i.Get("calls", c.expression)
			if err != nil {
				return err
			}
			err = f.Call()
			var e *Exception
			if !errors.As(err, &e) {
				t.Errorf("%s: %v", c.expression, err)
			} else if e.Type != c.kind || e.Message != c.message || !strings.Contains(e.Traceback, c.trace) {
				t.Errorf("%s: %q, %q\n%s", c.expression, e.Type, e.Message, e.Traceback)
			}
			f.Close()
		}
		for _, c := range []struct{ expression, want string }{{"nowhere", "NameError"}, {"1 +", "SyntaxError"}} {
			if _, err := i.Get("calls", c.expression); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", c.expression, err)
			}
		}
		for n, source := range []string{"1 +", "raise KeyError", "import nowhere_at_all"} {
			name := fmt.Sprintf("broken%d", n)
			if err := i.Run(name, source); err == nil || !strings.Contains(err.Error(), "Error") {
				t.Errorf("%q: %v", source, err)
			}
			if err := i.Run(name, "x = 1"); err != nil { // a module that failed does not exist
				t.Error(err)
			}
		}
		return nil
	})
}

// The environment's packages are found, and the user's variables are ignored.
func TestEnvironment(t *testing.T) {
	o := options(t)
	withPython(t, func(i *Interpreter) error {
		if err := i.Run("paths", "import sys\ndef prefix(message, data): return sys.prefix, []"); err != nil {
			return err
		}
		f, err := i.Get("paths", "prefix")
		if err != nil {
			return err
		}
		defer f.Close()
		prefix, _, err := f.Exchange("")
		if err != nil {
			return err
		}
		if want := filepath.Dir(filepath.Dir(o.Executable)); prefix != want {
			t.Errorf("sys.prefix is %s, not %s", prefix, want)
		}
		if v := i.Version(); v.Major != 3 || !strings.Contains(o.Library, v.String()) {
			t.Errorf("version %v of %s", v, o.Library)
		}
		return nil
	})
}

func TestStartErrors(t *testing.T) {
	o := options(t)
	withPython(t, func(*Interpreter) error {
		if i, err := Running(o.Library); i == nil || err != nil {
			t.Errorf("the running interpreter is %v: %v", i, err)
		}
		return nil
	})
	dir := t.TempDir()
	text := filepath.Join(dir, "libtext.so")
	if err := os.WriteFile(text, []byte("not a library"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o    Options
		want string
	}{
		{o, "runs already, on another thread"}, // the interpreter of this test
		{Options{Library: text, Executable: o.Executable}, "not a shared library"},
		{Options{Library: filepath.Join(dir, "none.so")}, "none.so"},
	} {
		if _, err := Start(c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v does not say %q", c.o, err, c.want)
		}
	}
	if _, err := newAPI(func(name string) (uintptr, error) { return 0, errors.New("no symbol") }); err == nil ||
		!strings.Contains(err.Error(), "PyTuple_New") || strings.Contains(err.Error(), "Flag") {
		t.Errorf("a library that is not Python: %v", err)
	}
}
