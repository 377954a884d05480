package dispatchplan

import (
	"errors"
	"fmt"
	"io"
)

// maxPattern bounds the bytes of the pattern of a fill.
const maxPattern = 1 << 10

// heldFile is a file that the module reads while it is loaded.
type heldFile struct {
	path   string    // empty: the data are in the replay file
	inside fileRange // of the replay file
}

// do notes what is done with buffers beside the dispatches of the call.
func (r *replay) do(o Operation) {
	if r.scope == scopeExecution {
		r.pending = append(r.pending, o)
		return
	}
	r.function.Setup = append(r.function.Setup, o)
}

func (r *replay) fill(target bufferRange, slots []bufferRange, pattern fileRange) error {
	to, err := r.resolve(target, slots)
	if err != nil {
		return err
	}
	if pattern.Length > maxPattern {
		return fmt.Errorf("a pattern of %d bytes", pattern.Length)
	}
	bytes, err := r.bytes(pattern, 1)
	if err != nil {
		return fmt.Errorf("pattern: %w", err)
	}
	r.do(Operation{Fill: &Fill{To: to, Pattern: bytes}})
	return nil
}

// copy notes a copy between buffers. A copy to memory that the host makes for it is how the host reads results.
func (r *replay) copy(source, target bufferRange, slots []bufferRange) error {
	from, err := r.resolve(source, slots)
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	read := r.scope == scopeExecution && r.host[target.Buffer] && !r.bound(r.places[target.Buffer])
	if read && len(r.function.Dispatches) > 0 {
		r.output(from)
		return nil
	}
	to, err := r.resolve(target, slots)
	if err != nil {
		return fmt.Errorf("target: %w", err)
	}
	to.Bytes = min(to.Bytes, from.Bytes)
	from.Bytes = to.Bytes
	r.do(Operation{Copy: &Copy{From: from, To: to}})
	return nil
}

// write notes data of the module that become contents of a buffer.
func (r *replay) write(target bufferRange, slots []bufferRange, data fileRange) error {
	to, err := r.resolve(target, slots)
	if err != nil || to.Bytes == 0 {
		return err
	}
	offset, err := r.kept(data)
	if err != nil {
		return err
	}
	if to.Bytes = min(to.Bytes, data.Length); to.Bytes > 0 {
		r.do(Operation{Load: &Load{To: to, Offset: offset}})
	}
	return nil
}

// kept keeps data of the replay file and returns where.
func (r *replay) kept(data fileRange) (int64, error) {
	switch {
	case data.Length != data.Uncompressed:
		return 0, errors.New("compressed data, which is not understood")
	case data.Offset < 0 || data.Length < 0 || data.Length > maxBytes:
		return 0, fmt.Errorf("%d bytes at byte %d of the replay file", data.Length, data.Offset)
	}
	return r.keep(io.NewSectionReader(r.file, data.Offset, data.Length))
}

// imported notes a file from which buffers are read.
func (r *replay) imported(object uint64, p *payload) error {
	switch p.ReferenceType {
	case "inline_bytes":
		r.files[object] = heldFile{inside: p.Reference}
	case "external_path":
		path, err := r.bytes(p.Reference, 1)
		if err != nil {
			return fmt.Errorf("path: %w", err)
		}
		r.files[object] = heldFile{path: string(path)}
	default:
		return fmt.Errorf("a file that is %q, which is not understood", p.ReferenceType)
	}
	return nil
}

// read notes that a part of a file becomes contents of a buffer.
func (r *replay) read(p *payload) error {
	file, known := r.files[p.FileID]
	if !known {
		return fmt.Errorf("file %d was never imported", p.FileID)
	}
	to, err := r.resolve(p.TargetRef, nil)
	switch {
	case err != nil:
		return err
	case p.FileOffset < 0:
		return fmt.Errorf("byte %d of a file", p.FileOffset)
	case file.path != "":
		r.do(Operation{Load: &Load{To: to, File: file.path, Offset: p.FileOffset}})
		return nil
	case p.FileOffset > file.inside.Length || to.Bytes > file.inside.Length-p.FileOffset:
		return fmt.Errorf("%d bytes from byte %d on of a file of %d", to.Bytes, p.FileOffset, file.inside.Length)
	case file.inside.Length != file.inside.Uncompressed:
		return errors.New("compressed data, which is not understood")
	}
	part := fileRange{Offset: file.inside.Offset + p.FileOffset, Length: to.Bytes, Uncompressed: to.Bytes}
	return r.write(p.TargetRef, nil, part)
}

// unmapped notes what the host has written into a buffer that is no input.
func (r *replay) unmapped(line *replayLine) error {
	p := &line.Payload
	place, known := r.places[line.Object]
	if !known || p.Access&memoryWrite == 0 || r.function.Buffers[place].Input != nil || p.ByteOffset < 0 {
		return nil
	}
	at := bufferRange{Buffer: line.Object, Offset: uint64(p.ByteOffset), Length: uint64(max(0, p.DataRange.Length))}
	return r.write(at, nil, p.DataRange)
}
