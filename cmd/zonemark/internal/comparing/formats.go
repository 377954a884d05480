package comparing

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"

	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/compare"
	"zonemark/invocations"
	"zonemark/invocations/foreign"
)

// line is a row in the csv and ndjson formats. Fields are added at the end. Values are nanoseconds, or cycles if "by" says
// so; ratios are new to old.
type line struct {
	Name       string           `csv:"name" json:"name"`
	Parameters string           `csv:"params" json:"params,omitempty"`
	Verdict    compare.Verdict  `csv:"verdict" json:"verdict"`
	By         compare.Figure   `csv:"by" json:"by,omitempty"`
	Old        *float64         `csv:"old" json:"old,omitempty"`
	New        *float64         `csv:"new" json:"new,omitempty"`
	Ratio      *float64         `csv:"ratio" json:"ratio,omitempty"`
	Low        *float64         `csv:"ratio_low" json:"ratio_low,omitempty"`
	High       *float64         `csv:"ratio_high" json:"ratio_high,omitempty"`
	P          *float64         `csv:"p" json:"p,omitempty"` // before the correction for many rows
	Detectable *float64         `csv:"detectable" json:"detectable,omitempty"`
	Code       compare.Code     `csv:"code" json:"code,omitempty"`
	Notes      string           `csv:"notes" json:"notes,omitempty"`
	Dispatches []dispatchChange `csv:"-" json:"dispatches,omitempty"`
	Pairs      int              `csv:"pairs,omitempty" json:"pairs,omitempty"` // number of pairs of launches, if they took turns
}

type dispatchChange struct {
	Name  string  `json:"name"`
	OldNS float64 `json:"old_ns"`
	NewNS float64 `json:"new_ns"`
}

func newLine(r compare.Row) line {
	l := line{
		Name: r.Name, Verdict: r.Verdict, By: r.By, Code: r.Code,
		Old: invocations.Finite(r.OldValue), New: invocations.Finite(r.NewValue), Ratio: invocations.Finite(r.Ratio),
		P: invocations.Finite(r.P), Detectable: invocations.Finite(r.Detectable),
		Notes: strings.Join(r.Notes, "; "), Pairs: r.Pairs,
	}
	if m := r.New; m != nil {
		l.Parameters = m.Parameters
	} else {
		l.Parameters = r.Old.Parameters
	}
	if r.By != "" && !math.IsInf(r.High, 0) {
		l.Low, l.High = invocations.Finite(r.Low), invocations.Finite(r.High)
	}
	for _, d := range r.Dispatches {
		l.Dispatches = append(l.Dispatches, dispatchChange{d.Name, d.OldNS, d.NewNS})
	}
	return l
}

// lines writes a line for each row, in one of the formats for programs.
func (c *comparison) lines(w io.Writer, format string) error {
	var lines []line
	for _, r := range c.rows {
		lines = append(lines, newLine(r))
	}
	return rowtext.Write(w, format, lines)
}

// markdown writes a table for a pull request. Rows that are the same are only counted.
func (c *comparison) markdown(w io.Writer) error {
	b := &strings.Builder{}
	for _, n := range c.notes() {
		fmt.Fprintf(b, "> %s\n\n", cell(n))
	}
	fmt.Fprintf(b, "**%s** (%s → %s)\n\n", c.summary(), cell(c.before.Source), cell(c.after.Source))
	rows, _ := c.shown(true)
	header := false
	for _, r := range rows {
		if r.Verdict == compare.Same {
			continue
		}
		if !header {
			b.WriteString("| name | old | new | change | 95 % interval | verdict |\n|---|--:|--:|--:|--:|---|\n")
			header = true
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", cell(fullName(r)), value(r, r.OldValue), value(r, r.NewValue),
			percent(r.Ratio), interval(r), verdictText(r))
		for _, d := range r.Dispatches {
			fmt.Fprintf(b, "| · %s | | | | | %s |\n", cell(d.Name), dispatchText(d))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cell makes foreign text safe in a cell of a Markdown table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "`", "'", "<", "&lt;", "*", `\*`, "_", `\_`).Replace(foreign.Line(text))
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Failure *junitMessage `xml:"failure,omitempty"`
	Skipped *junitMessage `xml:"skipped,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
}

// junit writes JUnit's XML: what is slower, broken or missing is a failure, what is undecided or only on one side is
// skipped.
func (c *comparison) junit(w io.Writer) error {
	s := junitSuite{Name: foreign.Line("compare " + c.before.Source + " " + c.after.Source), Tests: len(c.rows)}
	for _, r := range c.rows {
		one := junitCase{Name: foreign.Line(fullName(r))}
		words := []string{verdictText(r)}
		if change := percent(r.Ratio); change != "" {
			words = append(words, change)
		}
		if between := interval(r); between != "" {
			words = append(words, between)
		}
		for _, d := range r.Dispatches {
			words = append(words, "dispatch "+d.Name+": "+dispatchText(d))
		}
		message := &junitMessage{foreign.Line(strings.Join(append(words, r.Notes...), "; "))}
		switch v := r.Verdict; {
		case isWorse(v) && (v != compare.Missing || !c.missingOK):
			one.Failure = message
			s.Failures++
		case v == compare.Same || v == compare.Faster || v == compare.Mended:
		default:
			one.Skipped = message
			s.Skipped++
		}
		s.Cases = append(s.Cases, one)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(s); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
