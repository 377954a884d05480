// Package journal is the store of results, in a file of JSON lines: it writes them, goes on with a file after a run has
// ended, and reads them. Memory holds where each result is. A run that wants no journal has a temporary one. The
// package knows results and nothing of how they are measured.
package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"

	"zonemark/driver/journal/shortlines"
	"zonemark/invocations"
	"zonemark/invocations/files"
)

// Header describes the run that writes a journal. The journal fills in Kind and Version.
type Header = invocations.Header

// Writer is an append-only file of JSON lines: a header, one line per result, and an end line with counts. What
// results have in common stands in lines of its own (invocations.Common). The file is locked against a second writer
// while it is open. Several goroutines may use a Writer at once.
//
// Opening a journal only checks that it can be written. Begin writes the first line, so that a run that is refused
// before that leaves nothing behind.
//
// Each line goes to the kernel in one write, so that a killed run leaves whole lines and at most one torn line. The
// header, the name of the file and the end line are brought to the disk before the run goes on, results are not: a loss
// of power may take the last results of a run that has not ended, but the file stays readable.
type Writer struct {
	// Notes tell what a user should know after the journal was opened, a sentence each.
	Notes []string

	path    string
	file    files.File  // nil: only the spool
	opened  fs.FileInfo // of the file
	regular bool        // not a pipe or a device: it can be locked, truncated and synced
	created bool        // the file was not there before
	unlock  func() error

	mu       sync.Mutex
	begin    func() error    // writes the first line of this run; nil once that is written
	lines    *files.Appended // of the file
	gone     bool            // the file was removed, and the user knows it
	results  int
	byStatus map[invocations.Status]int
	partial  int  // results whose trace is not whole
	long     bool // there are so many results that what they have in common stands once
	commons  commons
	store    *store // of the results; nil: nobody reads them yet
	spool    *spool // has the lines if they cannot be read from the file; nil: they can
	lent     bool   // the store is closed by who reads it
}

// Create opens a new journal, so that an unwritable path is an error before anything is measured. A file that is
// not empty is an error unless overwrite is set.
func Create(path string, h Header, overwrite bool) (*Writer, error) {
	j, err := open(path, os.O_WRONLY)
	if err != nil {
		return nil, err
	}
	if err := j.create(h, overwrite); err != nil {
		return nil, errors.Join(err, j.withdraw())
	}
	return j, nil
}

// Temporary returns a journal that nobody keeps, for runs that shall have none. It does not fail, and has no header.
func Temporary() *Writer {
	j := &Writer{byStatus: map[invocations.Status]int{}, commons: commons{}, spool: &spool{}}
	j.store = newSpooled(j.spool)
	return j
}

// readBack opens the file again, to read the results from it. If it cannot be read, its lines are in a spool, too.
func (j *Writer) readBack() {
	if j.regular {
		if f, err := files.Open(j.path); err == nil {
			if named, err := f.Stat(); err == nil && os.SameFile(named, j.opened) {
				j.store = newStore("journal "+j.path, whenUnreadable, f, f.Close)
				return
			}
			_ = f.Close() // nothing was read from it
		}
	}
	j.spool = &spool{}
	j.store = newSpooled(j.spool)
}

// create prepares an opened journal for a new run.
func (j *Writer) create(h Header, overwrite bool) error {
	if j.regular {
		info, err := j.file.Stat()
		if err != nil {
			return unopened(err)
		}
		if info.Size() > 0 && !overwrite {
			return fmt.Errorf("journal %s: exists and is not empty: continue it with --resume, "+
				"replace it with --overwrite, or name another file", j.path)
		}
	}
	j.readBack()
	j.begin = func() error {
		if j.regular {
			if err := j.lines.Cut(0); err != nil {
				return j.failed("not begun", err)
			}
		}
		return j.writeHeader(h, invocations.HeaderKind)
	}
	return nil
}

// Begin writes the header line, or the resume line of a continued run, unless that was done before. The line is on the
// disk when Begin returns. Begin must come before measuring.
func (j *Writer) Begin() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.begun()
}

// begun does what Begin does; the caller holds the lock.
func (j *Writer) begun() error {
	if j.begin == nil {
		return nil
	}
	if err := j.begin(); err != nil {
		return err
	}
	j.begin = nil
	return nil
}

// openAttempts limits how often a journal is opened again because another run removed it meanwhile.
const openAttempts = 10

