package traceverbs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"zonemark/driver/report"
	"zonemark/invocations/files"
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
	file, err := files.OpenFile(output, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
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

// notShown says how many rows a limit has cut off.
func notShown(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; %s more not shown (--limit)", report.Counted(n, "row"))
}

// joinedLines joins the lines of a text that a program wrote, without what it indents and aligns them with.
func joinedLines(text string) string { return strings.Join(strings.Fields(text), " ") }
