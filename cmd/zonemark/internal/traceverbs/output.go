package traceverbs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/gocarina/gocsv"

	"zonemark/driver/report"
	"zonemark/invocations/foreign"
)

// writeOutput writes to the file output, or to standard output if that is empty, until the command is interrupted. It
// never writes over one of the inputs.
func (c *call) writeOutput(output string, inputs []string, write func(io.Writer) error) error {
	if output == "" {
		return write(&interruptible{c.ctx, c.Out})
	}
	for _, input := range inputs {
		same, err := sameFile(output, input)
		if err != nil {
			return fmt.Errorf("-o: %w", err)
		}
		if same {
			return fmt.Errorf("-o %s is the capture itself; name another file", output)
		}
	}
	file, err := os.Create(output)
	if err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	return errors.Join(write(&interruptible{c.ctx, file}), file.Close())
}

// sameFile reports whether two names are of one file. An output that does not exist yet is no other's.
func sameFile(output, capture string) (bool, error) {
	o, err := os.Stat(output)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	c, err := os.Stat(capture)
	if err != nil {
		return false, err
	}
	return os.SameFile(o, c), nil
}

// interruptible is a writer that fails once the command is interrupted.
type interruptible struct {
	ctx context.Context
	w   io.Writer
}

func (i *interruptible) Write(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, fmt.Errorf("interrupted: %w", err)
	}
	return i.w.Write(p)
}

// writeRows writes rows with csv and json tags in one of the formats for programs.
func writeRows[T any](w io.Writer, format string, rows []T) error {
	return writeRowsOf(w, format, len(rows), func(i int) T { return rows[i] })
}

// writeRowsOf writes n rows as writeRows does. Rows are made when they are written, by several goroutines.
func writeRowsOf[T any](w io.Writer, format string, n int, row func(i int) T) error {
	parts := max(1, (n+rowsAPart-1)/rowsAPart) // a table without rows has a header
	return writeParts(w, parts, func(b []byte, part int) ([]byte, error) {
		rows := make([]T, 0, rowsAPart)
		for i := part * rowsAPart; i < min(n, (part+1)*rowsAPart); i++ {
			r := row(i)
			if format == formatCSV {
				r = foreign.Row(r)
			}
			rows = append(rows, r)
		}
		out := bytes.NewBuffer(b)
		if format == formatCSV {
			marshal := gocsv.MarshalWithoutHeaders
			if part == 0 {
				marshal = gocsv.Marshal
			}
			err := marshal(rows, out)
			return out.Bytes(), err
		}
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		for _, row := range rows {
			if err := enc.Encode(row); err != nil {
				return nil, err
			}
		}
		return out.Bytes(), nil
	})
}

// thousandths rounds what is interpolated between whole nanoseconds: more digits mean nothing and differ between
// processors.
func thousandths(x float64) float64 { return math.Round(x*1000) / 1000 }

// limited cuts a list off; 0: no limit.
func limited[T any](list []T, limit int64) []T {
	if limit > 0 && int64(len(list)) > limit {
		return list[:limit]
	}
	return list
}

// notShown says how many rows a limit has cut off.
func notShown(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; %s more not shown (--limit)", report.Counted(n, "row"))
}

// joinedLines joins the lines of a text that a program wrote, without what it indents and aligns them with.
func joinedLines(text string) string { return strings.Join(strings.Fields(text), " ") }
