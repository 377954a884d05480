package csvtext

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// rowOf is a row and the line on which it begins.
type rowOf struct {
	line  int
	cells []string
}

func rowsOf(r io.Reader) (list []rowOf, err error) {
	rows := NewRows(r)
	for {
		n, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		row := rowOf{line: rows.Line()}
		for i := range n {
			row.cells = append(row.cells, string(rows.Cell(i)))
		}
		list = append(list, row)
	}
}

// standardRows are the rows by encoding/csv.
func standardRows(r io.Reader) (list []rowOf, err error) {
	rows := csv.NewReader(r)
	rows.FieldsPerRecord, rows.LazyQuotes = -1, true
	for {
		record, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		line, _ := rows.FieldPos(0)
		list = append(list, rowOf{line, record})
	}
}

func sameRow(a, b rowOf) bool { return a.line == b.line && slices.Equal(a.cells, b.cells) }

// oddRows are texts of which each has another end, quote or line.
var oddRows = []string{
	"", "\n", "\r\n", "\r", "a", "a,b\n", "a,b\r\nc,d", "a,,\n,,b\n", "\n\na\n\n\nb\n", "a\r\r\n", "a\r", ",\r", " \n",
	`"a"`, `"a",b` + "\n", `a,"b,c",d` + "\n", `a,"b""c"` + "\n", `a,"b"c,d"` + "\n", `a"b,c` + "\n", `""` + "\n",
	`"`, `"` + "\n", `"` + "\r", `"a` + "\n\n" + `b",c` + "\r\nd", `"a` + "\r\n" + `b"` + "\r\n", `"a` + "\n\r",
	`"a",` + "\n", `"a"` + "\r", `"a"` + "\r\nb", `x,"` + "\n" + `",y` + "\nz", `"""` + "\n" + `a","b` + "\n",
	"\xff,\xfe\n", "\ufeffa,b\n", `"a` + "\n" + `"b` + "\n" + `c`,
}

func TestRows(t *testing.T) {
	long := strings.Repeat("x", 70<<10)
	for _, text := range append(oddRows, long+","+long+"\n\""+long+"\n\"\"\",b\r\nc", long) {
		want, err := standardRows(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			if rows, err := rowsOf(r); err != nil || !slices.EqualFunc(rows, want, sameRow) {
				t.Errorf("%.80q: %.200v, %v, want %.200v", text, rows, err, want)
			}
		}
	}
}

// A reader that fails ends the rows; those before are there.
func TestRowsFail(t *testing.T) {
	broken := errors.New("broken")
	for text, before := range map[string]int{"": 0, "a,b\n": 1, "a,b\nc": 1, "a\n\"b\n": 1, "\"b": 0} {
		r := io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))
		if rows, err := rowsOf(r); len(rows) != before || !errors.Is(err, broken) {
			t.Errorf("%q: %v, %v", text, rows, err)
		}
	}
}

func FuzzRows(f *testing.F) {
	for _, text := range oddRows {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, err := standardRows(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if rows, err := rowsOf(strings.NewReader(text)); err != nil || !slices.EqualFunc(rows, want, sameRow) {
			t.Fatalf("%v, %v, want %v", rows, err, want)
		}
	})
}

// BenchmarkRows reads rows like those of a table of ops: 139 cells, of which many are empty and few are long.
func BenchmarkRows(b *testing.B) {
	row := strings.Repeat("1234567890,,,", 45) + strings.Repeat("a long cell; ", 60) + ",,,\n"
	text := strings.Repeat(row, 500)
	b.Run("own", func(b *testing.B) { benchmarkRows(b, text, rowsOfAll) })
	b.Run("encoding/csv", func(b *testing.B) { benchmarkRows(b, text, standardRowsOfAll) })
}

func benchmarkRows(b *testing.B, text string, read func(io.Reader) (cells int)) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if cells := read(strings.NewReader(text)); cells != 500*139 {
			b.Fatal(cells)
		}
	}
}

func rowsOfAll(r io.Reader) (cells int) {
	rows := NewRows(r)
	for {
		n, err := rows.Next()
		if err != nil {
			return cells
		}
		cells += n
	}
}

func standardRowsOfAll(r io.Reader) (cells int) {
	rows := csv.NewReader(r)
	rows.FieldsPerRecord, rows.LazyQuotes, rows.ReuseRecord = -1, true, true
	for {
		record, err := rows.Read()
		if err != nil {
			return cells
		}
		cells += len(record)
	}
}
