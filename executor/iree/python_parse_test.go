package iree

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParameterFiles(t *testing.T) {
	for value, want := range map[string]map[string][]string{
		"":                             {},
		"w.irpa":                       {"": {"w.irpa"}},
		"model=w.irpa":                 {"model": {"w.irpa"}},
		"a=1.gguf,b=2.irpa,a=3.irpa,4": {"a": {"1.gguf", "3.irpa"}, "b": {"2.irpa"}, "": {"4"}},
		"a=x=y.irpa":                   {"a": {"x=y.irpa"}},
	} {
		got, err := parameterFiles(map[string]string{optionParameterFiles: value})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v (-want +got):\n%s", value, err, diff)
		}
	}
	for _, value := range []string{",", "a=", "w.irpa,", "=,"} {
		if got, err := parameterFiles(map[string]string{optionParameterFiles: value}); err == nil ||
			!strings.Contains(err.Error(), "[SCOPE=]PATH") {
			t.Errorf("%q gives %v: %v", value, got, err)
		}
	}
}

func TestTaskThreads(t *testing.T) {
	for value, want := range map[string]int{"": 0, "1": 1, "64": 64} {
		if n, err := taskThreads(map[string]string{optionDevice: taskDevice, optionTaskThreads: value}); n != want ||
			err != nil {
			t.Errorf("%q gives %d: %v", value, n, err)
		}
	}
	for _, value := range []string{"0", "-1", "65", "two", "1.5"} {
		if n, err := taskThreads(map[string]string{optionDevice: taskDevice, optionTaskThreads: value}); err == nil {
			t.Errorf("%q gives %d", value, n)
		}
	}
}

func TestOneLine(t *testing.T) {
	for message, want := range map[string]string{
		"Error invoking function: c/runtime/src/iree/modules/hal/utils/buffer_diagnostics.c:225: INVALID_ARGUMENT; " +
			"input1 shape dimension 0 mismatch; expected 4 but have 5; expected shape `4`, actual shape `5`; " +
			"while invoking native function hal.buffer_view.assert; while calling import; \n[ 0] bytecode " +
			"module@1:236 -": "Error invoking function: INVALID_ARGUMENT; input1 shape dimension 0 mismatch; " +
			"expected 4 but have 5; expected shape `4`, actual shape `5`",
		"no such function": "no such function",
		"two\nlines":       "two lines",
	} {
		if got := oneLine(message); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

func FuzzParameterFiles(f *testing.F) {
	f.Add("a=1.gguf,b=2.irpa,4")
	f.Add(",=,")
	f.Fuzz(func(t *testing.T, value string) {
		files, err := parameterFiles(map[string]string{optionParameterFiles: value})
		n := 0
		for _, paths := range files {
			n += len(paths)
		}
		if err == nil && value != "" && n != strings.Count(value, ",")+1 {
			t.Errorf("%q names %d files", value, n)
		}
	})
}
