// Package driver plans invocations, has them measured by executors in child processes or on other machines, and keeps the journal. It parses
// no file of any runtime and knows neither native code nor traces.
package driver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"

	"zonemark/driver/files"
	"zonemark/invocations"
)

// Header is what a journal says about the run that writes it. Kind and Version are filled in by the journal.
type Header = invocations.Header

// Journal is an append-only file of JSON lines: a header, one line for each result, an end line with counts. It is locked against a second
// writer for as long as it is open, and safe for use by several goroutines.
//
// Each line goes to the kernel with one write, so that a run that is killed at any byte leaves whole lines and at most one torn one. The
// header and the end line are followed by fsync, results are not: a power failure may cost the last results, never the form of the file.
type Journal struct {
	// Notes are what a user should know about the opening of the journal, a sentence each.
	Notes []string

	path    string
	file    *os.File
	regular bool // not a pipe or a device: can be locked, cut back and synced
	unlock  func() error

	mu       sync.Mutex
	size     int64 // bytes of whole lines; of regular files only
	results  int
	byStatus map[invocations.Status]int
}

// CreateJournal opens a new journal and writes its header, so that an unwritable place shows before anything is measured. A file that holds
// something is refused unless overwrite is set.
func CreateJournal(path string, h Header, overwrite bool) (*Journal, error) {
	j, err := openJournal(path, os.O_WRONLY|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err := j.create(h, overwrite); err != nil {
		return nil, errors.Join(err, j.release())
	}
	return j, nil
}

func (j *Journal) create(h Header, overwrite bool) error {
	if j.regular {
		info, err := j.file.Stat()
		if err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		if info.Size() > 0 && !overwrite {
			return fmt.Errorf("journal %s: exists and is not empty: continue it with --resume, replace it with --overwrite, or name another file", j.path)
		}
		if err := j.file.Truncate(0); err != nil {
			return fmt.Errorf("journal: %w", err)
		}
	}
	return j.writeHeader(h, invocations.HeaderKind)
}

// openJournal opens and locks the file without changing it, creating it when flags ask for that.
func openJournal(path string, flags int) (*Journal, error) {
	f, err := os.OpenFile(path, flags|os.O_APPEND, 0o666)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("journal: %w", err), f.Close())
	}
	j := &Journal{
		path: path, file: f, regular: info.Mode().IsRegular(),
		unlock: func() error { return nil }, byStatus: map[invocations.Status]int{},
	}
	if !j.regular {
		return j, nil
	}
	unlock, err := files.Lock(f)
	var unsupported *files.UnsupportedError
	switch {
	case errors.As(err, &unsupported):
		j.Notes = append(j.Notes, fmt.Sprintf("journal %s: the file system has no locks (%v): make sure that no other run writes to it", path, unsupported.Err))
	case err != nil:
		return nil, errors.Join(fmt.Errorf("journal %s: %w", path, err), f.Close())
	default:
		j.unlock = unlock
	}
	return j, nil
}

// Append writes one result. When the disk is full it cuts the file back to its last whole line, so that the journal stays valid; a later Append
// may be tried when there is room again.
func (j *Journal) Append(r invocations.Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	r.Kind = invocations.ResultKind
	if err := j.writeLine(r); err != nil {
		return fmt.Errorf("result of invocation %s (%s) not written: %w", r.ID, r.Name, err)
	}
	j.count(r.Status)
	return nil
}

// count counts a result line for the end line.
func (j *Journal) count(s invocations.Status) {
	j.results++
	j.byStatus[s]++
}

// Close closes the journal and gives up the lock. With end, the run came to its end: the end line is written and everything synced first.
func (j *Journal) Close(end bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var err error
	if end {
		err = j.writeLine(invocations.End{Kind: invocations.EndKind, Results: j.results, ByStatus: j.byStatus})
	}
	if j.regular {
		if sync := j.file.Sync(); sync != nil && err == nil {
			err = fmt.Errorf("journal: %w", sync)
		}
	}
	return errors.Join(err, j.release())
}

// release closes the file and gives up the lock.
func (j *Journal) release() error {
	return errors.Join(j.unlock(), j.file.Close())
}

func (j *Journal) writeHeader(h Header, kind string) error {
	h.Kind, h.Version = kind, invocations.JournalVersion
	if err := j.writeLine(h); err != nil {
		return err
	}
	if !j.regular {
		return nil
	}
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// writeLine appends v as one line. A regular file holds the whole line afterwards, or nothing of it and an error says why.
func (j *Journal) writeLine(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("journal %s: %w", j.path, err)
	}
	line = append(line, '\n')
	n, err := j.file.Write(line)
	if err == nil {
		j.size += int64(n)
		return nil
	}
	if j.regular && n > 0 {
		if cut := j.file.Truncate(j.size); cut != nil {
			return fmt.Errorf("journal %s: %w; its last line is torn (%w), which --resume repairs", j.path, err, cut)
		}
	}
	if isFull(err) {
		return fmt.Errorf("journal %s: no room on the disk or within the file size limit: %w; what is written so far (%d results) is valid: "+
			"make room and continue with --resume", j.path, err, j.results)
	}
	return fmt.Errorf("journal %s: %w; what is written so far (%d results) is valid: continue with --resume", j.path, err, j.results)
}

func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, io.ErrShortWrite)
}
