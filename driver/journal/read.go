package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"zonemark/driver/journal/shortlines"
	"zonemark/driver/jsonshape"
	"zonemark/invocations"
	"zonemark/invocations/files"
)

// Stored is the content of a journal.
type Stored struct {
	Header  Header
	Resumes []Header            // one per continuation of the run
	Records invocations.Records // in order of their first lines; the last line of an id counts
	Results int                 // result lines
	// Duplicates are the ids with several result lines.
	Duplicates []string
	// Complete tells that the run is complete: the last line is an end line and its counts match the file.
	Complete bool
	// Why is the reason, in words, why the journal is not complete.
	Why string
	// Torn is the last line if it has no line end or does not parse. A run that is killed while it writes leaves such
	// a line. It does not count.
	Torn []byte
	// WholeBytes is the length of the lines that count.
	WholeBytes int64

	byStatus map[invocations.Status]int
	partial  int              // result lines whose trace is not whole
	position map[string]int32 // of an id in Records
	commons  map[int]invocations.Common
	reading  Reading
	index    *lineIndex      // of the results that stay in the file; nil: none do
	twice    map[string]bool // ids in Duplicates
}

// Error is an error at a line of a journal.
type Error struct {
	Path   string // empty if the journal was not read from a file
	Line   int    // 1-based
	Offset int64  // of the line's first byte
	Err    error
}

