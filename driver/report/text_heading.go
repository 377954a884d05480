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
func writeHeading(b *bufio.Writer, run Run) {
	width := cmp.Or(run.Width, 100)
	fmt.Fprintf(b, "machine  %s\n", flow(machine(run.Environment), "; ", width))
	if run.Records.Len() == 0 {
		return
	}
	texts := distinct(run.Records, optionsText, func(r *invocations.Record) string { return string(r.Mode) }, layersText)
	options, modes, layers := texts[0], texts[1], strings.Join(texts[2], ", elsewhere ")
	if options[0] != "-" {
		fmt.Fprintf(b, "runtime  %s\n", flow(options, "; ", width))
	}
	fmt.Fprintf(b, "mode     %s\n", strings.Join(modes, ", "))
	fmt.Fprintf(b, "sandbox  %s\n", flow(strings.Split(layers, plus), plus, width))
	if why := run.Environment["counters"]; (run.Verbose || run.Counters) &&
		(strings.HasPrefix(why, "none: ") || strings.Contains(why, "; without ")) {
		fmt.Fprintf(b, "counters %s\n", flow(strings.Fields(Printable(why)), " ", width))
	}
}

// plus joins the layers of a sandbox.
const plus = " + "

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

// distinct returns, for each function, the different texts of the records in order of appearance; "-" if there are
// none.
func distinct(records *invocations.Records, texts ...func(*invocations.Record) string) [][]string {
	all, seen := make([][]string, len(texts)), make([]map[string]bool, len(texts))
	for k := range seen {
		seen[k] = map[string]bool{"": true}
	}
	for _, r := range records.All() {
		for k, text := range texts {
			if s := text(r); !seen[k][s] {
				seen[k][s] = true
				all[k] = append(all[k], Printable(s))
			}
		}
	}
	for k := range all {
		if len(all[k]) == 0 {
			all[k] = []string{"-"}
		}
	}
	return all
}
