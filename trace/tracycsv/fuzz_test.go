package tracycsv

import (
	"testing"

	"zonemark/trace"
	"zonemark/trace/internal/zonetest"
)

// FuzzWrite checks that a table has a row for each zone that can be read.
func FuzzWrite(f *testing.F) {
	zonetest.FuzzFiles(f, func(t *testing.T, file *trace.File, zones int64, err error) {
		var written rowCounter
		writeErr := Write(&written, file, Options{Unwrap: true})
		if written.rows != zones+1 || (err == nil) != (writeErr == nil) {
			t.Errorf("%d rows, header included, of %d zones: %v, %v", written.rows, zones, writeErr, err)
		}
	})
}

// rowCounter counts the rows of a table: ends of lines outside quotes.
type rowCounter struct {
	rows   int64
	quoted bool
}

func (c *rowCounter) Write(p []byte) (int, error) {
	for _, b := range p {
		switch {
		case b == '"':
			c.quoted = !c.quoted
		case b == '\n' && !c.quoted:
			c.rows++
		}
	}
	return len(p), nil
}