func (e *Error) Error() string {
	path := e.Path
	if path == "" {
		path = "(input)"
	}
	return fmt.Sprintf("journal %s: line %d (byte %d): %v", path, e.Line, e.Offset, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// headerStart is the beginning of every journal.
const headerStart = `{"kind":"` + invocations.HeaderKind + `"`

// resultStart is the beginning of every line of a result.
const resultStart = `{"kind":"` + invocations.ResultKind + `",`

var (
	errNotJournal = errors.New("not a zonemark journal: it does not begin with " + headerStart)
	errGarbled    = errors.New("garbled line")
)

// Reading tells how a journal is read. The zero value reads all results.
type Reading struct {
	// Keep selects results by their names. Others are counted, but not kept. Several goroutines call it. Nil: all are kept.
	Keep func(name string) bool
	// Each is handed the results with the numbers of their lines, from 1. Records and Duplicates stay empty then. An error
	// ends the reading. Nil: the results are kept.
	Each func(line int, r *invocations.Record) error
	// Figures leaves out most of the lists that have a value for each batch: only their first values are read.
	Figures bool
	// Stored leaves the results in the file, if that is a regular one: each is read when it is asked for. The file may
	// grow, but nothing else may change it while they are in use; see invocations.UnreadableError. Each is not called then.
	Stored bool
}

// InterruptedError tells that a context has ended while a journal was read.
type InterruptedError struct {
	Doing string // what was done with it, as in "read"
	Line  int    // the number of the next line, from 1
	Err   error  // that of the context
}

func (e *InterruptedError) Error() string {
	return fmt.Sprintf("interrupted while it was %s, at line %d", e.Doing, e.Line)
}

func (e *InterruptedError) Unwrap() error { return e.Err }

// ReadFile reads the journal at path; see Read.
func ReadFile(path string) (*Stored, error) {
	return Reading{}.File(context.Background(), path)
}

// File reads the journal at path; see From.
func (o Reading) File(ctx context.Context, path string) (*Stored, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, unopened(err)
	}
	if info, err := f.Stat(); o.Stored && (err != nil || !info.Mode().IsRegular()) {
		o.Stored = false
	}
	c, err := o.From(ctx, f)
	if err == nil && o.Stored {
		c.Records = c.index.records(path, f) // which keeps the file open
		return c, nil
	}
	defer f.Close()
	var at *Error
	if errors.As(err, &at) {
		at.Path = path
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("journal %s: %w", path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("journal %s: %w; when the disk works, read it again, or name another file", path, err)
	}
	return c, nil
}

// Read reads a journal. A torn or garbled last line is not an error; it is kept in Torn. The error is a
// *Error for any other garbled line, a line of unknown kind, an unknown version, or input that is not a journal.
// Input without a whole header is an empty journal, whose Header has no Kind.
func Read(r io.Reader) (*Stored, error) { return Reading{}.From(context.Background(), r) }

// From reads a journal; see Read. When the context ends, reading ends, with an error that wraps that of the
// context.
func (o Reading) From(ctx context.Context, r io.Reader) (*Stored, error) {
	c := &Stored{byStatus: map[invocations.Status]int{}, position: map[string]int32{},
		commons: map[int]invocations.Common{}, Why: "it has no header", reading: o, twice: map[string]bool{}}
	if o.Stored {
		c.index = &lineIndex{}
	}
	lines := &lineReader{in: r, reading: o, shape: jsonshape.Of[shortlines.Line]()}
	done := make(chan struct{})
	defer close(done)
	batches := lines.batches(done)
	garbled := error(nil) // the last line did not parse
	for n := 0; ; {
		var batch *lineBatch
		select {
		case batch = <-batches:
		case <-ctx.Done():
			return nil, &InterruptedError{"read", n + 1, ctx.Err()}
		}
		<-batch.parsed
		last, err := c.addBatch(batch, &n, &garbled)
		if err != nil || last {
			return c.unless(err)
		}
		lines.release(batch)
	}
}

// unless returns the journal unless there was an error.
func (c *Stored) unless(err error) (*Stored, error) {
	if err != nil {
		return nil, err
	}
	if keep := c.reading.Keep; keep != nil && c.index == nil { // the name of a result may have changed
		c.Records.Keep(func(r *invocations.Record) bool { return keep(r.Name) })
	}
	return c, nil
}

// addBatch adds the lines of a batch behind n lines, of which the last one may be garbled. It reports whether they are the
// last ones.
func (c *Stored) addBatch(batch *lineBatch, n *int, garbled *error) (last bool, err error) {
	for _, line := range batch.lines {
		*n++
		if *garbled != nil {
			return true, &Error{Line: *n - 1, Offset: c.WholeBytes, Err: *garbled}
		}
		if !bytes.HasSuffix(line.text, []byte{'\n'}) {
			if batch.err != io.EOF {
				return true, batch.err
			}
			return true, c.setTorn(bytes.Clone(line.text), *n)
		}
		switch parse := c.addLine(line, *n); {
		case parse == nil:
			c.WholeBytes += int64(len(line.text))
		case errors.Is(parse, errGarbled) && *n > 1:
			*garbled, c.Torn = parse, bytes.Clone(bytes.TrimSuffix(line.text, []byte{'\n'}))
			c.Complete, c.Why = false, "its last line is garbled"
		default:
			return true, &Error{Line: *n, Offset: c.WholeBytes, Err: parse}
		}
	}
	if batch.err != nil && batch.err != io.EOF {
		return true, batch.err
	}
	return batch.err != nil, nil
}

// setTorn handles the bytes after the last line end. A torn first line must be the beginning of a header, so that other
// files are not mistaken for journals, or be zeros: these stand for data that was not on the disk when power was lost.
func (c *Stored) setTorn(rest []byte, n int) error {
	if n == 1 && !bytes.HasPrefix(rest, []byte(headerStart)) && !bytes.HasPrefix([]byte(headerStart), rest) &&
		len(bytes.TrimLeft(rest, "\x00")) > 0 {
		return &Error{Line: 1, Err: errNotJournal}
	}
	c.Torn = rest
	c.Complete, c.Why = false, "its last line is torn"
	return nil
}

// addLine adds line n. If the error is errGarbled, the line may be torn.
func (c *Stored) addLine(l textLine, n int) error {
	var kind struct{ Kind string }
	line := l.text
	if l.head != nil { // most are, and parsing a line twice takes time
		kind.Kind = invocations.ResultKind
	} else if err := json.Unmarshal(line, &kind); err != nil {
		if n == 1 {
			return errNotJournal
		}
		return fmt.Errorf("%w: %w", errGarbled, err)
	}
	if n == 1 && kind.Kind != invocations.HeaderKind {
		return errNotJournal
	}
	c.Complete, c.Why = false, "it has no end line: the run was interrupted or is still active"
	switch kind.Kind {
	case invocations.HeaderKind, invocations.ResumeKind:
		return c.addHeader(line, n)
	case invocations.ResultKind:
		return c.addResult(l, n)
	case invocations.CommonKind:
		return c.addCommon(line)
	case invocations.EndKind:
		return c.addEnd(line)
	}
	return fmt.Errorf("a line of unknown kind %q: read it with the zonemark that wrote it", kind.Kind)
}

func (c *Stored) addHeader(line []byte, n int) error {
	var version struct{ Version int } // first, since the header of another version may differ
	if err := json.Unmarshal(line, &version); err != nil {
		return fmt.Errorf("%w: %w", errGarbled, err)
	}
	if version.Version != invocations.JournalVersion {
		return fmt.Errorf("version %d, this zonemark knows version %d: use the zonemark that wrote it",
			version.Version, invocations.JournalVersion)
	}
	var h Header
	if err := json.Unmarshal(line, &h); err != nil {
		return fmt.Errorf("%w: %w", errGarbled, err)
	}
	switch {
	case n == 1:
		c.Header = h
	case h.Kind == invocations.HeaderKind:
		return errors.New("a second header: two journals in one file")
	default:
		c.Resumes = append(c.Resumes, h)
	}
	return nil
}

func (c *Stored) addResult(line textLine, n int) error {
	if line.head == nil {
		short := new(shortlines.Line)
		if err := json.Unmarshal(line.text, short); err != nil {
			return fmt.Errorf("%w: %w", errGarbled, err)
		}
		line.head, line.result = headOf(short), short
	}
	h := line.head
	if _, known := c.commons[h.common]; h.common != 0 && !known {
		return fmt.Errorf("%w: no line of kind %q before it has the number %d", errGarbled, invocations.CommonKind, h.common)
	}
	if h.id == "" || h.status == "" {
		return fmt.Errorf("%w: a result without id or status", errGarbled)
	}
	c.Results++
	c.byStatus[h.status]++
	if h.partial {
		c.partial++
	}
	if c.reading.Each != nil {
		if line.result == nil {
			return nil
		}
		r := c.whole(line.result)
		return c.reading.Each(n, &r)
	}
	return c.keep(line)
}

// keep keeps a result, unless the reading does not need it. It takes the place of an earlier one of the same id, or of
// the one that it replaces.
func (c *Stored) keep(line textLine) error {
	id := line.head.id
	at, twice := c.position[id]
	again := twice
	if old := line.head.replaces; old != "" && !twice {
		if at, again = c.position[old]; again {
			delete(c.position, old)
		}
	}
	if !again {
		at = int32(c.Records.Len())
	}
	switch {
	case c.index != nil:
		if !again {
			at = int32(len(c.index.lines))
		}
		c.index.set(at, c.WholeBytes, line, c.reading.Keep == nil || c.reading.Keep(line.head.name))
	case line.result == nil && !again:
		return nil
	default:
		if line.result == nil { // an earlier result of the id has a name that is kept
			line.result = new(shortlines.Line)
			if err := json.Unmarshal(line.text, line.result); err != nil {
				return fmt.Errorf("%w: %w", errGarbled, err)
			}
		}
		r := c.whole(line.result)
		if again {
			c.Records.Set(int(at), &r)
		} else {
			c.Records.Add(&r)
		}
	}
	c.position[id] = at
	if twice && !c.twice[id] {
		c.twice[id] = true
		c.Duplicates = append(c.Duplicates, id)
	}
	return nil
}

// whole returns the record of a line, whose Common is known.
func (c *Stored) whole(short *shortlines.Line) invocations.Record {
	if short.Common == 0 {
		return short.Own()
	}
	return short.Whole(c.commons[short.Common])
}

// addCommon adds what results behind it have in common.
func (c *Stored) addCommon(line []byte) error {
	var common invocations.Common
	if err := json.Unmarshal(line, &common); err != nil {
		return fmt.Errorf("%w: %w", errGarbled, err)
	}
	if common.Number < 1 {
		return fmt.Errorf("%w: number %d of what is in common, want at least 1", errGarbled, common.Number)
	}
	c.commons[common.Number] = common
	if c.index != nil {
		c.index.addCommon(common)
	}
	return nil
}

func (c *Stored) addEnd(line []byte) error {
	var end invocations.End
	if err := json.Unmarshal(line, &end); err != nil {
		return fmt.Errorf("%w: %w", errGarbled, err)
	}
	if end.Results != c.Results {
		c.Why = fmt.Sprintf("its end line counts %d results, the file holds %d", end.Results, c.Results)
		return nil
	}
	for status, n := range c.byStatus {
		if end.ByStatus[status] != n {
			c.Why = fmt.Sprintf("its end line counts %d results with status %q, the file holds %d",
				end.ByStatus[status], status, n)
			return nil
		}
	}
	c.Complete, c.Why = true, ""
	return nil
}
