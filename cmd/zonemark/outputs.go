package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"zonemark/driver/files"
	"zonemark/invocations"
	"zonemark/trace"
	"zonemark/trace/dispatchcsv"
)

// checkOutputs looks, before anything is done, whether the files that are to be written can be, and whether something else would be lost by it: what is
// measured, another output, or a file of another kind.
func (m *measurement) checkOutputs() error {
	taken := map[string]string{}
	for _, path := range m.paths {
		if abs, err := filepath.Abs(path); err == nil {
			taken[abs] = "what is measured"
		}
	}
	for _, o := range []struct {
		flag, path string
		kind       string                  // of the file
		holds      func(path string) error // nil: somebody else looks
	}{{"-o", m.output, "journal", nil}, {"-t", m.traceFile, "Tracy capture", holdsCapture}, {"-d", m.dispatchFile, "dispatch CSV", holdsDispatches}} {
		if o.path == "" {
			continue
		}
		abs, err := filepath.Abs(o.path)
		if err != nil {
			return fmt.Errorf("%s %s: %w", o.flag, o.path, err)
		}
		if what := taken[abs]; what != "" {
			return fmt.Errorf("%s %s: this file is %s; give another name", o.flag, o.path, what)
		}
		taken[abs] = "the output of " + o.flag
		if folder, err := os.Stat(filepath.Dir(abs)); err != nil || !folder.IsDir() {
			return fmt.Errorf("%s %s: there is no folder %s", o.flag, o.path, filepath.Dir(abs))
		}
		info, err := os.Stat(abs)
		switch {
		case errors.Is(err, fs.ErrNotExist) || err == nil && o.holds == nil:
			continue
		case err != nil:
			return fmt.Errorf("%s %s: %w", o.flag, o.path, err)
		case info.IsDir():
			return fmt.Errorf("%s %s: this is a folder; give the name of a file", o.flag, o.path)
		case info.Mode().IsRegular() && info.Size() > 0 && o.holds(abs) != nil:
			return fmt.Errorf("%s %s: this file is there and is no %s, so it is not replaced; give another name, or remove it", o.flag, o.path, o.kind)
		}
	}
	return nil
}

func holdsCapture(path string) error {
	f, err := trace.Open(path)
	if err != nil {
		return err
	}
	return f.Close()
}

func holdsDispatches(path string) error {
	_, err := readDispatchFile(path)
	return err
}

func readDispatchFile(path string) ([]dispatchcsv.Row, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return dispatchcsv.Read(path, f)
}

// captureOutput is where the first capture goes. A resumed run leaves the captures of the run that it resumes alone.
func (m *measurement) captureOutput() string {
	path := m.traceFile
	extension := filepath.Ext(path)
	for n := 2; m.resume; n++ {
		if _, err := os.Stat(path); err != nil {
			break
		}
		path = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(m.traceFile, extension), n, extension)
	}
	return path
}

// replaceDispatchRows replaces the dispatch CSV, at once or not at all, by rows that are all of certain invocations, given by id; it may keep the rows of others.
func (m *measurement) replaceDispatchRows(rows []dispatchcsv.Row, of map[string]string, keep bool) error {
	var all []dispatchcsv.Row
	if keep {
		before, err := readDispatchFile(m.dispatchFile)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, row := range before {
			if _, again := of[row.Invocation]; !again {
				all = append(all, row)
			}
		}
	}
	all = append(all, rows...)
	err := files.Replace(m.dispatchFile, 0o644, func(w io.Writer) error { return dispatchcsv.Write(w, all) })
	if err != nil {
		return fmt.Errorf("%s: %w", m.dispatchFile, err)
	}
	return nil
}

// addProfiled puts what a profiler has said of the measured invocations into the dispatch CSV, a row for each dispatch, which stands for all calls. traced says that this run
// has written rows of other invocations already.
func (m *measurement) addProfiled(records []invocations.Record, traced bool) error {
	var rows []dispatchcsv.Row
	of := map[string]string{}
	for i := range records {
		r := &records[i]
		if r.DispatchSource != invocations.ByProfiler {
			continue
		}
		of[r.ID] = r.Name
		for _, d := range r.Dispatches {
			rows = append(rows, summaryRow(r, &d))
		}
	}
	if len(rows) == 0 && traced {
		return nil
	}
	return m.replaceDispatchRows(rows, of, m.resume || traced)
}

// summaryRow is the row of a dispatch of which only medians over calls are known.
func summaryRow(r *invocations.Record, d *invocations.DispatchRecord) dispatchcsv.Row {
	row := dispatchcsv.Row{
		Invocation: r.ID, Name: r.Name, Ordinal: d.Ordinal, Dispatch: d.Name, SourceFile: d.SourceFile, SourceLine: uint32(d.SourceLine),
		Workgroups: d.Workgroups, Threads: d.Threads, Calls: d.Count,
	}
	if d.MedianNS != nil {
		row.DurationNS = int64(math.Round(*d.MedianNS))
	}
	return row
}
