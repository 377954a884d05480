package trace

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"zonemark/invocations/files"
)

// A File is an open capture. Zones, messages and the other streams are read from the file anew each time they are asked
// for, so that memory holds only strings and side tables. Its methods may be called from several goroutines.
type File struct {
	tables
	container *container
	closer    io.Closer
	zoneCount int64

	mu    sync.Mutex
	open  *cursor // after the tables, where Open stopped; the first pass over the zones goes on from there
	gpuAt int64   // offset of the GPU zones, once a pass has seen it
	// gpuCount is how many the file announces there; 0 until a pass has come by, unknownCount if the file ends before.
	gpuCount int64
	places   []int32 // see repeats
	closed   bool
}

// Info describes a capture as a whole.
type Info struct {
	Version      [3]uint8 // of the format: of the Tracy that wrote the file
	Program      string
	Host         string // several lines: system, compiler, user, CPU …
	CaptureName  string
	CaptureTime  time.Time // when it began
	PID          uint64
	OnDemand     bool  // the program records only while somebody captures
	ResolutionNS int64 // of its clock
	LastTimeNS   int64 // of its last event
	FileSize     int64 // bytes
	Compression  string
	Streams      int

	ZoneCount    int64 // as the file says before it lists them
	MessageCount int64
	FrameCount   int64 // in all frame sets
	ThreadCount  int   // with index 0, which stands for no thread
	StringCount  int

	// Warnings say what is wrong with the capture although it can be read. A pass over the zones may add some.
	Warnings []string
	// Partial is set when something is missing: the file was cut, Tracy stopped with an "instrumentation failure", or
	// the program crashed. Zones that were still open at the end are a warning only, because threads of many programs
	// never close their outermost zone.
	Partial bool
}

// captureIn returns the path of the first capture in a folder, as the end of a message; empty if there is none.
func captureIn(folder string) string {
	found, err := filepath.Glob(filepath.Join(folder, "*.tracy"))
	if err != nil || len(found) == 0 {
		return ""
	}
	return ", such as " + found[0]
}

// Open reads the tables of a capture, up to its zones. Errors about the content are of type *FormatError. The caller
// closes the file, which ends what inflates it in the background.
func Open(path string) (*File, error) { return OpenParts(path, AllParts) }

// OpenParts is Open for those who need only some of what zones have of their own.
func OpenParts(path string, parts Parts) (*File, error) {
	file, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	status, err := file.Stat()
	switch {
	case err != nil:
	case status.IsDir():
		err = fmt.Errorf("%s is a folder; name a capture in it%s", path, captureIn(path))
	case !status.Mode().IsRegular():
		err = fmt.Errorf("%s is not a regular file; a capture is read in several passes", path)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	f, err := read(path, file, status.Size(), parts)
	if err != nil {
		file.Close()
		return nil, err
	}
	f.closer = file
	return f, nil
}

// Read is Open on whatever holds the bytes of a capture. The path stands for it in errors. The file is not closed by
// Close.
func Read(path string, file io.ReaderAt, size int64) (*File, error) {
	return read(path, file, size, AllParts)
}

func read(path string, file io.ReaderAt, size int64, parts Parts) (*File, error) {
	container, err := readContainer(path, file, size)
	if err != nil {
		return nil, err
	}
	f := &File{container: container}
	f.extras.parts = parts
	budget := budgetOf(size)
	c := newCursor(container, &budget)
	f.tables.read(c)
	f.zoneCount = int64(min(c.u64(), math.MaxInt64))
	if c.err != nil {
		c.close()
		return nil, c.err
	}
	f.open = c
	f.describe()
	return f, nil
}

// describe completes the info, and says what the tables already show to be wrong.
func (f *File) describe() {
	info := &f.info
	info.FileSize, info.Streams, info.Compression = f.container.fileSize, f.container.streams, "LZ4"
	if f.container.zstd {
		info.Compression = "zstd"
	}
	info.ZoneCount, info.ThreadCount, info.StringCount = f.zoneCount, len(f.threads), f.strings.count
	if f.container.cut != nil {
		f.missing("%v", f.container.cut)
	}
	if f.crash != (crash{}) {
		f.missing("the program crashed at %d ns in thread %d: %s", f.crash.timeNS, f.crash.thread,
			f.pointers[f.crash.message])
	}
	// Tracy does not store why it stopped, but it stops only here with this many locations: NewSourceLocation and
	// AddSourceLocationPayload in TracyWorker.cpp.
	if static, dynamic := f.static, len(f.locations)-f.static; max(static, dynamic) >= math.MaxInt16 {
		f.missing("instrumentation failure: too many source locations (%d static, %d dynamic); Tracy stopped where "+
			"it ran out of numbers", static, dynamic)
	}
}

// warn notes what is odd. The caller holds mu or is alone.
func (f *File) warn(format string, a ...any) {
	text := fmt.Sprintf(format, a...)
	if !slices.Contains(f.info.Warnings, text) {
		f.info.Warnings = append(f.info.Warnings, text)
	}
}

// missing notes what makes the capture partial. The caller holds mu or is alone.
func (f *File) missing(format string, a ...any) {
	f.warn(format, a...)
	f.info.Partial = true
}

// Info returns what is known so far.
func (f *File) Info() Info {
	f.mu.Lock()
	defer f.mu.Unlock()
	info := f.info
	info.Warnings = slices.Clone(info.Warnings)
	return info
}

// unknownCount stands for a count that the file does not hold any more.
const unknownCount = -1

// HasGPUZones reports whether the file announces GPU zones, or is cut before it could say. It is known after a whole pass
// over the zones, and false before.
func (f *File) HasGPUZones() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.gpuCount != 0
}

// Threads returns the threads by their index. The slice is shared; do not change it.
func (f *File) Threads() []Thread { return f.threads }

// Locations returns all source locations, the static ones first. Zones point into the slice. It is shared; do not
// change it.
func (f *File) Locations() []Location { return f.locations }

// Close ends what runs in the background and closes the file. No iteration may be under way.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	if f.open != nil {
		f.open.close()
		f.open = nil
	}
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// pass begins a pass over the inflated stream, at its beginning.
func (f *File) pass(section string) *cursor {
	budget := budgetOf(f.container.fileSize)
	c := newCursor(f.container, &budget)
	c.section = section
	return c
}
