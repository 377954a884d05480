// Package report writes the results of a run in the formats that people and other tools read. It derives everything
// from journal records and measures, decides and stores nothing itself. One file holds one format; Formats is the table
// of all.
package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"zonemark/driver/report/rank"
	"zonemark/invocations"
	"zonemark/invocations/spelling"
)

// Run is the run that is reported.
type Run struct {
	Build       string // version of zonemark that measured; may be empty
	Started     time.Time
	Command     []string
	Commit      string            // of Git in the working directory; may be empty
	Environment map[string]string // fingerprint of the machine that measured
	Records     *invocations.Records
	Partial     *invocations.Records // what is known of invocations that were interrupted; only the text shows it
	Rankings    []rank.Ranking       // see rank.Groups; may be empty
	Complete    bool                 // the run finished
	Resumable   bool                 // a run that did not finish has a journal, with which --resume continues it
	Width       int                  // columns of the terminal, to which tables are fitted; 0: no limit
	Colours     bool                 // the text paints verdicts, for a terminal
	Plot        bool                 // the text shows how times are distributed
	Verbose     bool                 // the text shows all columns, counters, and what each host has measured
	Counters    bool                 // the user asked for counters: the text shows them
	Dispatches  DispatchOptions
	// Whole keeps a message that is too long for a table, as those of compilers are, and returns the path of its file, or
	// nothing if it cannot. Nil: tables show all of it.
	Whole func(message string) (path string)
}

// Format is a way of writing a run.
type Format struct {
	Name  string                     // what a user writes after --format
	Help  string                     // a line of help
	Write func(io.Writer, Run) error // errors are those of the writer
}

// FormatTable is a list of formats, the default first.
type FormatTable []Format

// Formats returns all formats.
func Formats() FormatTable {
	return FormatTable{
		{"text", "tables and rankings for people", writeText},
		{"csv", "one row an invocation, times in nanoseconds", writeCSV},
		{"ndjson", "the lines of the journal", writeNDJSON},
		{"gbench", "Google Benchmark JSON, for compare.py and what ingests it", writeGoogleBenchmark},
		{"benchfmt", "Go benchmark lines, for benchstat", writeBenchfmt},
		{"bmf", "Bencher Metric Format", writeBencher},
	}
}

// Lookup returns the format of a name. The error for an unknown name suggests the nearest one.
func (t FormatTable) Lookup(name string) (Format, error) {
	for _, f := range t {
		if f.Name == name {
			return f, nil
		}
	}
	names := t.Names()
	if text := spelling.Suggest(name, names); text != "" {
		return Format{}, fmt.Errorf("unknown format %q%s There are %s", name, text, strings.Join(names, ", "))
	}
	return Format{}, fmt.Errorf("unknown format %q: there are %s", name, strings.Join(names, ", "))
}

// Names returns the names of the formats.
func (t FormatTable) Names() (names []string) {
	for _, f := range t {
		names = append(names, f.Name)
	}
	return names
}

// distinctNames returns a unique name for each record, since formats that group by name must not mix records. Mode and
// id are added to names that repeat.
func distinctNames(records *invocations.Records) ([]string, error) {
	count := map[string]int{}
	names, longer := make([]string, 0, records.Len()), make([]string, 0, records.Len())
	for r, err := range records.All() {
		if err != nil {
			return nil, err
		}
		count[r.Name]++
		names, longer = append(names, r.Name), append(longer, fmt.Sprintf("%s/mode=%s/id=%s", r.Name, r.Mode, r.ID))
	}
	for i, name := range names {
		if count[name] > 1 {
			names[i] = longer[i]
		}
	}
	return names, nil
}
