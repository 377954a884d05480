package tracycsv

import (
	"cmp"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"zonemark/trace"
)

// zonesAPipelineBatch is how many zones are handed to another goroutine at once: enough to make what that costs small,
// few enough for the second cache.
const zonesAPipelineBatch = 2048

// maxRowWorkers is how many goroutines make rows at most. Four keep up with the one that walks the zones.
const maxRowWorkers = 4

// csvPipeline makes rows of zones on several processors while others are read, and writes them in the order of the
// zones. Batches of zones go to the workers and, in the same order, to the writer, which reads the rows of each from a
// channel of its own: a worker that is ahead waits there, so that no more than a few batches of rows are held, however
// long the rows are.
type rowPipeline struct {
	form    *tableForm
	w       io.Writer
	work    chan rowBatch        // to whichever worker is free
	ordered chan rowBatch        // to the writer
	zones   chan []trace.RawZone // slices that can be filled again
	rows    chan []byte          // buffers that can be filled again
	failed  atomic.Bool          // writing has
	err     error                // of writing, once the writer has ended
}

// csvRowBatch is some zones and where their rows go.
type rowBatch struct {
	zones []trace.RawZone
	rows  chan []byte // closed behind the last of them
}

// writeZoneRows writes a row for each zone of a capture. The errors are those of writing, and of reading or of who
// watches.
func writeZoneRows(w io.Writer, form *tableForm) (writeErr, readErr error) {
	workers := min(runtime.GOMAXPROCS(0), maxRowWorkers)
	batches := 2*workers + 1 // one that is filled, and for each worker one in work and one that waits
	p := &rowPipeline{form: form, w: w, work: make(chan rowBatch, batches), ordered: make(chan rowBatch, batches),
		zones: make(chan []trace.RawZone, batches), rows: make(chan []byte, 2*batches)}
	var working, writing sync.WaitGroup
	for range workers {
		working.Go(p.format)
	}
	writing.Go(p.write)
	readErr = p.read(batches)
	close(p.work)
	close(p.ordered)
	working.Wait()
	writing.Wait()
	return p.err, readErr
}

// read hands out the zones in batches, until there are no more or nobody wants them.
func (p *rowPipeline) read(batches int) error {
	for range batches - 1 {
		p.zones <- nil
	}
	watch := trace.Watcher{Call: p.form.options.Watch}
	var watched error
	err := p.form.source.WalkRaw(make([]trace.RawZone, 0, zonesAPipelineBatch),
		func(filled []trace.RawZone) []trace.RawZone {
			if watched = watch.Seen(len(filled)); watched != nil || p.failed.Load() {
				return nil
			}
			batch := rowBatch{filled, make(chan []byte, 1)}
			p.ordered <- batch
			p.work <- batch
			next := <-p.zones
			if next == nil {
				next = make([]trace.RawZone, 0, zonesAPipelineBatch)
			}
			return next[:0]
		})
	return cmp.Or(watched, err)
}

// format makes rows, as one of several workers.
func (p *rowPipeline) format() {
	rows := newZoneRows(p.form)
	for batch := range p.work {
		b := p.buffer()
		for i := range batch.zones {
			b = rows.append(b, &batch.zones[i])
			if len(b) >= bufferSize {
				batch.rows <- b
				b = p.buffer()
			}
		}
		p.zones <- batch.zones
		batch.rows <- b
		close(batch.rows)
	}
}

// buffer returns an empty buffer for rows.
func (p *rowPipeline) buffer() []byte {
	select {
	case b := <-p.rows:
		return b[:0]
	default:
		return nil
	}
}

// keep takes a buffer back, unless a long row has made it large.
func (p *rowPipeline) keep(b []byte) {
	if cap(b) > 2*bufferSize {
		return
	}
	select {
	case p.rows <- b:
	default:
	}
}

// write writes the rows of all batches, and takes but drops them once it has failed.
func (p *rowPipeline) write() {
	for batch := range p.ordered {
		for b := range batch.rows {
			if p.err == nil && len(b) > 0 {
				if _, p.err = p.w.Write(b); p.err != nil {
					p.failed.Store(true)
				}
			}
			p.keep(b)
		}
	}
}
