package driver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"zonemark/driver/files"
	"zonemark/invocations"
)

// StoredJournal is the content of a journal.
type StoredJournal struct {
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
	each     func(line int, r *invocations.Record) error // is handed the results, which are not kept; nil: they are kept
}

// JournalError is an error at a line of a journal.
type JournalError struct {
	Path   string // empty if the journal was not read from a file
	Line   int    // 1-based
	Offset int64  // of the line's first byte
	Err    error
}

func (e *JournalError) Error() string {
	path := e.Path
	if path == "" {
		path = "(input)"
	}
	return fmt.Sprintf("journal %s: line %d (byte %d): %v", path, e.Line, e.Offset, e.Err)
}

func (e *JournalError) Unwrap() error { return e.Err }

// headerStart is the beginning of every journal.
const headerStart = `{"kind":"` + invocations.HeaderKind + `"`

// resultStart is the beginning of every line of a result.
const resultStart = `{"kind":"` + invocations.ResultKind + `",`

var (
	errNotJournal = errors.New("not a zonemark journal: it does not begin with " + headerStart)
	errGarbled    = errors.New("garbled line")
)

// ReadJournalFile reads the journal at path; see ReadJournal.
func ReadJournalFile(path string) (*StoredJournal, error) { return readJournalFile(path, nil) }

func readJournalFile(path string, each func(line int, r *invocations.Record) error) (*StoredJournal, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, unopened(err)
	}
	defer f.Close()
	c, err := readJournal(f, each)
	var at *JournalError
	if errors.As(err, &at) {
		at.Path = path
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("journal %s: %w; when the disk works, read it again, or name another file", path, err)
	}
	return c, nil
}

// ReadJournal reads a journal. A torn or garbled last line is not an error; it is kept in Torn. The error is a
// *JournalError for any other garbled line, a line of unknown kind, an unknown version, or input that is not a journal.
// Input without a whole header is an empty journal, whose Header has no Kind.
func ReadJournal(r io.Reader) (*StoredJournal, error) { return readJournal(r, nil) }

func readJournal(r io.Reader, each func(line int, r *invocations.Record) error) (*StoredJournal, error) {
	c := &StoredJournal{byStatus: map[invocations.Status]int{}, position: map[string]int32{},
		commons: map[int]invocations.Common{}, Why: "it has no header", each: each}
	done := make(chan struct{})
	defer close(done)
	garbled := error(nil) // the line before this one did not parse
	n := 0
	for batch := range readLines(r, done) {
		<-batch.parsed
		for _, line := range batch.lines {
			n++
			if garbled != nil {
				return nil, &JournalError{Line: n - 1, Offset: c.WholeBytes, Err: garbled}
			}
			if !bytes.HasSuffix(line.text, []byte{'\n'}) {
				if batch.err != io.EOF {
					return nil, batch.err
				}
				return c, c.setTorn(line.text, n)
			}
			switch parse := c.addLine(line, n); {
			case parse == nil:
				c.WholeBytes += int64(len(line.text))
			case errors.Is(parse, errGarbled) && n > 1:
				garbled, c.Torn = parse, bytes.TrimSuffix(line.text, []byte{'\n'})
				c.Complete, c.Why = false, "its last line is garbled"
			default:
				return nil, &JournalError{Line: n, Offset: c.WholeBytes, Err: parse}
			}
		}
		if batch.err != nil && batch.err != io.EOF {
			return nil, batch.err
		}
	}
	return c, nil
}

// setTorn handles the bytes after the last line end. A torn first line must be the beginning of a header, so that other
// files are not mistaken for journals.
func (c *StoredJournal) setTorn(rest []byte, n int) error {
	if n == 1 && !bytes.HasPrefix(rest, []byte(headerStart)) && !bytes.HasPrefix([]byte(headerStart), rest) {
		return &JournalError{Line: 1, Err: errNotJournal}
	}
	c.Torn = rest
	c.Complete, c.Why = false, "its last line is torn"
	return nil
}

// addLine adds line n. If the error is errGarbled, the line may be torn.
func (c *StoredJournal) addLine(l journalLine, n int) error {
	var kind struct{ Kind string }
	line := l.text
	if l.result != nil { // most are, and parsing a line twice takes time
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

func (c *StoredJournal) addHeader(line []byte, n int) error {
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

func (c *StoredJournal) addResult(line journalLine, n int) error {
	short := line.result
	if short == nil {
		short = new(invocations.ShortRecord)
		if err := json.Unmarshal(line.text, short); err != nil {
			return fmt.Errorf("%w: %w", errGarbled, err)
		}
	}
	r := short.Own()
	if short.Common != 0 {
		common, known := c.commons[short.Common]
		if !known {
			return fmt.Errorf("%w: no line of kind %q before it has the number %d", errGarbled, invocations.CommonKind,
				short.Common)
		}
		r = short.Whole(common)
	}
	if r.ID == "" || r.Status == "" {
		return fmt.Errorf("%w: a result without id or status", errGarbled)
	}
	c.Results++
	c.byStatus[r.Status]++
	if slices.Contains(r.Verdicts, invocations.PartialTrace) {
		c.partial++
	}
	if c.each != nil {
		return c.each(n, &r)
	}
	at, again := c.position[r.ID]
	if !again {
		c.position[r.ID] = int32(c.Records.Len())
		c.Records.Add(&r)
		return nil
	}
	c.Records.Set(int(at), &r)
	if !slices.Contains(c.Duplicates, r.ID) {
		c.Duplicates = append(c.Duplicates, r.ID)
	}
	return nil
}

// addCommon adds what results behind it have in common.
func (c *StoredJournal) addCommon(line []byte) error {
	var common invocations.Common
	if err := json.Unmarshal(line, &common); err != nil {
		return fmt.Errorf("%w: %w", errGarbled, err)
	}
	if common.Number < 1 {
		return fmt.Errorf("%w: number %d of what is in common, want at least 1", errGarbled, common.Number)
	}
	c.commons[common.Number] = common
	return nil
}

func (c *StoredJournal) addEnd(line []byte) error {
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
