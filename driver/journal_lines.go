package driver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"runtime"

	"zonemark/invocations"
)

// journalLine is a line of a journal.
type journalLine struct {
	text []byte // with its end, unless it is the last one
	// result is what a result's line holds; nil for other lines, and for those that do not parse.
	result *invocations.ShortRecord
}

// lineBatch are lines that one goroutine parses.
type lineBatch struct {
	lines  []journalLine
	err    error // behind the lines: io.EOF, or that of reading
	parsed chan struct{}
}

// batchBytes is about how many bytes a batch has. A line may be longer.
const batchBytes = 256 << 10

// readLines reads lines in a goroutine and parses results in others, since parsing takes most of the time of reading.
// The batches come in their order, each before it is parsed. The channel ends behind a batch with an error, or when
// done is closed.
func readLines(r io.Reader, done <-chan struct{}) <-chan *lineBatch {
	batches := make(chan *lineBatch, runtime.GOMAXPROCS(0))
	go func() {
		defer close(batches)
		in := bufio.NewReaderSize(r, 1<<16)
		for first := true; ; first = false {
			b := readBatch(in)
			go b.parse(first)
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

func readBatch(in *bufio.Reader) *lineBatch {
	b := &lineBatch{parsed: make(chan struct{})}
	for size := 0; size < batchBytes; {
		text, err := in.ReadBytes('\n')
		if len(text) > 0 {
			b.lines = append(b.lines, journalLine{text: text})
		}
		if size += len(text); err != nil {
			b.err = err
			return b
		}
	}
	return b
}

// parse parses the results. The first line of a journal is a header.
func (b *lineBatch) parse(first bool) {
	defer close(b.parsed)
	for i := range b.lines {
		one := &b.lines[i]
		if first && i == 0 || !bytes.HasPrefix(one.text, []byte(resultStart)) {
			continue
		}
		result := new(invocations.ShortRecord)
		if json.Unmarshal(one.text, result) == nil {
			one.result = result
		}
	}
}
