package tracycsv

import (
	"bytes"
	"testing"

	"zonemark/trace"
	"zonemark/trace/internal/tracytest"
)

// FuzzWrite writes captures of any content: a table has a row for each zone that can be read.
func FuzzWrite(f *testing.F) {
	tracytest.AddStreams(f)
	f.Fuzz(func(t *testing.T, stream []byte) {
		data := tracytest.Uncompressed(stream)
		tracytest.CheckMemory(t, len(data), 4, func() {
			file, err := trace.Read("memory.tracy", bytes.NewReader(data), int64(len(data)))
			if err != nil {
				return
			}
			defer file.Close()
			zones := int64(0)
			for _, err = range file.Zones() {
				if err == nil {
					zones++
				}
			}
			var written rowCounter
			writeErr := Write(&written, file, Options{Unwrap: true})
			if written.rows != zones+1 || (err == nil) != (writeErr == nil) {
				t.Errorf("%d rows, header included, of %d zones: %v, %v", written.rows, zones, writeErr, err)
			}
		})
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
