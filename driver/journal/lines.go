package journal

import (
	"bytes"
	"encoding/json"
	"io"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"zonemark/driver/journal/shortlines"
	"zonemark/driver/jsonshape"
	"zonemark/invocations"
)

// textLine is a line of a journal.
type textLine struct {
	text []byte // with its end, unless it is the last one; valid until its batch is released
	// head is what counts results. It is nil for other lines, and for those that do not parse.
	head *resultHead
	// result is what the line holds; nil if nobody needs it now.
	result *shortlines.Line
}

// resultHead is what is read of every result.
type resultHead struct {
	id       string
	name     string // empty if nobody selects results by it
	status   invocations.Status
	common   int
	partial  bool // the trace is not whole
	replaces string
	group    string
	place    int // in the plan, from 1; 0: it is not known
}

// lineBatch are lines that one goroutine parses.
type lineBatch struct {
	buffer []byte
	lines  []textLine
	err    error // behind the lines: io.EOF, or that of reading
	parsed chan struct{}
}

// batchBytes is about how many bytes a batch has. A line may be longer.
const batchBytes = 256 << 10

// lineReader reads the lines of a journal in a goroutine and parses them in others, since parsing takes most of the time.
type lineReader struct {
	in      io.Reader
	rest    []byte // behind the last line end that was read
	reading Reading
	cut     bool             // most of the lists that have a value for each batch are left out
	shape   jsonshape.Object // of results
	buffers sync.Pool        // of batches that were released
}

// batches returns the batches in their order, each before it is parsed. The channel ends behind a batch with an error, or
// when done is closed.
func (l *lineReader) batches(done <-chan struct{}) <-chan *lineBatch {
	batches := make(chan *lineBatch, runtime.GOMAXPROCS(0))
	go func() {
		defer close(batches)
		for first := true; ; first = false {
			b := l.batch()
			go b.parse(l, first)
			select {
			case batches <- b:
			case <-done:
				return
			}
			if b.err != nil {
				return
			}
		}
	}()
	return batches
}

// batch reads whole lines. Only the last batch, with an error, may end with a line without an end.
func (l *lineReader) batch() *lineBatch {
	b := &lineBatch{parsed: make(chan struct{})}
	if reused, ok := l.buffers.Get().(*[]byte); ok {
		b.buffer = *reused
	}
	b.buffer = append(b.buffer[:0], l.rest...)
	end := 0
	for end == 0 && b.err == nil {
		from := len(b.buffer)
		b.buffer = slices.Grow(b.buffer, batchBytes)
		n, err := io.ReadFull(l.in, b.buffer[from:from+batchBytes])
		if b.err = err; err == io.ErrUnexpectedEOF {
			b.err = io.EOF
		}
		b.buffer = b.buffer[:from+n]
		end = from + bytes.LastIndexByte(b.buffer[from:], '\n') + 1
		if end == from { // the rest has no line end either
			end = 0
		}
	}
	if b.err != nil {
		end = len(b.buffer)
	}
	l.rest = append(l.rest[:0], b.buffer[end:]...)
	for text := range bytes.Lines(b.buffer[:end]) {
		b.lines = append(b.lines, textLine{text: text})
	}
	return b
}

// release lets the texts of a batch be overwritten.
func (l *lineReader) release(b *lineBatch) { l.buffers.Put(&b.buffer) }

// parse parses the results. The first line of a journal is a header.
func (b *lineBatch) parse(l *lineReader, first bool) {
	defer close(b.parsed)
	for i := range b.lines {
		if first && i == 0 || !bytes.HasPrefix(b.lines[i].text, []byte(resultStart)) {
			continue
		}
		_ = l.parse(&b.lines[i]) // addResult parses again what does not parse, for the error
	}
}

// parse parses the line of a result. It decodes as little of it as will be needed.
func (l *lineReader) parse(line *textLine) error {
	text := bytes.TrimSuffix(line.text, []byte{'\n'})
	if o := l.reading; o.Each == nil || o.Figures || o.Keep != nil {
		head, short := l.scan(text)
		if head != nil && (o.Each == nil || o.Keep != nil && !o.Keep(head.name)) {
			line.head = head
			return nil
		}
		if head != nil {
			text = short
		}
	}
	result := new(shortlines.Line)
	if err := json.Unmarshal(text, result); err != nil {
		return err
	}
	line.head, line.result = headOf(&result.Record, result.Common), result
	return nil
}

// scan returns what is read of every result, and the line with no more than the reading asks for. The head is nil if the
// line is not of the kind that zonemark writes, so that it must be decoded.
func (l *lineReader) scan(text []byte) (head *resultHead, short []byte) {
	head = &resultHead{}
	short, copied := text, 0 // bytes of text that are in short
	many := false            // samples, so that nothing follows from them
	known := l.shape.Scan(text, func(key string, value []byte) {
		switch key {
		case "id":
			head.id = jsonshape.Text(value)
		case "name":
			if l.reading.Keep != nil {
				head.name = jsonshape.Text(value)
			}
		case "status":
			head.status = invocations.Status(jsonshape.Text(value))
		case "verdict":
			head.partial = isPartial(value)
		case "common":
			head.common = number(value)
		case "replaces":
			head.replaces = jsonshape.Text(value)
		case "group":
			head.group = jsonshape.Text(value)
		case "place":
			head.place = number(value) + 1
		}
		if !l.cut || !invocations.OfBatches(key) || !many && key != invocations.SamplesKey {
			return
		}
		first, cut := firstValues(value)
		if many = many || cut; !cut {
			return
		}
		at := cap(text) - cap(value) // the value is a part of the text
		if copied == 0 {
			short = make([]byte, 0, 1<<10)
		}
		short = append(append(append(short, text[copied:at]...), first...), ']')
		copied = at + len(value)
	})
	if !known {
		return nil, nil
	}
	if copied > 0 {
		short = append(short, text[copied:]...)
	}
	return head, short
}

// briefLine returns the line of a result as a Reading of figures takes it.
func briefLine(shape jsonshape.Object, text []byte) []byte {
	l := lineReader{cut: true, shape: shape}
	if head, short := l.scan(text); head != nil {
		return short
	}
	return text
}

// isPartial reports whether a list of verdicts that has been scanned says that a trace is not whole.
func isPartial(value []byte) bool {
	if !bytes.Contains(value, []byte(invocations.PartialTrace)) && !bytes.Contains(value, []byte{'\\'}) {
		return false
	}
	var verdicts []invocations.Verdict
	_ = json.Unmarshal(value, &verdicts)
	return slices.Contains(verdicts, invocations.PartialTrace)
}

// number returns a number that has been scanned.
func number(value []byte) int {
	n, _ := strconv.Atoi(string(value))
	return n
}

// firstValues returns the beginning of a list with its first values, and reports whether there are more.
func firstValues(list []byte) (beginning []byte, more bool) {
	at := 0
	for range invocations.FewBatches {
		comma := bytes.IndexByte(list[at:], ',')
		if comma < 0 {
			return list, false
		}
		at += comma + 1
	}
	return list[:at-1], true
}

func headOf(r *invocations.Record, common int) *resultHead {
	head := &resultHead{
		id: r.ID, name: r.Name, status: r.Status, common: common, replaces: r.Replaces, group: r.Group,
		partial: slices.Contains(r.Verdicts, invocations.PartialTrace),
	}
	if r.Place != nil {
		head.place = *r.Place + 1
	}
	return head
}
