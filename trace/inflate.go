package trace

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// headroom is free space before the content of each inflated block, where the cursor puts what it has not yet read of
// the block before. No record that is read in one piece is longer.
const headroom = 64

// lookAhead is how many blocks are inflated before they are asked for, at most.
const lookAhead = 16

// An inflater inflates the blocks of a container, several at once, and hands them out in the order of the file. Blocks
// are also begun in that order, by workers that take whatever comes next: with a goroutine for each stream, the reader
// waits for the one that was scheduled last while the others have run ahead.
type inflater struct {
	container *container
	streams   []inflatedStream
	running   sync.WaitGroup

	mu       sync.Mutex
	room     sync.Cond           // a buffer or a stream has become free, or all ends
	ready    sync.Cond           // the block that is waited for is inflated
	ring     [lookAhead]inflated // block i is at i modulo lookAhead
	begun    int                 // blocks that a worker has taken
	handed   int                 // blocks that were handed out
	released int                 // blocks whose buffers may be used again
	stopped  bool
}

// inflatedStream is a stream, which one worker at a time inflates.
type inflatedStream struct {
	decoder decoder // made with the first block
	next    int     // block of the stream that comes next
}

// inflated is a block: headroom bytes, then the content. The last one before an error may have no content.
type inflated struct {
	buffer []byte
	err    error
	whole  bool // it has been inflated
}

// inflate starts goroutines; close ends them.
func (c *container) inflate() *inflater {
	f := &inflater{container: c, streams: make([]inflatedStream, min(c.streams, len(c.blocks)))}
	f.room.L, f.ready.L = &f.mu, &f.mu
	for s := range f.streams {
		f.streams[s].next = s
	}
	for range min(runtime.GOMAXPROCS(0), len(f.streams)) {
		f.running.Go(f.work)
	}
	return f
}

// close ends the goroutines and waits for them.
func (f *inflater) close() {
	f.mu.Lock()
	f.stopped = true
	f.room.Broadcast()
	f.mu.Unlock()
	f.running.Wait()
	for _, s := range f.streams {
		if s.decoder != nil {
			s.decoder.close()
		}
	}
}

// block hands out the next block: headroom bytes and the content, which stay as they are until release. After the last
// one it returns io.EOF, after an error that error.
func (f *inflater) block() ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.handed == len(f.container.blocks) {
		return nil, io.EOF
	}
	b := &f.ring[f.handed%lookAhead]
	for !b.whole {
		f.ready.Wait()
	}
	if b.err == nil {
		f.handed++
		b.whole = false
	}
	return b.buffer, b.err
}

// release takes back the buffers of all blocks that were handed out but the last.
func (f *inflater) release() {
	f.mu.Lock()
	f.released = max(0, f.handed-1)
	f.mu.Unlock()
	f.room.Signal()
}

// work inflates one block after the other.
func (f *inflater) work() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		for !f.stopped && f.begun < len(f.container.blocks) && f.begun == f.released+lookAhead {
			f.room.Wait()
		}
		if f.stopped || f.begun >= len(f.container.blocks) {
			return
		}
		i := f.begun
		f.begun++
		s := &f.streams[i%len(f.streams)]
		for !f.stopped && s.next != i {
			f.room.Wait()
		}
		if f.stopped {
			return
		}
		b := &f.ring[i%lookAhead]
		f.mu.Unlock()
		b.err = f.inflateInto(b, s, i)
		f.mu.Lock()
		b.whole = true
		s.next += len(f.streams)
		if b.err != nil {
			f.begun = len(f.container.blocks) // what follows is not asked for
		}
		if i == f.handed {
			f.ready.Signal()
		}
		f.room.Broadcast()
	}
}

