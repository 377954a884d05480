package report

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"zonemark/invocations"
)

// writeHeading writes what the numbers depend on: the machine, options, mode and sandbox.
func writeHeading(b *bufio.Writer, run Run, seen *overview) {
	width := cmp.Or(run.Width, 100)
	fmt.Fprintf(b, "machine  %s\n", flow(machine(run.Environment), "; ", width))
	if run.Records.Len() == 0 {
		return
	}
	if seen.options[0] != "-" {
		fmt.Fprintf(b, "runtime  %s\n", flow(seen.options, "; ", width))
	}
	fmt.Fprintf(b, "mode     %s\n", strings.Join(seen.modes, ", "))
	layers := strings.Join(seen.layers, ", elsewhere ")
	fmt.Fprintf(b, "sandbox  %s\n", flow(strings.Split(layers, plus), plus, width))
	if why := run.Environment["counters"]; (run.Verbose || run.Counters) &&
		(strings.HasPrefix(why, "none: ") || strings.Contains(why, "; without ")) {
		fmt.Fprintf(b, "counters %s\n", flow(strings.Fields(Printable(why)), " ", width))
	}
}

// plus joins the layers of a sandbox.
const plus = " + "

func modeText(r *invocations.Record) string { return string(r.Mode) }

// layersText returns the layers of the sandbox of a record.
func layersText(r *invocations.Record) string {
	switch {
	case len(r.Layers) > 0:
		return profileText(r) + strings.Join(r.Layers, plus)
	case r.Status == invocations.Skipped: // it was not started
		return ""
	}
	return "none"
}

// profileText returns the profile of the sandbox, unless it is the usual one, and what it let native code write.
func profileText(r *invocations.Record) string {
	text := ""
	if r.SandboxProfile != "" && r.SandboxProfile != "plain" {
		text = "profile " + Printable(r.SandboxProfile)
	}
	if len(r.SandboxAllowed) > 0 {
		text += " with " + Printable(strings.Join(r.SandboxAllowed, ", "))
	}
	if text == "" {
		return ""
	}
	return strings.TrimSpace(text) + ": "
}

// optionsText returns a runtime with the artifact's options in order of their names; "" without options.
func optionsText(r *invocations.Record) string {
	text := ""
	for _, key := range slices.Sorted(maps.Keys(r.Options)) {
		text += fmt.Sprintf(" %s=%s", key, r.Options[key])
	}
	if text == "" {
		return ""
	}
	return r.Runtime + text
}

// machine returns the parts of the environment that readers of a table need. The journal has all of it.
func machine(environment map[string]string) []string {
	var parts []string
	for _, row := range []struct{ key, format string }{
		{"cpu", "%s"}, {"cpus", "%s CPUs"}, {"caches", "%s"}, {"os", "%s"}, {"kernel", "kernel %s"},
		{"governor", "governor %s"}, {"load", "load %s"},
	} {
		if value := environment[row.key]; value != "" {
			if row.key == "load" {
				value, _, _ = strings.Cut(value, " ") // of the last minute
			}
			parts = append(parts, Printable(fmt.Sprintf(row.format, value)))
		}
	}
	if len(parts) == 0 {
		return []string{"not known"}
	}
	return parts
}

// flow joins parts of the heading with a separator and starts a new line if the next part does not fit.
func flow(parts []string, between string, width int) string {
	const indent = 9
	ending := strings.TrimRight(between, " ")
	var text strings.Builder
	text.WriteString(parts[0])
	column := indent + utf8.RuneCountInString(parts[0])
	for _, part := range parts[1:] {
		n := utf8.RuneCountInString(between + part)
		if column+n+utf8.RuneCountInString(ending) > width {
			text.WriteString(ending + "\n" + strings.Repeat(" ", indent) + part)
			column = indent + utf8.RuneCountInString(part)
			continue
		}
		text.WriteString(between + part)
		column += n
	}
	return text.String()
}
