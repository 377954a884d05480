package compare

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"zonemark/driver/journal"
	"zonemark/invocations"
	"zonemark/invocations/files"
)

// sniffed is how many bytes of a file decide its format.
const sniffed = 4096

// journalStart begins each line of a journal.
const journalStart = `{"kind"`

// byteOrderMark begins text that editors and spreadsheets of Windows write.
const byteOrderMark = "\ufeff"

// Read reads results from a file, whose format its content tells: a journal of zonemark, JSON of Google Benchmark or of
// hyperfine, benchfmt of Go, or CSV with a column of times. The error names the file and, where there is one, the line.
func Read(path string) (*Set, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: a folder; give a file with results", path)
	}
	in := bufio.NewReaderSize(f, sniffed)
	if mark, _ := in.Peek(len(byteOrderMark)); string(mark) == byteOrderMark { // errors are those of the next Peek
		_, _ = in.Discard(len(byteOrderMark))
	}
	head, err := in.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return nil, err
	}
	if len(bytes.TrimSpace(head)) == 0 {
		return nil, fmt.Errorf("%s: the file is empty", path)
	}
	read := reader(head)
	if bytes.IndexByte(head, 0) >= 0 && !bytes.HasPrefix(head, []byte(journalStart)) { // a journal says which line it is
		return nil, fmt.Errorf("%s: not text in UTF-8; convert UTF-16, which PowerShell writes, and unpack archives", path)
	}
	if read == nil {
		return nil, fmt.Errorf("%s: not a format that can be compared: journals of zonemark (.ndjson), JSON of Google "+
			"Benchmark and hyperfine, Go benchmark results, and CSV of hatlib and of operation sweeps can", path)
	}
	s, err := read(in, path)
	if err != nil {
		return nil, err
	}
	s.Source = path
	if len(s.Measurements) == 0 {
		return nil, fmt.Errorf("%s: it has no results%s", path, s.why)
	}
	return s, nil
}

// reader returns what reads a file that begins with head; nil if nothing does.
func reader(head []byte) func(io.Reader, string) (*Set, error) {
	text := string(bytes.TrimLeft(head, " \t\r\n"))
	first, _, _ := strings.Cut(text, "\n")
	switch {
	case strings.HasPrefix(text, journalStart):
		return readJournal
	case strings.HasPrefix(text, "{") && strings.Contains(text, `"results"`) && strings.Contains(text, `"command"`):
		return readHyperfine
	case strings.HasPrefix(text, "{") && (strings.Contains(text, `"benchmarks"`) || strings.Contains(text, `"context"`)):
		return readGoogleBenchmark
	case strings.Contains(text, "\nBenchmark") || strings.HasPrefix(text, "Benchmark"):
		return readBenchfmt
	case strings.Contains(first, ",") && !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "{"):
		return readCSV
	}
	return nil
}

func readJournal(r io.Reader, path string) (*Set, error) {
	s := &Set{Source: path}
	place, smaller := map[string]int{}, newSmaller() // place of an id in the set
	j, err := journal.Reading{Figures: true, Each: func(_ int, r *invocations.Record) error {
		m := smaller.of(fromRecord(r))
		for _, id := range []string{r.ID, r.Replaces} { // the last result counts
			if at, again := place[id]; again {
				delete(place, id)
				place[r.ID], s.Measurements[at] = at, m
				return nil
			}
		}
		place[r.ID] = len(s.Measurements)
		s.Measurements = append(s.Measurements, m)
		return nil
	}}.From(context.Background(), r)
	if at := (*journal.Error)(nil); errors.As(err, &at) {
		at.Path = path
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s.Environment, s.Version = j.Header.Environment, j.Header.Build
	s.Started, s.Commit = j.Header.Started, j.Header.Commit
	if !j.Complete {
		s.Notes = append(s.Notes, "the journal is not complete: "+j.Why)
		s.why = ": " + j.Why + "; continue the run with --resume"
	}
	for _, h := range j.Resumes {
		if differ := environments(j.Header.Environment, h.Environment); len(differ) > 0 {
			s.Notes = append(s.Notes, "the run was continued on another machine, or with other settings, so that it is not "+
				"of one kind: "+strings.Join(differ, "; "))
			break
		}
	}
	return s, nil
}
