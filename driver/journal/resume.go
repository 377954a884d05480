package journal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"zonemark/invocations"
	"zonemark/invocations/files"
)

// Resume opens a journal to continue it and returns its results, which stay in the file: it may grow, but nothing
// else may change it while they are in use; see UnreadableError. A torn or garbled last line does not
// count; Begin moves it to the file path+".torn", and a note tells so. A garbled line in the middle is a *Error.
// If the file is missing or empty, the journal starts anew.
func Resume(ctx context.Context, path string, h Header) (*Writer, *Done, error) {
	j, err := open(path, os.O_RDWR)
	if err != nil {
		return nil, nil, err
	}
	done, err := j.resume(ctx, h)
	if err != nil {
		return nil, nil, errors.Join(err, j.withdraw())
	}
	return j, done, nil
}

// resume prepares an opened journal to be continued and returns its records.
func (j *Writer) resume(ctx context.Context, h Header) (*Done, error) {
	if !j.regular {
		return nil, fmt.Errorf("journal %s: not a regular file, so that --resume cannot read it back: "+
			"run without --resume", j.path)
	}
	c, err := Reading{}.File(ctx, j.path)
	if err != nil {
		return nil, err
	}
	j.store = c.store
	j.noteTorn(c)
	j.results, j.partial, j.lines = c.Results, c.partial, files.Append(j.file, c.WholeBytes, true)
	maps.Copy(j.byStatus, c.byStatus)
	kind := invocations.HeaderKind
	if c.Header.Kind != "" {
		kind = invocations.ResumeKind
		if err := checkShard(c.Header.Shard, h.Shard); err != nil {
			return nil, fmt.Errorf("journal %s: %w", j.path, err)
		}
		j.noteOddities(c, h)
	}
	j.begin = func() error {
		if err := j.setTornApart(c); err != nil {
			return err
		}
		j.store.nextRun()
		return j.writeHeader(h, kind)
	}
	return &Done{store: c.store, at: c.position}, nil
}

// tornFile returns the path of the file for torn last lines.
func (j *Writer) tornFile() string { return j.path + ".torn" }

// noteTorn adds a note about a torn last line.
func (j *Writer) noteTorn(c *Stored) {
	if c.Torn != nil {
		j.note("journal %s: the last line (%d bytes from byte %d on) is torn; it is moved to %s, "+
			"and what it held is measured again", j.path, len(c.Torn), c.WholeBytes, j.tornFile())
	}
}

// setTornApart copies the torn last line to tornFile, for the user, and then truncates the journal.
func (j *Writer) setTornApart(c *Stored) error {
	if c.Torn == nil {
		return nil
	}
	torn, err := files.OpenFile(j.tornFile(), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err == nil {
		_, err = torn.Write(append(slices.Clone(c.Torn), '\n'))
		err = errors.Join(err, torn.Close())
	}
	if err != nil {
		return j.failed("its torn last line cannot be kept", err)
	}
	if err := j.lines.Cut(c.WholeBytes); err != nil {
		return j.failed("its last line is torn", err)
	}
	c.Torn = nil // it is not kept twice if the first line of this run must be written again
	return nil
}

// noteOddities adds notes about superseded results and about a machine that differs from the previous run's.
func (j *Writer) noteOddities(c *Stored, h Header) {
	if len(c.Duplicates) > 0 {
		j.note("journal %s: %d invocations have several results, of which the last counts: %s",
			j.path, len(c.Duplicates), strings.Join(c.Duplicates, ", "))
	}
	before := c.Header
	if n := len(c.Resumes); n > 0 {
		before = c.Resumes[n-1]
	}
	var changed []string
	for _, key := range slices.Sorted(maps.Keys(before.Environment)) {
		if key == "load" { // it always differs
			continue
		}
		if now, known := h.Environment[key]; known && now != before.Environment[key] {
			changed = append(changed, fmt.Sprintf("%s was %q and is %q", key, before.Environment[key], now))
		}
	}
	if len(changed) > 0 {
		j.note("journal %s: continued in another environment, so that old and new results may not compare: %s",
			j.path, strings.Join(changed, "; "))
	}
}
