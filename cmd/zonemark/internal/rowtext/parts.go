package rowtext

import (
	"io"
	"runtime"
	"sync"
	"sync/atomic"
)

// maxPartWorkers is how many goroutines make parts of an output at most.
const maxPartWorkers = 4

// partWorkers returns how many goroutines share the work on n parts.
func partWorkers(n int) int { return min(runtime.GOMAXPROCS(0), maxPartWorkers, n) }

// ForParts calls a function for each of the parts 0 to n-1, for several at once, and returns when all are done. Each
// goroutine makes its own function, which may have memory for one part at a time.
func ForParts(n int, makeEach func() func(part int)) {
	var next atomic.Int64
	var working sync.WaitGroup
	for range partWorkers(n) {
		working.Go(func() {
			each := makeEach()
			for part := int(next.Add(1)) - 1; part < n; part = int(next.Add(1)) - 1 {
				each(part)
			}
		})
	}
	working.Wait()
}

// partText is the text of a part, or why there is none.
type partText struct {
	text []byte
	err  error
}

// WriteParts writes the parts 0 to n-1 of a text in their order. It makes several at once: appendPart appends a part to
// a buffer. Each goroutine has two buffers, so that memory is bounded however many parts there are. It ends with the
// first error, of making a part or of writing, and writes nothing behind a part that could not be made.
func WriteParts(w io.Writer, n int, appendPart func(b []byte, part int) ([]byte, error)) error {
	const buffers = 2
	workers := partWorkers(n)
	ready := make([]chan partText, workers) // part i comes from goroutine i modulo workers
	free := make([]chan []byte, workers)
	stop := make(chan struct{})
	var working sync.WaitGroup
	defer working.Wait()
	defer close(stop)
	for k := range workers {
		ready[k], free[k] = make(chan partText, buffers), make(chan []byte, buffers)
		for range buffers {
			free[k] <- nil
		}
		working.Go(func() {
			for part := k; part < n; part += workers {
				var b []byte
				select {
				case <-stop:
					return
				case b = <-free[k]:
				}
				b, err := appendPart(b[:0], part)
				ready[k] <- partText{b, err} // there is room for every buffer
			}
		})
	}
	for part := range n {
		made := <-ready[part%workers]
		if made.err != nil {
			return made.err
		}
		if _, err := w.Write(made.text); err != nil {
			return err
		}
		free[part%workers] <- made.text
	}
	return nil
}
