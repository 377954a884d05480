package dispatchmode

import (
	"fmt"
	"os"

	"zonemark/executor/iree/dispatchplan"
)

// wholeBuffers returns the buffers that operations write as a whole, so that they need no contents before.
func wholeBuffers(buffers []dispatchplan.Buffer, list []dispatchplan.Operation) map[int]bool {
	whole := map[int]bool{}
	for _, o := range list {
		switch {
		case o.Load != nil:
			whole[o.Load.To.Buffer] = whole[o.Load.To.Buffer] || o.Load.To.Bytes == buffers[o.Load.To.Buffer].Bytes
		case o.Fill != nil:
			whole[o.Fill.To.Buffer] = whole[o.Fill.To.Buffer] || o.Fill.To.Bytes == buffers[o.Fill.To.Buffer].Bytes
		}
	}
	return whole
}

// operate does what a module does with buffers beside the dispatches that are measured.
func (b *bound) operate(list []dispatchplan.Operation) error {
	for i := range list {
		o := &list[i]
		switch {
		case o.Fill != nil:
			fill(b.bytes(o.Fill.To), o.Fill.Pattern)
		case o.Copy != nil:
			copy(b.bytes(o.Copy.To), b.bytes(o.Copy.From))
		case o.Load != nil:
			if err := b.load(o.Load); err != nil {
				return err
			}
		default:
			if err := b.callOnce(o.Dispatch); err != nil {
				return err
			}
		}
	}
	return nil
}

// bytes returns a part of a buffer.
func (b *bound) bytes(r dispatchplan.Range) []byte {
	return b.buffers[r.Buffer][r.Offset : r.Offset+r.Bytes]
}

func fill(to, pattern []byte) {
	for done := copy(to, pattern); done < len(to) && done > 0; {
		done += copy(to[done:], to[:done])
	}
}

// load reads data of the module: weights in files of their own, or what the plan has kept.
func (b *bound) load(l *dispatchplan.Load) error {
	path := l.File
	if path == "" {
		path = b.program.data
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("data of the module: %w; record its dispatches again", err)
	}
	defer f.Close()
	if _, err := f.ReadAt(b.bytes(l.To), l.Offset); err != nil {
		return fmt.Errorf("data of the module: %s, %d bytes from byte %d on: %w; record its dispatches again",
			path, l.To.Bytes, l.Offset, err)
	}
	return nil
}
