// Package driver plans invocations, has them measured by executors in child processes or on other machines, and keeps
// the journal. It parses no file of any runtime and knows neither native code nor traces.
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

// Journal is an append-only file of JSON lines: a header, one line for each result, an end line with counts. It is
// locked against a second writer for as long as it is open, and safe for use by several goroutines.
//
// Opening a journal only looks whether it can be written; Begin writes its first line, and a run that is refused before
// that leaves nothing behind.
//
// Each line goes to the kernel with one write, so that a run that is killed at any byte leaves whole lines and at most
// one torn one. The header and the end line are followed by fsync, results are not: a power failure may cost the last
// results, never the form of the file.
type Journal struct {
	// Notes are what a user should know about the opening of the journal, a sentence each.
	Notes []string

	path    string
	file    *os.File
	regular bool // not a pipe or a device: can be locked, cut back and synced
	created bool // the file was not there before
	unlock  func() error

	mu       sync.Mutex
	begin    func() error // writes the first line of this run; nil when that is written
	size     int64        // bytes of whole lines; of regular files only
	results  int
	byStatus map[invocations.Status]int
}

// CreateJournal opens a new journal, so that an unwritable place shows before anything is measured. A file that holds
// something is refused unless overwrite is set.
func CreateJournal(path string, h Header, overwrite bool) (*Journal, error) {
	j, err := openJournal(path, os.O_WRONLY)
	if err != nil {
		return nil, err
	}
	if err := j.create(h, overwrite); err != nil {
		return nil, errors.Join(err, j.withdraw())
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
			return fmt.Errorf(
				"journal %s: exists and is not empty: continue it with --resume, replace it with --overwrite, "+
					"or name another file",
				j.path,
			)
		}
	}
	j.begin = func() error {
		if j.regular {
			if err := j.file.Truncate(0); err != nil {
				return fmt.Errorf("journal: %w", err)
			}
		}
		return j.writeHeader(h, invocations.HeaderKind)
	}
	return nil
}

// Begin writes the header line, or the line that says that the run is continued, unless that was done before. What is
// measured may begin after it.
func (j *Journal) Begin() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.begun()
}

// begun is Begin under the lock.
func (j *Journal) begun() error {
	if j.begin == nil {
		return nil
	}
	if err := j.begin(); err != nil {
		return err
	}
	j.begin = nil
	return nil
}

// openAttempts is how often a journal is opened that other runs withdraw meanwhile.
const openAttempts = 10

// openJournal opens and locks the file without changing it, creating it when it is missing.
func openJournal(path string, flags int) (*Journal, error) {
	for range openAttempts {
		j, err := lockJournal(path, flags)
		if err != nil || !j.regular {
			return j, err
		}
		if j.inPlace() {
			return j, nil
		}
		if err := j.release(); err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
	}
	return nil, fmt.Errorf("journal %s: other runs create and remove it all the time: name another file", path)
}

// inPlace says whether the path still names the file that was opened: another run may have withdrawn it before we had
// the lock.
func (j *Journal) inPlace() bool {
	opened, err := j.file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(j.path)
	return err == nil && os.SameFile(opened, named)
}

func lockJournal(path string, flags int) (*Journal, error) {
	f, created, err := openOrCreate(path, flags|os.O_APPEND)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("journal: %w", err), f.Close())
	}
	j := &Journal{
		path: path, file: f, regular: info.Mode().IsRegular(), created: created,
		unlock: func() error { return nil }, byStatus: map[invocations.Status]int{},
	}
	if !j.regular {
		return j, nil
	}
	unlock, err := files.Lock(f)
	var unsupported *files.UnsupportedError
	switch {
	case errors.As(err, &unsupported):
		j.Notes = append(
			j.Notes,
			fmt.Sprintf(
				"journal %s: the file system has no locks (%v): make sure that no other run writes to it",
				path,
				unsupported.Err,
			),
		)
	case err != nil:
		return nil, errors.Join(fmt.Errorf("journal %s: %w", path, err), f.Close())
	default:
		j.unlock = unlock
	}
	return j, nil
}

// openOrCreate opens a file and says whether it was not there before.
func openOrCreate(path string, flags int) (f *os.File, created bool, err error) {
	f, err = os.OpenFile(path, flags|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		return f, true, nil
	}
	f, err = os.OpenFile(path, flags|os.O_CREATE, 0o666)
	return f, false, err
}

// Append writes one result. When the disk is full it cuts the file back to its last whole line, so that the journal
// stays valid; a later Append may be tried when there is room again.
func (j *Journal) Append(r invocations.Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	r.Kind = invocations.ResultKind
	if err := j.begun(); err != nil {
		return err
	}
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

// Close closes the journal and gives up the lock. With end, the run came to its end: the end line is written and
// everything synced first. A journal that was not begun is left as it was before, and removed if it was not there.
func (j *Journal) Close(end bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !end && j.begin != nil {
		return j.withdraw()
	}
	err := j.begun()
	if end && err == nil {
		err = j.writeLine(invocations.End{Kind: invocations.EndKind, Results: j.results, ByStatus: j.byStatus})
	}
	if j.regular {
		if sync := j.file.Sync(); sync != nil && err == nil {
			err = fmt.Errorf("journal: %w", sync)
		}
	}
	return errors.Join(err, j.release())
}

// withdraw gives up a journal that was not begun.
func (j *Journal) withdraw() error {
	if !j.created {
		return j.release()
	}
	if os.Remove(j.path) == nil { // while it is locked, so that no other run takes it meanwhile
		return j.release()
	}
	return errors.Join(j.release(), os.Remove(j.path)) // where open files cannot be removed
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

// writeLine appends v as one line. A regular file holds the whole line afterwards, or nothing of it and an error says
// why.
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
		return fmt.Errorf(
			"journal %s: no room on the disk or within the file size limit: %w; "+
				"what is written so far (%d results) is valid: "+
				"make room and continue with --resume",
			j.path,
			err,
			j.results,
		)
	}
	return fmt.Errorf(
		"journal %s: %w; what is written so far (%d results) is valid: continue with --resume",
		j.path,
		err,
		j.results,
	)
}

func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG) || errors.Is(err, syscall.EDQUOT) ||
		errors.Is(err, io.ErrShortWrite)
}
