package compare

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"zonemark/driver"
)

// sniffed is how many bytes of a file decide its format.
const sniffed = 4096

// Read reads results from a file, whose format its content tells: a journal of zonemark, JSON of Google Benchmark or of
// hyperfine, benchfmt of Go, or CSV with a column of times. The error names the file and, where there is one, the line.
func Read(path string) (*Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: a folder; give a file with results", path)
	}
	in := bufio.NewReaderSize(f, sniffed)
	head, err := in.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return nil, err
	}
	if len(bytes.TrimSpace(head)) == 0 {
		return nil, fmt.Errorf("%s: the file is empty", path)
	}
	read := reader(head)
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
		return nil, fmt.Errorf("%s: it has no results", path)
	}
	return s, nil
}

// reader returns what reads a file that begins with head; nil if nothing does.
func reader(head []byte) func(io.Reader, string) (*Set, error) {
	text := string(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n"))
	first, _, _ := strings.Cut(text, "\n")
	switch {
	case strings.HasPrefix(text, `{"kind"`):
		return readJournal
	case strings.HasPrefix(text, "{") && strings.Contains(text, `"results"`) && strings.Contains(text, `"command"`):
		return readHyperfine
	case strings.HasPrefix(text, "{") && (strings.Contains(text, `"benchmarks"`) || strings.Contains(text, `"context"`)):
		return readGoogleBenchmark
	case strings.Contains(text, "\nBenchmark") || strings.HasPrefix(text, "Benchmark"):
		return readBenchfmt
	case strings.Contains(first, ","):
		return readCSV
	}
	return nil
}

func readJournal(r io.Reader, path string) (*Set, error) {
	j, err := driver.ReadJournal(r)
	if at := (*driver.JournalError)(nil); errors.As(err, &at) {
		at.Path = path
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s := FromRecords(path, j.Header.Environment, &j.Records)
	if !j.Complete {
		s.Notes = append(s.Notes, "the journal is not complete: "+j.Why)
	}
	return s, nil
}

// ParametersText returns parameters as "K=1 M=2", in order of their names.
func ParametersText(parameters map[string]string) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		words = append(words, name+"="+parameters[name])
	}
	return strings.Join(words, " ")
}