// inflateInto inflates block i, of stream s.
func (f *inflater) inflateInto(b *inflated, s *inflatedStream, i int) error {
	if s.decoder == nil {
		s.decoder = f.container.newDecoder(i, len(f.streams))
	}
	if b.buffer == nil {
		b.buffer = make([]byte, headroom+blockSize)
	}
	b.buffer = b.buffer[:headroom+blockSize]
	n, err := s.decoder.decode(i, b.buffer[headroom:])
	if last := len(f.container.blocks) - 1; err == nil && n < blockSize && (i < last || n == 0) {
		err = fmt.Errorf("the block inflates to %d bytes instead of %d", n, blockSize)
	}
	b.buffer = b.buffer[:headroom+n]
	if err != nil {
		return f.container.errorAt(f.container.blocks[i].offset, fmt.Errorf("damaged block: %w", err))
	}
	return nil
}

// A decoder inflates the blocks of one stream in their order.
type decoder interface {
	decode(index int, out []byte) (int, error)
	close()
}

// newDecoder returns the decoder of the stream whose first block is first, and whose others follow every step blocks.
func (c *container) newDecoder(first, step int) decoder {
	source := blockReader{container: c}
	if !c.zstd {
		return &lz4Decoder{source: source}
	}
	blocks := (len(c.blocks)-first-1)/step + 1
	return &zstdDecoder{source: source, length: uint64(blocks) * blockSize}
}

// blockReader reads compressed blocks into a buffer of its own.
type blockReader struct {
	container *container
	buffer    []byte
}

// maxCompressed is more than either compression makes of 64 KiB.
const maxCompressed = 2 * blockSize

func (r *blockReader) read(index int) ([]byte, error) {
	b := r.container.blocks[index]
	if b.size > maxCompressed {
		return nil, fmt.Errorf("%d bytes are too many for a compressed block", b.size)
	}
	if cap(r.buffer) < int(b.size) {
		r.buffer = make([]byte, max(int(b.size), min(2*cap(r.buffer), maxCompressed)))
	}
	r.buffer = r.buffer[:b.size]
	_, err := r.container.file.ReadAt(r.buffer, b.offset)
	return r.buffer, err
}

// lz4Decoder inflates bare LZ4 blocks. Each may refer to the block before it in its stream, which is as far as LZ4
// reaches.
type lz4Decoder struct {
	source     blockReader
	dictionary []byte
}

func (d *lz4Decoder) decode(index int, out []byte) (int, error) {
	in, err := d.source.read(index)
	if err != nil {
		return 0, err
	}
	n, err := lz4.UncompressBlockWithDict(in, out, d.dictionary)
	if err != nil {
		return 0, err
	}
	d.dictionary = append(d.dictionary[:0], out[:n]...)
	return n, nil
}

func (d *lz4Decoder) close() {}

// zstdDecoder inflates one zstd frame that is flushed after each block and never ended.
type zstdDecoder struct {
	source  blockReader
	length  uint64 // of the inflated stream, at most
	frame   *zstd.Decoder
	pending []byte
}

func (d *zstdDecoder) decode(index int, out []byte) (int, error) {
	in, err := d.source.read(index)
	if err != nil {
		return 0, err
	}
	d.pending = in
	if d.frame == nil {
		window, err := boundWindow(in, d.length)
		if err != nil {
			return 0, err
		}
		d.frame, err = zstd.NewReader(d, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(false),
			zstd.WithDecoderMaxWindow(window), zstd.IgnoreChecksum(true))
		if err != nil {
			return 0, err
		}
	}
	n, err := io.ReadFull(d.frame, out)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && err != io.EOF {
		return n, err
	}
	return n, nil
}

// Read hands the current block to the frame decoder, and no more than it.
func (d *zstdDecoder) Read(p []byte) (int, error) {
	if len(d.pending) == 0 {
		return 0, io.EOF
	}
	n := copy(p, d.pending)
	d.pending = d.pending[n:]
	return n, nil
}

func (d *zstdDecoder) close() {
	if d.frame != nil {
		d.frame.Close()
	}
}
