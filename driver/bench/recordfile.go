package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"zonemark/invocations/files"
)

const maxRecordFileBytes = 512 << 20

// siblingPrefix begins the name of the file that receives a record if the intended file cannot be read. PyBuda's
// benchmark uses the same prefix.
const siblingPrefix = "post_error_"

// Append adds a record to the JSON list in a file and creates the file if it is missing. Existing records keep their
// text. The file is replaced in one step, and writers wait for each other. A file that is not such a list is left as
// it is, and the record goes into post_error_NAME beside it. Append returns the path of the file that has the record,
// and the problem with path, nil if there is none. Where the file system has no locks, the record is in path, and the
// problem is an *files.UnsupportedError: others who write at the same time may lose theirs.
func Append(ctx context.Context, path string, record any) (written string, problem, err error) {
	text, err := json.Marshal(record)
	if err != nil {
		return "", nil, fmt.Errorf("record of the benchmark: %w", err)
	}
	unlocked, problem := appendTo(ctx, path, text)
	switch {
	case problem == nil:
		return path, unlocked, nil
	case ctx.Err() != nil:
		return path, nil, problem
	}
	sibling := filepath.Join(filepath.Dir(path), siblingPrefix+filepath.Base(path))
	if _, err := appendTo(ctx, sibling, text); err != nil {
		return "", problem, errors.Join(problem, fmt.Errorf("the record is in no file: %w", err))
	}
	return sibling, problem, nil
}

// appendTo adds a record to one file. unlocked is what openLocked says.
func appendTo(ctx context.Context, path string, record []byte) (unlocked, err error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	f, unlock, unlocked, err := openLocked(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	data, err := io.ReadAll(io.LimitReader(f, maxRecordFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	list, err := ReadList(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := files.Write(path, 0o644, writeList(append(list, record))); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return unlocked, nil
}

// ReadList returns the records of a file, each as its text. An empty file has no records.
func ReadList(data []byte) ([]json.RawMessage, error) {
	if len(data) > maxRecordFileBytes {
		return nil, fmt.Errorf("larger than %d MiB: not a list of records", maxRecordFileBytes>>20)
	}
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return nil, nil
	}
	if data[0] != '[' {
		return nil, errors.New("not a JSON list of records; name another file, or mend this one")
	}
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("not a JSON list of records (%w); name another file, or mend this one", err)
	}
	return list, nil
}

// writeList returns the text of a list, with one record per line.
func writeList(list []json.RawMessage) []byte {
	var b bytes.Buffer
	b.WriteString("[")
	for i, record := range list {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n")
		b.Write(record)
	}
	b.WriteString("\n]\n")
	return b.Bytes()
}

// openLocked opens a file, creates it if it is missing, and locks it. If another writer replaced the file before the
// lock was obtained, openLocked tries again, so that the path names the file while the lock is held. Where there are no
// locks, it goes on without one, and unlocked says why.
func openLocked(ctx context.Context, path string) (f files.File, unlock func() error, unlocked, err error) {
	for end := time.Now().Add(files.WriterPatience); ; {
		f, err := files.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, nil, nil, err
		}
		release, err := files.Await(ctx, f, time.Until(end))
		if unsupported := new(files.UnsupportedError); errors.As(err, &unsupported) {
			return f, f.Close, unsupported, nil
		}
		if err == nil {
			if current(f, path) {
				return f, func() error { return errors.Join(release(), f.Close()) }, nil, nil
			}
			err = release()
			if err == nil && time.Now().After(end) {
				err = files.ErrLocked
			}
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, nil, nil, err
		}
	}
}

// current reports whether a path still names an open file.
func current(f files.File, path string) bool {
	open, err := f.Stat()
	named, missing := os.Stat(path)
	return err == nil && missing == nil && os.SameFile(open, named)
}
