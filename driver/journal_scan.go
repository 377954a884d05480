package driver

import (
	"bufio"
	"fmt"
	"io"

	"zonemark/driver/files"
	"zonemark/invocations"
)

// ScanJournalFile reads the journal at path like ReadJournalFile, but hands each result to a function with the number of
// its line, from 1, instead of keeping it: Records and Duplicates stay empty. An error of the function ends the reading.
func ScanJournalFile(
	path string, each func(line int, r *invocations.Record) error,
) (*StoredJournal, error) {
	return readJournalFile(path, each)
}

// longestHeader bounds how much of a file that may be no journal is read, in bytes. A header has a command line in it.
const longestHeader = 16 << 20

// ReadHeaderFile reads the first line of the journal at path. The header of a file without a whole line has no Kind: its
// run has not begun, or was killed then.
func ReadHeaderFile(path string) (Header, error) {
	f, err := files.Open(path)
	if err != nil {
		return Header{}, unopened(err)
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, longestHeader)).ReadBytes('\n')
	if err != nil && err != io.EOF {
		return Header{}, fmt.Errorf("journal %s: %w", path, err)
	}
	c := &StoredJournal{}
	if err == io.EOF && len(line) < longestHeader && c.setTorn(line, 1) == nil {
		return Header{}, nil
	}
	if err := c.addLine(journalLine{text: line}, 1); err != nil {
		return Header{}, &JournalError{Path: path, Line: 1, Err: err}
	}
	return c.Header, nil
}
