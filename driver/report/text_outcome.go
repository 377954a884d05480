package report

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"zonemark/driver/report/texttable"
	"zonemark/invocations"
)

// mostCommands is how many commands are shown below a table of reasons.
const mostCommands = 8

// writeUntimed lists the records without a time: those that did not end well and those that were only checked. Commands
// that their errors name stand below the table, each once, on lines of their own.
func writeUntimed(b *bufio.Writer, run Run, seen *overview) error {
	t := texttable.Table{Columns: []texttable.Column{
		{Title: "name", Name: true}, {Title: "status", Paint: statusColour}, {Title: "reason", Wrap: true},
	}, Colours: run.Colours}
	var commands []string
	for _, status := range seen.statuses {
		for _, i := range seen.untimed[status] {
			r, err := run.Records.At(i)
			if err != nil {
				return err
			}
			shown := *r
			command := ""
			shown.Error, command = apart(r.Error)
			if command != "" && !slices.Contains(commands, command) && len(commands) < mostCommands {
				commands = append(commands, command)
			}
			t.Add(Printable(r.Name), string(status), run.fitted(untimedReason(shown), r.Error))
		}
	}
	if t.Len() == 0 {
		return nil
	}
	b.WriteByte('\n')
	if err := t.Write(b, run.Width); err != nil || len(commands) == 0 {
		return err
	}
	b.WriteString("\nto mend it:\n")
	for _, command := range commands {
		fmt.Fprintf(b, "  %s\n", Printable(command))
	}
	return nil
}

// apart takes the command of zonemark that ends an error out of it: a line of its own, or the end of the last line.
func apart(message string) (reason, command string) {
	at := strings.LastIndex(message, "zonemark ")
	if at < 0 || strings.Contains(message[at:], "\n") {
		return message, ""
	}
	before := strings.TrimRight(message[:at], " ")
	if !strings.HasSuffix(before, ":") && !strings.HasSuffix(before, "\n") {
		return message, ""
	}
	return strings.TrimRight(before, ":\n "), message[at:]
}

// A reason in a table has at most so many characters: the first ones, and the last ones, which say what to do.
const (
	longestReason = 600
	reasonHead    = 400
	reasonTail    = 120
)

// fitted returns a reason as a table shows it. Of a long one, the middle is left out, and the whole message, which may
// have several lines, is in a file.
func (r Run) fitted(reason, message string) string {
	runes := []rune(reason)
	if len(runes) <= longestReason || r.Whole == nil {
		return reason
	}
	path := r.Whole(message)
	if path == "" {
		return reason
	}
	return fmt.Sprintf("%s … %s (all %d characters are in %s)", strings.TrimSpace(string(runes[:reasonHead])),
		strings.TrimSpace(string(runes[len(runes)-reasonTail:])), len(runes), path)
}

func untimedReason(r invocations.Record) string {
	switch {
	case r.Error != "":
		return Printable(r.Error + lastWords(r))
	case r.Stop == invocations.StopCheck:
		return "checked, not timed"
	case r.Status == invocations.OK:
		return "not timed: every batch was set apart"
	case r.Crash != nil && r.Crash.Signal != "":
		return Printable(r.Crash.Signal + " in phase " + r.Crash.Phase)
	}
	return "no reason given"
}

// lastWords returns the last line that a crashed executor wrote, unless the error has it: it often tells the reason.
func lastWords(r invocations.Record) string {
	if r.Crash == nil {
		return ""
	}
	lines := r.Crash.Stderr
	for i := len(lines) - 1; i >= 0; i-- {
		if line := strings.TrimSpace(lines[i]); line != "" {
			if strings.Contains(r.Error, line) {
				return ""
			}
			return "; it wrote: " + line
		}
	}
	return ""
}

// writePartial writes what is known of invocations that were interrupted between their launches.
func writePartial(b *bufio.Writer, run Run) error {
	if run.Partial.Len() == 0 {
		return nil
	}
	b.WriteString("\ninterrupted, so far:")
	run.Records, run.Rankings = run.Partial, nil
	seen, err := overviewOf(run)
	if err != nil {
		return err
	}
	return writeTimes(b, run, seen)
}

// writeNotes writes each note once, with the name of its first record and the number of other records that have it.
func writeNotes(b *bufio.Writer, run Run, seen *overview) {
	if len(seen.notes) > 0 {
		b.WriteByte('\n')
	}
	for _, n := range seen.notes {
		whose := n.first
		if n.more > 0 {
			whose = fmt.Sprintf("%s and %d more", whose, n.more)
		}
		text := fmt.Sprintf("note: %s: %s", Printable(whose), Printable(n.note))
		fmt.Fprintf(b, "%s\n", texttable.Hang(text, run.Width, len("note: ")))
	}
}

func writeCounts(b *bufio.Writer, run Run, seen *overview) {
	b.WriteByte('\n')
	switch {
	case !run.Complete && run.Resumable:
		b.WriteString("NOT COMPLETE: the run did not come to its end; continue it with --resume.\n")
	case !run.Complete:
		b.WriteString("NOT COMPLETE: the run did not come to its end.\n")
	}
	if seen.measured == 0 && run.Partial.Len() == 0 {
		b.WriteString("Nothing was measured.\n")
	}
	if run.Records.Len() == 0 {
		if run.Partial.Len() == 0 {
			b.WriteString("There are no results.\n")
		}
		return
	}
	var parts []string
	for _, status := range seen.statuses {
		if n := seen.count[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	fmt.Fprintf(b, "%s: %s.\n", Counted(run.Records.Len(), "invocation"), strings.Join(parts, ", "))
}
