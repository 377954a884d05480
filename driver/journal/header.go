package journal

import (
	"bufio"
	"fmt"
	"io"

	"zonemark/invocations/files"
)

// longestHeader bounds how much of a file that may be no journal is read, in bytes. A header has a command line in it.
const longestHeader = 16 << 20

// ReadHeader reads the first line of the journal at path. The header of a file without a whole line has no Kind: its
// run has not begun, or was killed then.
func ReadHeader(path string) (Header, error) {
	f, err := files.Open(path)
	if err != nil {
		return Header{}, unopened(err)
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, longestHeader)).ReadBytes('\n')
	if err != nil && err != io.EOF {
		return Header{}, fmt.Errorf("journal %s: %w", path, err)
	}
	c := &Stored{store: &store{}} // which gets no results
	if err == io.EOF && len(line) < longestHeader && c.setTorn(line, 1) == nil {
		return Header{}, nil
	}
	if err := c.addLine(textLine{text: line}, 1); err != nil {
		return Header{}, &Error{Path: path, Line: 1, Err: err}
	}
	return c.Header, nil
}
