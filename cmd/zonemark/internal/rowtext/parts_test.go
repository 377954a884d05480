package rowtext

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
)

// TestWriteParts: parts come in their order, up to the first that cannot be made.
func TestWriteParts(t *testing.T) {
	broken := errors.New("cannot be made")
	for _, c := range []struct{ parts, broken int }{{0, -1}, {1, -1}, {100, -1}, {100, 0}, {100, 57}} {
		var want, got bytes.Buffer
		for i := range c.parts {
			if i == c.broken {
				break
			}
			fmt.Fprintf(&want, "part %d\n", i)
		}
		err := WriteParts(&got, c.parts, func(b []byte, part int) ([]byte, error) {
			if part == c.broken {
				return nil, broken
			}
			return fmt.Appendf(b, "part %d\n", part), nil
		})
		if (c.broken >= 0) != errors.Is(err, broken) {
			t.Errorf("%d parts, %d broken: error %v", c.parts, c.broken, err)
		}
		if got.String() != want.String() {
			t.Errorf("%d parts, %d broken: %q; want %q", c.parts, c.broken, &got, &want)
		}
	}
}

// TestRowsOfParts: rows of several parts are one table with one header.
func TestRowsOfParts(t *testing.T) {
	type row struct {
		N int `csv:"n" json:"n"`
	}
	const rows = 2*RowsAPart + 1
	for _, c := range []struct{ format, header, line string }{
		{CSV, "n\n", "%d\n"}, {NDJSON, "", "{\"n\":%d}\n"},
	} {
		var got, want bytes.Buffer
		want.WriteString(c.header)
		for i := range rows {
			fmt.Fprintf(&want, c.line, i)
		}
		if err := WriteOf(&got, c.format, rows, func(i int) row { return row{i} }); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("%s: %d rows differ from what they should be", c.format, rows)
		}
	}
}