// open opens and locks the file without changing it. It creates the file if it is missing.
func open(path string, flags int) (*Writer, error) {
	for range openAttempts {
		j, err := lock(path, flags)
		if err != nil || !j.regular {
			return j, err
		}
		if j.inPlace() {
			return j, nil
		}
		if err := j.release(); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("journal %s: other runs create and remove it all the time: name another file", path)
}

// inPlace reports whether the path still names the opened file. Another run may have removed the file before we got the
// lock.
func (j *Writer) inPlace() bool {
	opened, err := j.file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(j.path)
	return err == nil && os.SameFile(opened, named)
}

// RemovedError tells that the file of a journal has lost its name: what is written to it is lost when it is closed.
type RemovedError struct {
	path    string
	results int
}

func (e *RemovedError) Error() string {
	return fmt.Sprintf("journal %s: it was removed or renamed while this run wrote to it, and its %d results went with it; "+
		"run again with a file that stays", e.path, e.results)
}

// Removed reports whether the file was removed or renamed while this run wrote to it.
func (j *Writer) Removed() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.gone
}

// there returns a *RemovedError, once, if the path does not name the file any more.
func (j *Writer) there() error {
	if !j.regular || j.gone {
		return nil
	}
	named, err := os.Stat(j.path)
	if j.gone = errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(j.opened, named); !j.gone {
		return nil // if that cannot be told, the write tells what is wrong
	}
	return &RemovedError{j.path, j.results}
}

// lock opens and locks the file once.
func lock(path string, flags int) (*Writer, error) {
	f, created, err := openOrCreate(path, flags|os.O_APPEND)
	if err != nil {
		return nil, unopened(err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(unopened(err), f.Close())
	}
	j := &Writer{
		path: path, file: f, opened: info, regular: info.Mode().IsRegular(), created: created,
		unlock: func() error { return nil }, byStatus: map[invocations.Status]int{}, commons: commons{},
	}
	j.lines = files.Append(f, 0, j.regular)
	if !j.regular {
		return j, nil
	}
	unlock, err := files.Lock(f)
	var unsupported *files.UnsupportedError
	switch {
	case errors.As(err, &unsupported):
		j.note("journal %s: the file system has no locks (%v): make sure that no other run writes to it",
			path, unsupported.Err)
	case err != nil:
		return nil, errors.Join(fmt.Errorf("journal %s: %w", path, err), f.Close())
	default:
		j.unlock = unlock
	}
	return j, nil
}

// unopened returns the error of opening a journal, which names the file, with what to do.
func unopened(err error) error {
	if files.IsFull(err) {
		return fmt.Errorf("journal: %w; make room on the disk, or name another file", err)
	}
	return fmt.Errorf("journal: %w; name another file", err)
}

// openOrCreate opens a file and reports whether it created the file.
func openOrCreate(path string, flags int) (f files.File, created bool, err error) {
	f, err = files.OpenFile(path, flags|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		return f, true, nil
	}
	f, err = files.OpenFile(path, flags|os.O_CREATE, 0o666)
	return f, false, err
}

// ShareCommons lets what results have in common stand once, in lines of its own. It comes before the first result.
func (j *Writer) ShareCommons() { j.long = true }

// Count returns the number of results of a status, those of former runs included.
func (j *Writer) Count(of invocations.Status) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.byStatus[of]
}

// Append writes one result. If the disk is full, it truncates the file to its last whole line, so that the journal
// stays valid. Append may be tried again when there is room.
func (j *Writer) Append(r invocations.Record) error {
	_, err := j.add(r)
	return err
}

// add does what Append does, and returns the number of the result in the store.
func (j *Writer) add(r invocations.Record) (number int32, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r.Kind = invocations.ResultKind
	if err := j.begun(); err != nil {
		return 0, err
	}
	line, common := any(&r), 0
	err = j.there()
	if err == nil && j.long {
		var short shortlines.Line
		short, err = j.shorten(&r)
		line, common = short, short.Common
	}
	offset := j.end()
	if err == nil {
		err = j.writeLine(line)
	}
	if err != nil {
		return 0, fmt.Errorf("result of invocation %s (%s) not written: %w", r.ID, r.Name, err)
	}
	j.count(&r)
	return j.store.add(offset, j.end()-offset-int64(len("\n")), headOf(&r, common)), nil
}

