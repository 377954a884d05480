package executors

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"zonemark/invocations/wire"
)

// goStacks is what a Go program with many goroutines writes behind the reason of its end.
func goStacks(reason string) string {
	var b strings.Builder
	b.WriteString(reason + "\n\n")
	for i := range 50 {
		fmt.Fprintf(&b, "goroutine %d [running]:\nmain.main()\n\t/main.go:%d\n", i, i)
	}
	return b.String()
}

// A tail keeps the reason for which a Go program ends, however much follows it.
func TestTailKeepsFault(t *testing.T) {
	const fatal, panicked = "fatal error: all goroutines are asleep - deadlock!", "panic: runtime error: index out of range"
	long := strings.Repeat("x", 3*tailWidth)
	for name, c := range map[string]struct {
		writes []string
		want   string // the first of the lines
	}{
		"fatal":       {[]string{goStacks(fatal)}, fatal},
		"panic":       {[]string{"before\n", goStacks(panicked)}, panicked},
		"in pieces":   {strings.SplitAfter(goStacks(panicked), ""), panicked},
		"the first":   {[]string{goStacks(panicked), goStacks(fatal)}, panicked},
		"at once":     {[]string{"before\n" + goStacks(panicked) + strings.Repeat(long+"\n", tailLines)}, panicked},
		"begun":       {[]string{"pan", "ic: runtime error: index out of range\n" + strings.Repeat(long+"\n", 2*tailLines)}, panicked},
		"in the text": {[]string{"no panic: here\n", strings.Repeat("line\n", 30)}, "line"},
		"discarded":   {[]string{goStacks(panicked), "", strings.Repeat("line\n", 30)}, "line"},
	} {
		tail := &Tail{}
		for _, text := range c.writes {
			if text == "" {
				tail.Discard()
			}
			if n, err := io.WriteString(tail, text); n != len(text) || err != nil {
				t.Fatal(n, err)
			}
		}
		lines := tail.Last()
		if lines[0] != c.want || len(lines) > tailLines+1 {
			t.Errorf("%s: %d lines, the first is %q", name, len(lines), lines[0])
		}
		if strings.HasPrefix(c.want, "line") {
			continue
		}
		said := &Tail{}
		fmt.Fprint(said, strings.Repeat("said\n", 30))
		dead := &child{exit: Exit{Code: exitGoFault, Stderr: lastWords(said, tail)}}
		if r := deathResult(dead, &wire.Execute{}, "", errEnded); !strings.Contains(r.Error, c.want) {
			t.Errorf("%s: %s", name, r.Error)
		}
	}
	few := &Tail{}
	fmt.Fprint(few, panicked+"\nend")
	if lines := few.Last(); !slices.Equal(lines, []string{panicked, "end"}) {
		t.Errorf("few lines are %q", lines)
	}
}
