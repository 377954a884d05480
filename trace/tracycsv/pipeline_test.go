package tracycsv

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"testing"

	"zonemark/trace"
	"zonemark/trace/internal/tracytest"
	"zonemark/trace/internal/zonetest"
)

// TestWriteCSVEndsWhereItCannotWrite: reading does not go on, and nothing is written behind the failure.
func TestWriteCSVEndsWhereItCannotWrite(t *testing.T) {
	full := errors.New("the disk is full")
	for _, after := range []int{0, 1, 3} {
		f := zonetest.Open(t, "../testdata/z100k_0112.tracy")
		w := &failingWriter{writes: after, err: full}
		read := int64(0)
		err := Write(w, f, Options{Unwrap: true, Watch: func(zones int64) error { read = zones; return nil }})
		if !errors.Is(err, full) || w.behind > 0 {
			t.Errorf("after %d writes: %v, %d writes behind the failure", after, err, w.behind)
		}
		if read >= f.Info().ZoneCount {
			t.Errorf("after %d writes: all %d zones were read", after, read)
		}
	}
}

// failingWriter fails after some writes.
type failingWriter struct {
	writes int // left
	err    error
	failed bool
	behind int // writes after the failure
}

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.failed {
		w.behind++
	}
	if w.failed = w.writes == 0; w.failed {
		return 0, w.err
	}
	w.writes--
	return len(p), nil
}

// TestLongRows writes rows of which a batch is many times the size of a buffer, on several workers: they come whole and
// in order, and memory follows the buffers, not the rows.
func TestLongRows(t *testing.T) {
	const zones, size = 3 * zonesAPipelineBatch, 100 << 10
	source := longTexts{File: zonetest.Open(t, "../testdata/small_0112.tracy"), zones: zones,
		text: strings.Repeat("x", size)}
	w := &lineChecker{t: t, size: size}
	tracytest.CheckMemory(t, 0, 1, func() {
		if err := writeCapture(w, source, Options{Dialect: "0.14", Unwrap: true}); err != nil {
			t.Error(err)
		}
	})
	if w.lines != zones+1 || w.rest != 0 {
		t.Errorf("%d lines, and %d bytes of one more", w.lines, w.rest)
	}
}

// longTexts is a capture whose zones have long texts. Each begins at its ordinal.
type longTexts struct {
	*trace.File
	zones int64
	text  string
}

func (s longTexts) Extra(uint32) (text, name string, color uint32) { return s.text, "", 0 }

func (s longTexts) WalkRaw(batch []trace.RawZone, each func([]trace.RawZone) []trace.RawZone) error {
	for i := range s.zones {
		batch = append(batch, trace.RawZone{Ordinal: i, StartNS: i, Extra: 1})
		if len(batch) == cap(batch) || i == s.zones-1 {
			if batch = each(batch); batch == nil {
				break
			}
		}
	}
	return nil
}

// lineChecker counts lines, and looks at the length and the start of each behind the header. It holds no more than one
// line.
type lineChecker struct {
	t     *testing.T
	size  int
	lines int
	rest  int    // length of the line that is being written
	begin []byte // of it
}

func (c *lineChecker) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		line, behind, ended := bytes.Cut(rest, []byte("\n"))
		c.begin = append(c.begin, line[:min(len(line), max(0, 200-len(c.begin)))]...)
		c.rest += len(line)
		if rest = behind; !ended {
			break
		}
		if start := strconv.Itoa(c.lines - 1); c.lines > 0 && (c.rest < c.size || strings.Split(string(c.begin),
			",")[3] != start) {
			c.t.Errorf("line %d has %d bytes: %.60s", c.lines, c.rest, c.begin)
		}
		c.lines++
		c.rest, c.begin = 0, c.begin[:0]
	}
	return len(p), nil
}
