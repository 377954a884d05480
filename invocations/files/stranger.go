package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ReadStranger returns the contents of a regular file that somebody else may have put there, of at most so many bytes. It
// waits for no pipe. Files of the kernel, to which a link may lead, tell no size, and it reads no more than a file's size:
// some of them have no end, and others wait for what happens next. It returns fs.ErrInvalid for what is no regular file,
// and a *TooLongError.
func ReadStranger(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path) // before it is opened: opening a pipe would wait for a writer
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "read", Path: path, Err: fs.ErrInvalid}
	case info.Size() > most:
		return nil, &TooLongError{Path: path, Bytes: info.Size(), Most: most}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text := make([]byte, info.Size())
	n, err := io.ReadFull(f, text)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) { // it has become shorter
		return nil, err
	}
	return text[:n], nil
}

// TooLongError reports a file that is longer than anything of its kind.
type TooLongError struct {
	Path        string
	Bytes, Most int64
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("%s: it has %d bytes, and at most %d are read", e.Path, e.Bytes, e.Most)
}
