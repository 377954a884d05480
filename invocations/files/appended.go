package files

import "errors"

// Appended is a file to which whole lines are appended, so that a process that is killed leaves whole lines and at most
// one torn line. Only one goroutine at a time may use it.
type Appended struct {
	file File
	size int64 // bytes of whole lines
	cuts bool  // what was not written whole can be cut off
	torn bool  // there are more bytes, of lines that could not be written
}

// Append returns an open file to which lines are appended behind its first size bytes. If cuts is not set, it is a pipe
// or a device, which cannot be truncated.
func Append(f File, size int64, cuts bool) *Appended {
	return &Appended{file: f, size: size, cuts: cuts}
}

// Size returns the number of bytes of whole lines.
func (a *Appended) Size() int64 { return a.size }

// Torn reports whether there are more bytes, since lines were not written whole and could not be cut off. The next
// Write cuts them off first.
func (a *Appended) Torn() bool { return a.torn }

// Write appends lines in one write. After an error, the file has nothing of them, or is Torn.
func (a *Appended) Write(lines []byte) error { return a.write(lines, func() error { return nil }) }

// WriteSynced does what Write does, and the lines are on the disk when it returns.
func (a *Appended) WriteSynced(lines []byte) error { return a.write(lines, a.file.Sync) }

func (a *Appended) write(lines []byte, sync func() error) error {
	if a.torn {
		if err := a.Cut(a.size); err != nil {
			return err
		}
	}
	n, err := a.file.Write(lines)
	if err == nil {
		err = sync()
	}
	if err == nil {
		a.size += int64(n)
		return nil
	}
	if a.cuts && n > 0 {
		err = errors.Join(err, a.Cut(a.size))
	}
	return err
}

// Cut removes what is behind the first size bytes.
func (a *Appended) Cut(size int64) error {
	a.size = size
	err := a.file.Truncate(size)
	a.torn = err != nil
	return err
}
