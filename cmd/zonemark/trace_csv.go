package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/trace/tracycsv"
)

const traceCSVIntro = `Write a capture as CSV, with the flags of tracy-csvexport.

Usage: zonemark trace csv [flags] FILE

Without -u, -m or -g: a row for each zone name. The dialect zonemark, the default, holds all that is known of a zone; the others hold the columns of tracy-csvexport of
that version, with right values where it writes wrong ones. Every dialect is valid CSV.

Examples:
  zonemark trace csv run.tracy -u -o zones.csv
  zonemark trace csv run.tracy -u --dialect 0.11.2 -f matmul
  zonemark trace csv run.tracy -m -s ';'
`

func traceCSVCommand(ctx context.Context, s cli.Streams, args []string) int {
	f := newTraceFlags("csv")
	o := tracycsv.Options{Dialect: tracycsv.DialectZonemark}
	var output string
	set := f.set
	set.Var(cli.Choice[string]{Value: &o.Dialect, Words: tracycsv.Dialects()}, "dialect", "columns: ours, those of tracy-csvexport since a version, or those of Tenstorrent's fork")
	set.BoolVarP(&o.Unwrap, "unwrap", "u", false, "a row for each zone")
	set.BoolVarP(&o.Self, "self", "e", false, "times without the zones inside")
	set.BoolVarP(&o.Messages, "messages", "m", false, "the messages")
	set.BoolVarP(&o.Plot, "plot", "p", false, "the plots; with -u, behind the zones in the dialects of tracy-csvexport")
	set.BoolVarP(&o.GPU, "gpu", "g", false, "the GPU zones")
	set.StringVarP(&o.Filter, "filter", "f", "", "only zones whose name contains this text")
	set.BoolVarP(&o.CaseSensitive, "case", "c", false, "upper and lower case differ in the filter")
	set.StringVarP(&o.Separator, "sep", "s", ",", "separator of the columns")
	set.Float64Var(&o.TruncatedMean, "truncated-mean", 0, "add the mean of the times up to this percentile")
	set.StringVarP(&output, "output", "o", "", "write to this file instead of standard output; a file that exists is replaced")
	paths, err := f.parse(s, args, traceCSVIntro, 1, 1)
	if err != nil {
		return f.refused(s, err)
	}
	c, err := openTrace(ctx, s, f, paths[0])
	if err != nil {
		return s.Fail("%v", err)
	}
	defer c.Close()
	if c.file == nil {
		return s.Fail("%s is CSV already, dialect %s; give the capture it was made of", c.path, c.table.Dialect())
	}
	if output == "" && cli.TerminalWidth(s.Out) > 0 {
		c.progress.Silence() // rows that scroll by show progress, and a line between them would break them
	}
	o.Watch = c.look
	err = c.writeTo(s, output, func(w io.Writer) error { return tracycsv.Write(w, c.file, o) })
	c.progress.Clear()
	return c.settle(s, err)
}

// writeTo writes to a file, or to standard output where none is named, until the command is interrupted. The capture itself is refused as output.
func (c *openCapture) writeTo(s cli.Streams, output string, write func(io.Writer) error) error {
	return writeOutput(c.ctx, s, output, []string{c.path}, write)
}

// writeOutput writes to the file output, to standard output where it is empty, and never over one of the inputs.
func writeOutput(ctx context.Context, s cli.Streams, output string, inputs []string, write func(io.Writer) error) error {
	if output == "" {
		return write(&interruptible{ctx, s.Out})
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
	return errors.Join(write(&interruptible{ctx, file}), file.Close())
}

// sameFile says whether two names are of one file. An output that does not exist yet is no other's.
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
