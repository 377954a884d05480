package csvtext

import (
	"bufio"
	"bytes"
	"io"
)

// Rows reads rows of cells that commas separate. The cells are those of encoding/csv with LazyQuotes and without a
// number of fields: a cell that begins with a quote goes on to the next single one, over lines if need be, and lines
// without a byte are passed over. A row stays where it was read, without a string for it, until the next one.
type Rows struct {
	in     *bufio.Reader
	lines  int    // read so far
	first  int    // line on which the row begins, from 1
	joined []byte // a line that is longer than the reader's buffer
	text   []byte // the row: its cells, each but the last with one more byte behind it
	ends   []int  // of the cells in text
	copied []byte // what text is of a row with quotes
}

// NewRows returns the rows of r.
func NewRows(r io.Reader) *Rows { return &Rows{in: bufio.NewReaderSize(r, 64<<10)} }

// Line returns the number of the line on which the row begins, from 1.
func (r *Rows) Line() int { return r.first }

// Cell returns a cell of the row, which is good until the next one is read.
func (r *Rows) Cell(i int) []byte {
	if i == 0 {
		return r.text[:r.ends[0]]
	}
	return r.text[r.ends[i-1]+1 : r.ends[i]]
}

// Next reads a row and returns how many cells it has. After the last one the error is io.EOF; all others are those of
// the reader.
func (r *Rows) Next() (cells int, err error) {
	var line []byte
	var more bool
	for len(line) == 0 {
		if line, more, err = r.line(); err != nil {
			return 0, err
		}
	}
	r.first, r.ends = r.lines, r.ends[:0]
	for at := 0; ; at++ {
		if at < len(line) {
			switch line[at] {
			case ',': // an empty cell, which many are
				r.ends = append(r.ends, at)
				continue
			case '"':
				return r.quoted(line, at, more)
			}
		}
		n := bytes.IndexByte(line[at:], ',')
		if n < 0 {
			r.text, r.ends = line, append(r.ends, len(line))
			return len(r.ends), nil
		}
		at += n
		r.ends = append(r.ends, at)
	}
}

// quoted reads the rest of a row from the first cell with quotes on, which begins at a place in its line. More is
// whether the line has an end. The row is copied, as it gets shorter, and may have several lines.
func (r *Rows) quoted(line []byte, at int, more bool) (cells int, err error) {
	text, rest := append(r.copied[:0], line[:at]...), line[at:]
	defer func() { r.text, r.copied = text, text }()
	for {
		if len(rest) == 0 || rest[0] != '"' {
			cell, behind, found := bytes.Cut(rest, []byte{','})
			text = append(text, cell...)
			if r.ends = append(r.ends, len(text)); !found {
				return len(r.ends), nil
			}
			text, rest = append(text, ','), behind
			continue
		}
		rest = rest[1:]
		for inside := true; inside; {
			n := bytes.IndexByte(rest, '"')
			if n < 0 {
				if text = append(text, rest...); more {
					text = append(text, '\n')
					rest, more, err = r.line()
				} else {
					err = io.EOF
				}
				if err == io.EOF { // the file ends in the cell
					r.ends = append(r.ends, len(text))
					return len(r.ends), nil
				}
				if err != nil {
					return 0, err
				}
				continue
			}
			text, rest = append(text, rest[:n]...), rest[n+1:]
			switch {
			case len(rest) == 0:
				r.ends = append(r.ends, len(text))
				return len(r.ends), nil
			case rest[0] == ',':
				r.ends = append(r.ends, len(text))
				text, rest, inside = append(text, ','), rest[1:], false
			case rest[0] == '"':
				text, rest = append(text, '"'), rest[1:]
			default: // a single quote inside the cell
				text = append(text, '"')
			}
		}
	}
}

// line reads a line. It returns it without its end, and whether it has one.
func (r *Rows) line() (line []byte, ended bool, err error) {
	line, err = r.in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		r.joined = r.joined[:0]
		for err == bufio.ErrBufferFull {
			r.joined = append(r.joined, line...)
			line, err = r.in.ReadSlice('\n')
		}
		r.joined = append(r.joined, line...)
		line = r.joined
	}
	if err == io.EOF && len(line) > 0 {
		err = nil
	}
	if err != nil {
		return nil, false, err
	}
	r.lines++
	if n := len(line); line[n-1] == '\n' {
		line, ended = line[:n-1], true
	}
	return bytes.TrimSuffix(line, []byte{'\r'}), ended, nil
}
