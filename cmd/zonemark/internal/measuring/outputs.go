package measuring

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/dispatches"
	"zonemark/trace"
)

// checkOutputs returns an error, before anything is done, if an output file cannot be written, or if writing it would
// destroy something else: what is measured, another output, or a file of another kind.
func (m *Measurement) checkOutputs() error {
	if err := m.checkJournalName(); err != nil {
		return err
	}
	taken := map[string]string{}
	for _, path := range m.Paths {
		if abs, err := filepath.Abs(path); err == nil {
			taken[abs] = "what is measured"
		}
	}
	for _, o := range []cli.Output{
		{Flag: "-o", Path: m.Output}, // whoever opens a journal that is there says what is wrong with it
		{Flag: "-t", Path: m.TraceFile, Kind: "Tracy capture", Holds: holdsCapture},
		{Flag: "-d", Path: m.DispatchFile, Kind: "dispatch CSV", Holds: holdsDispatches},
		page("--html", m.PageFile),
		{Flag: "--bundle", Path: m.BundleFile, Kind: "bundle of zonemark", Holds: holdsBundle},
	} {
		if o.Path == "" {
			continue
		}
		abs, err := filepath.Abs(o.Path)
		if err != nil {
			return fmt.Errorf("%s %s: %w", o.Flag, o.Path, err)
		}
		if what := taken[abs]; what != "" {
			return fmt.Errorf("%s %s: this file is %s; give another name", o.Flag, o.Path, what)
		}
		taken[abs] = "the output of " + o.Flag
		if err := o.Check(); err != nil {
			return err
		}
	}
	return nil
}

// checkNewJournal returns an error if a run without --resume or --overwrite names a journal that is there. The error
// has the command that keeps both.
func (m *Measurement) checkNewJournal() error {
	info, err := os.Stat(m.Output)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || m.Resume || m.Overwrite {
		return nil
	}
	words := cli.WithOther(m.arguments, m.Output)
	if words == nil {
		return nil // whoever opens it says so
	}
	return fmt.Errorf("journal %s: exists and is not empty: continue it with --resume, replace it with --overwrite, "+
		"or keep both:\n  %s", m.Output, cli.CommandLine(m.verb, words...))
}

// checkJournalName returns an error if the name of a new journal says that another kind of file is wanted.
func (m *Measurement) checkJournalName() error {
	extension := strings.ToLower(filepath.Ext(m.Output))
	if m.Resume || !slices.Contains([]string{".csv", ".tsv", ".html", ".htm", ".md", ".xlsx"}, extension) {
		return nil
	}
	journal := strings.TrimSuffix(m.Output, filepath.Ext(m.Output)) + ".ndjson"
	remedy := ""
	if extension == ".csv" {
		remedy = "; for a table say --format csv > " + m.Output
	}
	return fmt.Errorf("-o %s: the journal is NDJSON and not what this name says; name it %s%s", m.Output, journal,
		remedy)
}

func holdsCapture(path string) error {
	f, err := trace.Open(path)
	if err != nil {
		return err
	}
	return f.Close()
}

func holdsDispatches(path string) error {
	_, err := dispatches.ReadCSV(path)
	return err
}
