package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"zonemark/invocations"
)

// writeUntimed lists the records without a time: those that did not end well and those that were only checked.
func writeUntimed(b *bytes.Buffer, run Run) error {
	t := Table{Columns: []Column{
		{Title: "name", Name: true}, {Title: "status", Paint: statusColour}, {Title: "reason", Wrap: true},
	}, Colours: run.Colours}
	untimed := map[invocations.Status][]*invocations.Record{}
	for i := range run.Records {
		if r := &run.Records[i]; r.Status != invocations.OK || !r.Timed() && r.HexagonPackets == nil {
			untimed[r.Status] = append(untimed[r.Status], r)
		}
	}
	for _, status := range statuses(run) {
		for _, r := range untimed[status] {
			t.Add(Printable(r.Name), string(status), untimedReason(*r))
		}
	}
	if t.Len() == 0 {
		return nil
	}
	b.WriteByte('\n')
	return t.Write(b, run.Width)
}

// statuses returns all statuses in order of display. Statuses of a later zonemark come last.
func statuses(run Run) []invocations.Status {
	all := slices.Clone(invocations.Statuses[:])
	for _, r := range run.Records {
		if !slices.Contains(all, r.Status) {
			all = append(all, r.Status)
		}
	}
	return all
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

// writeNotes writes each note once, with the name of its first record and the number of other records that have it.
func writeNotes(b *bytes.Buffer, run Run) {
	var order []string
	names := map[string][]string{}
	for _, r := range run.Records {
		for _, note := range r.Notes {
			if names[note] == nil {
				order = append(order, note)
			}
			names[note] = append(names[note], r.Name)
		}
	}
	if len(order) > 0 {
		b.WriteByte('\n')
	}
	for _, note := range order {
		whose := names[note][0]
		if more := len(names[note]) - 1; more > 0 {
			whose = fmt.Sprintf("%s and %d more", whose, more)
		}
		text := fmt.Sprintf("note: %s: %s", Printable(whose), Printable(note))
		fmt.Fprintf(b, "%s\n", hang(text, run.Width, len("note: ")))
	}
}

func writeCounts(b *bytes.Buffer, run Run) {
	b.WriteByte('\n')
	switch {
	case !run.Complete && run.Resumable:
		b.WriteString("NOT COMPLETE: the run did not come to its end; continue it with --resume.\n")
	case !run.Complete:
		b.WriteString("NOT COMPLETE: the run did not come to its end.\n")
	}
	count := map[invocations.Status]int{}
	measured := 0
	for _, r := range run.Records {
		count[r.Status]++
		if r.Timed() || r.HexagonPackets != nil { // an emulator measures packets
			measured++
		}
	}
	if measured == 0 {
		b.WriteString("Nothing was measured.\n")
	}
	if len(run.Records) == 0 {
		b.WriteString("There are no results.\n")
		return
	}
	var parts []string
	for _, status := range statuses(run) {
		if n := count[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	fmt.Fprintf(b, "%s: %s.\n", Counted(len(run.Records), "invocation"), strings.Join(parts, ", "))
}
