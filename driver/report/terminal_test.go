package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"zonemark/invocations"
)

// TestTerminalWidth: on a terminal of 80 columns, no line is longer, and no name of a dispatch is shortened.
func TestTerminalWidth(t *testing.T) {
	run := terminalRun()
	run.Colours = false
	text := write(t, "text", run)
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, name := range []string{"mlp_dispatch_0_matmul_64x512x256_f32", "mlp_dispatch_1_softmax_64x128_f32"} {
		if !strings.Contains(text, name) {
			t.Errorf("the name %s is shortened:\n%s", name, text)
		}
	}
}

// TestColours: the text is the same without the sequences that paint it, and foreign text brings none of its own.
func TestColours(t *testing.T) {
	run := terminalRun()
	painted := write(t, "text", run)
	run.Colours = false
	bare := write(t, "text", run)
	if painted == bare {
		t.Error("nothing is painted")
	}
	if strings.Contains(bare, "\x1b") {
		t.Error("something is painted without colours")
	}
	stripped := painted
	for _, sequence := range []string{"\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[0m"} {
		stripped = strings.ReplaceAll(stripped, sequence, "")
	}
	if stripped != bare {
		t.Errorf("painted: %s\nbare: %s", stripped, bare)
	}
	for _, want := range []string{"\x1b[32mclean\x1b[0m", "\x1b[33mcontended, not-converged\x1b[0m", "\x1b[32mbest\x1b[0m",
		"\x1b[31mcrashed\x1b[0m", "\x1b[33mskipped\x1b[0m"} {
		if !strings.Contains(painted, want) {
			t.Errorf("%q is missing in\n%s", want, painted)
		}
	}
}

// TestLastWords: what a crashed executor wrote last is in the text, unless the error has it.
func TestLastWords(t *testing.T) {
	for _, c := range []struct {
		error string
		wrote []string
		want  string
	}{
		{"ended by SIGABRT", []string{"first", "it is broken"}, "ended by SIGABRT; it wrote: it is broken"},
		{"ended by exit(3): it is broken", []string{"it is broken"}, "ended by exit(3): it is broken"},
		{"ended by SIGSEGV", []string{"", "  "}, "ended by SIGSEGV"},
		{"ended by SIGSEGV", nil, "ended by SIGSEGV"},
	} {
		r := invocations.Record{Status: invocations.Crashed, Error: c.error, Crash: &invocations.CrashRecord{Stderr: c.wrote}}
		if got := untimedReason(r); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestAdviceToResume: only a run with a journal can be continued.
func TestAdviceToResume(t *testing.T) {
	for _, resumable := range []bool{false, true} {
		run := untimedRun()
		run.Resumable = resumable
		text := write(t, "text", run)
		if strings.Contains(text, "--resume") != resumable || !strings.Contains(text, "NOT COMPLETE: ") {
			t.Errorf("resumable %v:\n%s", resumable, text)
		}
	}
}

// TestBlocks draws a few distributions.
func TestBlocks(t *testing.T) {
	for _, c := range []struct {
		samples   []float64
		low, high float64
		want      string
	}{
		{[]float64{0, 1, 2, 3}, 0, 4, "████"},
		{[]float64{0, 0, 0, 0, 0, 0, 0, 0, 3}, 0, 4, "█  ▁"},
		{[]float64{0, 0, 2, 9}, 0, 4, "█ ▄▄"},
		{[]float64{5, 5, 5}, 5, 5, "  █ "},
	} {
		if got := Blocks(c.samples, c.low, c.high, 4); got != c.want {
			t.Errorf("%v: %q, want %q", c.samples, got, c.want)
		}
	}
}
