package journal

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"zonemark/driver/journal/shortlines"
	"zonemark/invocations"
	"zonemark/invocations/files"
)

// Stored is the content of a journal.
type Stored struct {
	Header  Header
	Resumes []Header // one per continuation of the run
	// Records are in order of their first lines; the last line of an id counts. They stay in the file, which may grow,
	// but nothing else may change it until they are closed. What is read from no file is in a temporary one.
	Records *invocations.Records
	Results int // result lines
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
	position map[string]int32 // numbers in store, by id
	reading  Reading
	store    *store
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

// Reading tells how a journal is read. The zero value finds all results.
type Reading struct {
	// Keep selects results by their names. Others are counted, but not kept. Several goroutines call it. Nil: all are kept.
	Keep func(name string) bool
	// Each is handed the results with the numbers of their lines, from 1, as they come. Records and Duplicates stay empty
	// then. An error ends the reading. Nil: Records has the results.
	Each func(line int, r *invocations.Record) error
	// Figures leaves out most of the lists that have a value for each batch: only their first values are read.
	Figures bool
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
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && o.Each == nil {
		c, err := o.read(ctx, f, newStore("journal "+path, whenUnreadable, f, f.Close))
		if err != nil {
			return nil, errors.Join(inFile(ctx, path, err), f.Close())
		}
		return c, nil
	}
	c, err := o.From(ctx, f)
	return c, errors.Join(inFile(ctx, path, err), f.Close())
}

// whenUnreadable tells what to do if a result cannot be read from a journal again.
const whenUnreadable = "; what is written is valid: continue it with --resume, when the disk works"

// inFile returns the error of reading a journal with the path.
func inFile(ctx context.Context, path string, err error) error {
	var at *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &at):
		at.Path = path
		return err
	case ctx.Err() != nil:
		return fmt.Errorf("journal %s: %w", path, err)
	}
	return fmt.Errorf("journal %s: %w; when the disk works, read it again, or name another file", path, err)
}

// Read reads a journal. A torn or garbled last line is not an error; it is kept in Torn. The error is a
// *Error for any other garbled line, a line of unknown kind, an unknown version, or input that is not a journal.
// Input without a whole header is an empty journal, whose Header has no Kind.
func Read(r io.Reader) (*Stored, error) { return Reading{}.From(context.Background(), r) }

// From reads a journal; see Read. When the context ends, reading ends, with an error that wraps that of the
// context.
func (o Reading) From(ctx context.Context, r io.Reader) (*Stored, error) {
	copied := &spool{}
	if o.Each == nil {
		r = io.TeeReader(r, copied)
	}
	c, err := o.read(ctx, r, newSpooled(copied))
	if err != nil {
		return nil, errors.Join(err, copied.Close())
	}
	return c, nil
}

// read reads a journal whose results can be read from a store again.
func (o Reading) read(ctx context.Context, r io.Reader, results *store) (*Stored, error) {
	c := &Stored{byStatus: map[invocations.Status]int{}, position: map[string]int32{}, store: results,
		Why: "it has no header", reading: o, twice: map[string]bool{}}
	lines := &lineReader{in: r, reading: o, cut: o.Figures && o.Each != nil, shape: results.shape}
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
	c.Records = c.store.list(c.store.kept(), c.reading.Figures)
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
	c.store.nextRun()
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
		line.head, line.result = headOf(&short.Record, short.Common), short
	}
	h := line.head
	if _, known := c.store.common(h.common); h.common != 0 && !known {
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
	c.keep(line)
	return nil
}

// keep tells where a result is, unless the reading does not need it. It takes the place of an earlier one of the same
// id, or of the one that it replaces.
func (c *Stored) keep(line textLine) {
	id := line.head.id
	at, twice := c.position[id]
	again := twice
	if old := line.head.replaces; old != "" && !twice {
		if at, again = c.position[old]; again {
			delete(c.position, old)
		}
	}
	if !again {
		at = int32(c.store.len())
	}
	length := int64(len(line.text) - len("\n"))
	if c.reading.Keep != nil && !c.reading.Keep(line.head.name) {
		length = 0
	}
	c.store.set(at, c.WholeBytes, length, line.head)
	c.position[id] = at
	if twice && !c.twice[id] {
		c.twice[id] = true
		c.Duplicates = append(c.Duplicates, id)
	}
}

// InOrder returns the results in the order of the plan. Those of journals of before, which do not know it, stay in
// theirs.
func (c *Stored) InOrder() *invocations.Records {
	numbers := c.store.kept()
	for _, number := range numbers {
		if c.store.lines[number].place == 0 {
			return c.Records
		}
	}
	slices.SortStableFunc(numbers, func(a, b int32) int {
		return cmp.Compare(c.store.lines[a].place, c.store.lines[b].place)
	})
	return c.store.list(numbers, c.reading.Figures)
}

// whole returns the record of a line, whose Common is known.
func (c *Stored) whole(short *shortlines.Line) invocations.Record {
	if short.Common == 0 {
		return short.Own()
	}
	common, _ := c.store.common(short.Common)
	return short.Whole(common)
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
	c.store.addCommon(common)
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