// end returns the offset of the next line in what the store reads.
func (j *Writer) end() int64 {
	if j.spool != nil {
		return j.spool.end()
	}
	return j.lines.Size()
}

// shorten returns the line of a result without what it has in common with others. The line that has this stands before
// it.
func (j *Writer) shorten(r *invocations.Record) (shortlines.Line, error) {
	short, common, err := j.commons.shorten(r)
	if err != nil {
		return short, fmt.Errorf("journal %s: %w", j.path, err)
	}
	if common == nil {
		return short, nil
	}
	if err := j.writeLine(common); err != nil {
		return short, err
	}
	j.store.addCommon(*common)
	return short, j.commons.add(*common)
}

// count counts a result for the end line.
func (j *Writer) count(r *invocations.Record) {
	j.results++
	j.byStatus[r.Status]++
	if slices.Contains(r.Verdicts, invocations.PartialTrace) {
		j.partial++
	}
}

// Close closes the journal and releases the lock. All results are on the disk when it returns. If end is set, the run is
// complete, and Close first writes the end line. A journal that was not begun is left unchanged, or removed if this run
// created it.
func (j *Writer) Close(end bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return j.release()
	}
	if !end && j.begin != nil {
		return j.withdraw()
	}
	err := j.begun()
	if err == nil {
		err = j.there()
	}
	if end && err == nil {
		err = j.writeLine(invocations.End{
			Kind: invocations.EndKind, Results: j.results, ByStatus: j.byStatus, PartialTraces: j.partial,
		})
	}
	if j.regular {
		if sync := j.file.Sync(); sync != nil && err == nil {
			err = j.failed("its last results may not be on the disk", sync)
		}
	}
	return errors.Join(err, j.release())
}

// withdraw closes a journal that was not begun and removes it if this run created it.
func (j *Writer) withdraw() error {
	if !j.created {
		return j.release()
	}
	if files.Remove(j.path) == nil { // while it is locked, so that no other run takes it
		return j.release()
	}
	return errors.Join(j.release(), files.Remove(j.path)) // Windows cannot remove open files
}

// release closes the file and releases the lock. The results can still be read if somebody has asked for them.
func (j *Writer) release() error {
	if j.store != nil && !j.lent {
		_ = j.store.close() // nothing is read from it any more
	}
	if j.file == nil {
		return nil
	}
	if err := errors.Join(j.unlock(), j.file.Close()); err != nil {
		return j.failed("its end may not be on the disk", err)
	}
	return nil
}

// note adds a note for the user.
func (j *Writer) note(format string, args ...any) {
	j.Notes = append(j.Notes, fmt.Sprintf(format, args...))
}

// writeHeader writes the first line of a run, of the given kind, and syncs the file and its name, which may be new.
func (j *Writer) writeHeader(h Header, kind string) error {
	h.Kind, h.Version = kind, invocations.JournalVersion
	if err := j.writeLine(h); err != nil {
		return err
	}
	if !j.regular {
		return nil
	}
	err := j.file.Sync()
	if err == nil {
		err = files.SyncName(j.path)
	}
	if err != nil {
		return j.failed("its first line may not be on the disk", err)
	}
	return nil
}

// writeLine appends v as one line. On an error, a regular file has nothing of the line, or the next line cuts off what
// it has.
func (j *Writer) writeLine(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("journal %s: %w", j.path, err)
	}
	line = append(line, '\n')
	if j.file != nil {
		err = j.writeFile(line)
	}
	if err == nil && j.spool != nil {
		_, err = j.spool.Write(line)
	}
	return err
}

// writeFile appends a line to the file.
func (j *Writer) writeFile(line []byte) error {
	err := j.lines.Write(line)
	switch {
	case err == nil:
		return nil
	case j.lines.Torn():
		return j.failed("its last line is torn, which --resume repairs", err)
	}
	return j.failed("a line was not written", err)
}

// failed returns the error of an operation on the journal, with what it means and what to do.
func (j *Writer) failed(what string, err error) error {
	if files.IsFull(err) {
		return fmt.Errorf("journal %s: %s: no room on the disk or within the file size limit: %w; what is written so far "+
			"(%d results) is valid: make room and continue with --resume", j.path, what, err, j.results)
	}
	return fmt.Errorf("journal %s: %s: %w; what is written so far (%d results) is valid: continue with --resume, "+
		"when the disk works", j.path, what, err, j.results)
}
