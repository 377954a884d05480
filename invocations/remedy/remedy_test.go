package remedy

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// Remedies are found through errors that wrap theirs, and are no part of their text.
func TestErrors(t *testing.T) {
	zig, host := Remedy{Kind: Act, Value: "put zig on PATH"}, Remedy{Kind: Choose, Name: "target", Value: "host"}
	inner := With(io.EOF, zig)
	err := fmt.Errorf("f.so: %w", With(fmt.Errorf("reading: %w", inner), host))
	if err.Error() != "f.so: reading: EOF" || !errors.Is(err, io.EOF) {
		t.Errorf("the error is %q", err)
	}
	if got := Of(err); !slices.Equal(got, []Remedy{host, zig}) {
		t.Errorf("remedies are %v", got)
	}
	both := errors.Join(With(io.EOF, zig), fmt.Errorf("b: %w", With(io.EOF, host, zig)))
	if got := Of(both); !slices.Equal(got, []Remedy{zig, host}) {
		t.Errorf("remedies of two errors are %v", got)
	}
	if Of(io.EOF) != nil || Of(nil) != nil {
		t.Error("an error without remedies has some")
	}
	for _, c := range []struct {
		list  []Remedy
		words func(Remedy) string
		want  string
	}{
		{nil, nil, "no"},
		{[]Remedy{zig}, nil, "no; put zig on PATH"},
		{[]Remedy{host, zig}, nil, "no; choose target host, or put zig on PATH"},
		{[]Remedy{host}, func(r Remedy) string { return "--" + r.Name }, "no; --target"},
		{[]Remedy{host, zig}, func(r Remedy) string { return string(r.Kind) + ":\n  x" }, "no; choose:\n  x\nor act:\n  x"},
		{slices.Repeat([]Remedy{zig}, 100), func(Remedy) string { return "x" }, "no; x" + strings.Repeat(", or x", most-1)},
		{[]Remedy{host, zig}, func(r Remedy) string { return strings.TrimPrefix(string(r.Kind), string(Choose)) }, "no; act"},
	} {
		if got := Tell("", c.list, c.words); got != "" {
			t.Errorf("%v: no error is %q", c.list, got)
		}
		if got := Tell("no", c.list, c.words); got != c.want {
			t.Errorf("%v: %q", c.list, got)
		}
	}
	if got := Tell("no:\nline", []Remedy{zig, host}, nil); got != "no:\nline\nput zig on PATH\nor choose target host" {
		t.Errorf("of two lines: %q", got)
	}
}
