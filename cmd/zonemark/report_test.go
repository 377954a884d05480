package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/driver/journal"
	"zonemark/driver/report"
	"zonemark/invocations"
)

// TestReportEnds has what a report needs go away while it is made: the program is asked to end, or the journal becomes
// unreadable. The report ends with an error that says so.
func TestReportEnds(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(path string, cancel func()) error
		want    string
	}{
		"interrupted": {func(_ string, cancel func()) error {
			cancel()
			return nil
		}, "interrupted while the report was made"},
		"cut": {func(path string, _ func()) error { return os.Truncate(path, 100) }, "reading a result again"},
	} {
		path := filepath.Join(t.TempDir(), "j.ndjson")
		j, err := journal.Create(path, journal.Header{}, false)
		for i := range 3 {
			r := invocations.Record{ID: fmt.Sprint(i), Name: "f", Status: invocations.OK}
			err = errors.Join(err, j.Append(r))
		}
		if err = errors.Join(err, j.Close(true)); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var said bytes.Buffer
		p := program.Program{Streams: cli.Streams{Out: io.Discard, Err: &said}}
		p.Formats = report.FormatTable{{Name: "endless", Write: func(_ io.Writer, run report.Run) error {
			if err := c.happens(path, cancel); err != nil {
				return err
			}
			for {
				for _, err := range run.Records.All() {
					if err != nil {
						return err
					}
				}
			}
		}}}
		if status := doMain(ctx, p, []string{"report", path, "--format", "endless"}); status != cli.ExitError ||
			!strings.Contains(said.String(), c.want) {
			t.Errorf("%s: status %d, %q", name, status, said.String())
		}
	}
}
