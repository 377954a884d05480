package halidebench

import (
	"fmt"
	"io"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/halide"
	"zonemark/driver/report/texttable"
)

// list shows the shipped benchmarks.
func list(w io.Writer) error {
	t := texttable.Table{Columns: []texttable.Column{
		{Title: "benchmark"}, {Title: "arguments"}, {Title: "what it computes"},
	}}
	for _, b := range halide.Benchmarks() {
		var arguments []string
		for _, buffer := range b.Inputs {
			arguments = append(arguments, bufferText(buffer))
		}
		for _, s := range b.Scalars {
			arguments = append(arguments, fmt.Sprintf("%s %s", s.Name, s.Type))
		}
		text := strings.Join(arguments, ", ") + " → "
		for _, buffer := range b.Outputs {
			text += bufferText(buffer)
		}
		t.Add(b.Name, text, b.Summary)
	}
	return t.Write(w, cli.TerminalWidth(w))
}

// bufferText returns the name, type and extents of a buffer, the fastest dimension first.
func bufferText(b halide.Buffer) string {
	var extents []string
	for _, n := range b.Extents {
		extents = append(extents, fmt.Sprint(n))
	}
	return fmt.Sprintf("%s %s[%s]", b.Name, b.Type, strings.Join(extents, "x"))
}
