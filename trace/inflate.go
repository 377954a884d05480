package trace

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// headroom is free space before the content of each inflated block, where the cursor puts what it has not yet read of the block before. No record that
// is read in one piece is longer.
const headroom = 64

// lookAhead is how many inflated blocks a stream may be ahead of the cursor.
const lookAhead = 8

// An inflater inflates the blocks of a container, each stream in a goroutine of its own, and hands them out in the order of the file.
type inflater struct {
	container *container
	streams   []inflatedStream
	next      int // block that is handed out next
	stop      chan struct{}
	running   sync.WaitGroup
}

type inflatedStream struct {
	full chan inflated
	free chan []byte
}

// inflated is a block: headroom bytes, then the content. The last one before an error may have no content.
type inflated struct {
	buffer []byte
	err    error
}

// inflate starts goroutines; close ends them.
func (c *container) inflate() *inflater {
	f := &inflater{container: c, stop: make(chan struct{})}
	for range min(c.streams, len(c.blocks)) {
		f.streams = append(f.streams, inflatedStream{make(chan inflated, lookAhead), make(chan []byte, lookAhead+2)})
	}
	for s := range f.streams {
		f.running.Go(func() { f.run(s) })
	}
	return f
}

// close ends the goroutines and waits for them.
func (f *inflater) close() {
	close(f.stop)
	f.running.Wait()
}

// block hands out the next block: headroom bytes and the content. After the last one it returns io.EOF.
func (f *inflater) block() ([]byte, error) {
	if f.next == len(f.container.blocks) {
		return nil, io.EOF
	}
	b := <-f.streams[f.next%len(f.streams)].full
	f.next++
	return b.buffer, b.err
}

// release takes back the buffer of the block that was handed out before the current one.
func (f *inflater) release(buffer []byte, index int) {
	select {
	case f.streams[index%len(f.streams)].free <- buffer[:cap(buffer)]:
	default:
	}
}

// run inflates the blocks of one stream.
func (f *inflater) run(s int) {
	stream := f.streams[s]
	step, last := len(f.streams), len(f.container.blocks)-1
	decoder := f.container.newDecoder(s, step)
	defer decoder.close()
	for i := s; i <= last; i += step {
		var out inflated
		select {
		case out.buffer = <-stream.free:
		default:
			out.buffer = make([]byte, headroom+blockSize)
		}
		out.buffer = out.buffer[:headroom+blockSize]
		n, err := decoder.decode(i, out.buffer[headroom:])
		if err == nil && n < blockSize && (i < last || n == 0) {
			err = fmt.Errorf("the block inflates to %d bytes instead of %d", n, blockSize)
		}
		out.buffer = out.buffer[:headroom+n]
		if err != nil {
			out.err = f.container.errorAt(f.container.blocks[i].offset, fmt.Errorf("damaged block: %w", err))
		}
		select {
		case stream.full <- out:
		case <-f.stop:
			return
		}
		if err != nil {
			return
		}
	}
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

// lz4Decoder inflates bare LZ4 blocks. Each may refer to the block before it in its stream, which is as far as LZ4 reaches.
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
		d.frame, err = zstd.NewReader(d, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(window), zstd.IgnoreChecksum(true))
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
