package searching

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/compare"
	"zonemark/driver/report"
	"zonemark/driver/report/texttable"
	"zonemark/invocations/shellwords"
)

// shownFinalists is the number of finalists that the text shows.
const shownFinalists = 10

// report writes the report, and returns the exit status.
func (s *searcher) report() int {
	write := s.text
	if s.format == formatJSON {
		write = s.json
	}
	if err := write(s.Out); err != nil {
		return s.Fail("write the report: %v", err)
	}
	return cli.ExitOK
}

// text writes what was found for people.
func (s *searcher) text(w io.Writer) error {
	f, b := &s.found, &strings.Builder{}
	fmt.Fprintf(b, "%s: %d of %s tried in %s, %s\n", report.Printable(s.path), f.tried,
		report.Counted(f.variants, "variant"), report.Counted(f.rounds, "round"), f.spent.Round(time.Second/10))
	if f.failed > 0 {
		fmt.Fprintf(b, "%s did not end ok, first %s\n", report.Counted(f.failed, "measurement"), f.failure)
	}
	b.WriteByte('\n')
	t := &texttable.Table{Columns: []texttable.Column{{Title: ""}, {Title: "variant", Name: true}, {Title: "time", Right: true}}}
	for i, c := range []int{f.best, f.standard} {
		if c >= 0 {
			t.Add([]string{"best", "default"}[i], report.Printable(s.nameOf(c)), s.timeOf(c, i == 0))
		}
	}
	width := cli.TerminalWidth(s.Out)
	if err := t.Write(b, width); err != nil {
		return err
	}
	fmt.Fprintf(b, "\n%s\n", s.conclusion())
	if flags := s.settings(); flags != "" {
		fmt.Fprintf(b, "use: %s\n", report.Printable(flags))
	}
	if err := s.showFinalists(b, width); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (s *searcher) nameOf(candidate int) string { return s.candidates[candidate].Invocation.Name }

// timeOf returns the time of one of the compared candidates, as late as it was measured.
func (s *searcher) timeOf(candidate int, best bool) string {
	ns := s.medianOf(candidate, best)
	if math.IsNaN(ns) {
		return "not measured"
	}
	return report.Time(ns)
}

func (s *searcher) medianOf(candidate int, best bool) float64 {
	switch pair, r := s.found.pair, s.times[candidate]; {
	case pair != nil && pair.By != "" && pair.By != compare.ByCycles && best:
		return pair.NewValue
	case pair != nil && pair.By != "" && pair.By != compare.ByCycles:
		return pair.OldValue
	case r == nil || r.MedianNS == nil:
		return math.NaN()
	default:
		return *r.MedianNS
	}
}

// conclusion says how the best compares with the default.
func (s *searcher) conclusion() string {
	f := &s.found
	switch {
	case f.best == f.standard:
		return "The default is the best."
	case f.pair == nil:
		return "The best was not compared with the default."
	case f.pair.Verdict == compare.Faster:
		return fmt.Sprintf("The best is %.2f times as fast as the default (95 %% interval %.2f to %.2f), in %s after the choice.",
			1/f.pair.Ratio, 1/f.pair.High, 1/f.pair.Low, report.Counted(f.pair.Pairs, "pair")+" of launches")
	}
	text := fmt.Sprintf("It is not certain that the best is faster than the default: %s", f.pair.Verdict)
	if !math.IsNaN(f.pair.Ratio) && f.pair.Low > 0 && !math.IsInf(f.pair.High, 0) {
		text += fmt.Sprintf(", %.3f times as fast (95 %% interval %.3f to %.3f)", 1/f.pair.Ratio, 1/f.pair.High,
			1/f.pair.Low)
	}
	return text + "."
}

// settings returns the flags by which the best differs from the default.
func (s *searcher) settings() string {
	f := &s.found
	if f.standard < 0 || f.best == f.standard {
		return ""
	}
	best, standard := &s.candidates[f.best].Invocation, &s.candidates[f.standard].Invocation
	if len(best.Command) > 0 {
		return shellwords.Line(best.Command...)
	}
	var words []string
	if best.Artifact.Path != standard.Artifact.Path {
		words = append(words, best.Artifact.Path)
	}
	if best.Function != standard.Function {
		words = append(words, "--function", best.Function)
	}
	for _, name := range changed(best.Artifact.Options, standard.Artifact.Options) {
		words = append(words, "--"+name, best.Artifact.Options[name])
	}
	for _, name := range changed(best.Parameters, standard.Parameters) {
		words = append(words, "--param", name+"="+best.Parameters[name])
	}
	return shellwords.Line(words...)
}

// changed returns the keys whose values differ from others, in order.
func changed(values, others map[string]string) (names []string) {
	for name, value := range values {
		if others[name] != value {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// showFinalists writes the table of the last race.
func (s *searcher) showFinalists(b *strings.Builder, width int) error {
	rows := s.found.finalists.Rows
	if len(rows) == 0 {
		return nil
	}
	t := &texttable.Table{Columns: []texttable.Column{{Title: "finalist", Name: true}, {Title: "time", Right: true},
		{Title: "ratio", Right: true}, {Title: "standing"}}}
	for _, row := range rows[:min(len(rows), shownFinalists)] {
		t.Add(report.Printable(strings.TrimPrefix(row.Name, finalStage+"/")), report.Time(row.MedianNS),
			fmt.Sprintf("%.3f", row.Ratio), string(row.Standing))
	}
	b.WriteByte('\n')
	if err := t.Write(b, width); err != nil {
		return err
	}
	if more := len(rows) - shownFinalists; more > 0 {
		fmt.Fprintf(b, "  and %d more\n", more)
	}
	return nil
}

// variantJSON describes a variant in the format json.
type variantJSON struct {
	Name       string            `json:"name"`
	Function   string            `json:"function"`
	Options    map[string]string `json:"options,omitempty"`
	Parameters map[string]string `json:"params,omitempty"`
	Command    []string          `json:"command,omitempty"`
	MedianNS   *float64          `json:"median_ns,omitempty"`
}

// foundJSON is what a search has found, in the format json.
type foundJSON struct {
	Variants int          `json:"variants"`
	Tried    int          `json:"tried"`
	Failed   int          `json:"failed"`
	Rounds   int          `json:"rounds"`
	SpentNS  int64        `json:"spent_ns"`
	Best     *variantJSON `json:"best,omitempty"`
	Default  *variantJSON `json:"default,omitempty"`
	Verdict  string       `json:"verdict,omitempty"` // of the best against the default
	Speedup  *float64     `json:"speedup,omitempty"`
	Low      *float64     `json:"speedup_ci_low,omitempty"`
	High     *float64     `json:"speedup_ci_high,omitempty"`
	Pairs    int          `json:"pairs,omitempty"`
	Use      string       `json:"use,omitempty"`
}

func (s *searcher) json(w io.Writer) error {
	f := &s.found
	out := foundJSON{Variants: f.variants, Tried: f.tried, Failed: f.failed, Rounds: f.rounds, SpentNS: int64(f.spent),
		Best: s.variant(f.best, true), Default: s.variant(f.standard, false), Use: s.settings()}
	if pair := f.pair; pair != nil {
		out.Verdict, out.Pairs = string(pair.Verdict), pair.Pairs
		out.Speedup, out.Low, out.High = inverse(pair.Ratio), inverse(pair.High), inverse(pair.Low)
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}

// inverse returns 1/x, nil if that is no number.
func inverse(x float64) *float64 {
	if y := 1 / x; !math.IsNaN(y) && !math.IsInf(y, 0) && y != 0 {
		return &y
	}
	return nil
}

func (s *searcher) variant(candidate int, best bool) *variantJSON {
	if candidate < 0 {
		return nil
	}
	inv := &s.candidates[candidate].Invocation
	v := &variantJSON{Name: inv.Name, Function: inv.Function, Options: inv.Artifact.Options, Parameters: inv.Parameters,
		Command: inv.Command}
	if ns := s.medianOf(candidate, best); !math.IsNaN(ns) {
		v.MedianNS = &ns
	}
	return v
}
