package farm

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"

	"zonemark/driver/journal"
	"zonemark/invocations"
	"zonemark/invocations/files"
)

// Write writes the journal of the whole plan: as one machine would have written it, but that a resume line with the
// machine that measured them is before the results of each shard. Results are copied byte by byte. If some are missing,
// the journal has no end line: it is one that a run with --resume can finish. command is for the header.
func (m *Merged) Write(ctx context.Context, w io.Writer, command []string) error {
	out := bufio.NewWriterSize(w, 1<<16)
	if err := writeLine(out, m.header(command)); err != nil {
		return err
	}
	for _, s := range m.Shards {
		if err := s.copyTo(ctx, out); err != nil {
			return fmt.Errorf("%s: %w", s.Path, err)
		}
	}
	if len(m.Gaps) == 0 {
		if err := writeLine(out, m.end); err != nil {
			return err
		}
	}
	return out.Flush()
}

// header returns the header of the whole plan, with what the shards have in common.
func (m *Merged) header(command []string) journal.Header {
	h := m.Shards[0].Header
	h.Shard, h.Command, h.Environment = nil, command, maps.Clone(h.Environment)
	for _, s := range m.Shards {
		if s.Header.Started.Before(h.Started) {
			h.Started = s.Header.Started
		}
		for _, other := range append([]journal.Header{s.Header}, s.Resumes...) {
			if other.Commit != h.Commit {
				h.Commit = ""
			}
			maps.DeleteFunc(h.Environment, func(key, value string) bool { return other.Environment[key] != value })
		}
	}
	return h
}

// copyTo writes the lines of a shard. What its results have in common has the same numbers in other shards, where the
// later line of a number replaces the earlier one for the results behind it.
func (s *ShardJournal) copyTo(ctx context.Context, out *bufio.Writer) error {
	f, err := files.Open(s.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(io.LimitReader(f, s.WholeBytes), 1<<16)
	begun := s.Header
	begun.Kind = invocations.ResumeKind
	results := 0
	for n := int32(1); ; n++ {
		if ctx.Err() != nil {
			return &journal.InterruptedError{Doing: "copied", Line: int(n), Err: ctx.Err()}
		}
		line, err := in.ReadBytes('\n')
		switch {
		case err == io.EOF && len(line) == 0 && results == s.Results:
			return nil
		case err == io.EOF:
			return fmt.Errorf("line %d: the journal has changed while it was read: is its run still active?", n)
		case err != nil:
			return err
		}
		kind, err := kindOf(line)
		switch {
		case err != nil:
			return fmt.Errorf("line %d: %w", n, err)
		case n == 1:
			if err := writeLine(out, begun); err != nil {
				return err
			}
			continue
		case kind == invocations.ResultKind:
			results++
		}
		if kind == invocations.EndKind || s.superseded[n] {
			continue
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
}

// kindOf returns the kind of a line.
func kindOf(line []byte) (string, error) {
	if bytes.HasPrefix(line, []byte(`{"kind":"`+invocations.ResultKind+`"`)) { // most are, and parsing takes time
		return invocations.ResultKind, nil
	}
	var of struct{ Kind string }
	err := json.Unmarshal(line, &of)
	return of.Kind, err
}

func writeLine(out *bufio.Writer, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = out.Write(append(line, '\n'))
	return err
}
