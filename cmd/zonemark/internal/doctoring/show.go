package doctoring

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/doctor"
	"zonemark/driver/machine"
	"zonemark/driver/report"
	"zonemark/driver/report/texttable"
)

// The kinds of lines of --format ndjson.
const (
	kindFinding = "finding"
	kindTrial   = "trial"
)

// showFindings reports what was found about the machine, the worst first.
func (v *visit) showFindings(found []doctor.Finding) error {
	if v.format == rowtext.NDJSON {
		enc := json.NewEncoder(v.Out)
		enc.SetEscapeHTML(false)
		for _, f := range found {
			if err := enc.Encode(struct {
				Kind string `json:"kind"`
				doctor.Finding
			}{kindFinding, f}); err != nil {
				return err
			}
		}
		return nil
	}
	b := &strings.Builder{}
	for _, grade := range doctor.Grades() {
		var of []doctor.Finding
		for _, f := range found {
			if f.Grade == grade {
				of = append(of, f)
			}
		}
		if len(of) > 0 {
			writeGrade(b, grade, of, cli.TerminalWidth(v.Out))
		}
	}
	_, err := fmt.Fprint(v.Out, b.String())
	return err
}

// writeGrade writes the findings of one grade. Good ones take a line each.
func writeGrade(b *strings.Builder, grade doctor.Grade, found []doctor.Finding, width int) {
	const label, wide = 17, 110
	if width == 0 {
		width = wide
	}
	fmt.Fprintf(b, "%s\n", grade)
	say := func(title, text string) {
		lines := strings.Split(cli.Wrapped(report.Printable(text), max(40, width-label-2)), "\n")
		for _, line := range lines {
			fmt.Fprintf(b, "  %-*s%s\n", label, title, line)
			title = ""
		}
	}
	for _, f := range found {
		say(f.Subject, f.Found)
		if f.Grade == doctor.Good {
			continue
		}
		say("", "seen: "+f.Evidence)
		if f.Remedy != "" {
			say("", "mend: "+f.Remedy)
		}
	}
	b.WriteByte('\n')
}

// showTrial reports how equal runs compare.
func (v *visit) showTrial(trial *machine.Trial) error {
	if v.format == rowtext.NDJSON {
		enc := json.NewEncoder(v.Out)
		return enc.Encode(struct {
			Kind string `json:"kind"`
			*machine.Trial
		}{kindTrial, trial})
	}
	b := &strings.Builder{}
	fmt.Fprintf(b, "%d equal runs, %v for each kernel and run; each run compared with each other one\n\n", trial.Runs,
		time.Duration(trial.Seconds*1e9).Round(time.Millisecond))
	t := &texttable.Table{Columns: []texttable.Column{
		{Title: "kernel", Name: true}, {Title: "median", Right: true}, {Title: "spread", Right: true},
		{Title: "quiet", Right: true}, {Title: "pairs", Right: true}, {Title: "called different", Right: true},
		{Title: "undecided", Right: true}, {Title: "would find", Right: true},
	}}
	for _, k := range trial.Kernels {
		quiet, finds := "", "nothing"
		if k.QuietShare > 0 {
			quiet = report.Percent(k.QuietShare)
		}
		if k.Detectable > 0 {
			finds = report.Percent(k.Detectable)
		}
		t.Add(k.Name, report.Time(k.MedianNS), report.Percent(k.Spread), quiet, fmt.Sprint(k.Pairs), fmt.Sprint(k.Alarms),
			fmt.Sprint(k.Undecided), finds)
	}
	if err := t.Write(b, cli.TerminalWidth(v.Out)); err != nil {
		return err
	}
	b.WriteString("\nspread: how much the medians of the runs differ, each at the clock that it had. would find: a difference that\n" +
		"half of the pairs would find, each with a probability of 80 %, at the reference clock.\n")
	_, err := fmt.Fprint(v.Out, b.String())
	return err
}
