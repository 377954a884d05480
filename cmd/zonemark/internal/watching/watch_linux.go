// Package watching holds limits of processes from outside, so that native code cannot stop it: memory, threads, files.
// It sees when a process is stopped. It starts none.
package watching

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"zonemark/driver/executors"
	"zonemark/invocations/cgroups"
)

const (
	// familyEvery is for processes that have no limits, but a family that is looked at.
	familyEvery = 100 * time.Millisecond
	// Files are counted more seldom, and so that it takes at most a fraction of the time; but on a slow disk, too, they
	// are counted while they still can be too many.
	filesEvery    = 200 * time.Millisecond
	filesFraction = 20
	filesLatest   = 2 * time.Second
)

// Limits are limits that the kernel does not hold for all users and for all kinds of memory. A watch holds them
// from outside, so that native code cannot stop it.
type Limits struct {
	MemoryBytes int64  // of private and shared memory that is touched, and of files below scratch; 0: none
	Threads     int64  // 0: none
	OfGroup     bool   // threads are limited by what a control group leaves
	Scratch     string // the only folder that the process may write to
	Except      string // a file there that another process writes; may be empty
	// Waits says that the process may be started ahead, and wait while others write to scratch: what it takes counts only
	// once it is given something to do.
	Waits bool
	// family says that a stop of any process that it has started counts as its own.
	Family bool
	// namespace says that the process may be the host of a namespace of processes, as in profile device. What is in
	// there counts.
	Namespace bool
	// build says that the process builds something: what it has started counts, too, where there is no such namespace.
	Build bool
	// Group has the kernel hold the limit of memory, too, in a control group, if one can be made.
	Group bool
}

// Watch watches a process. See executors.Local.WatchBy. Files count that the process writes after Watch has returned.
func (l Limits) Watch(p *os.Process) executors.Watch {
	w := &watch{
		limits: l, process: p, renew: make(chan struct{}, 1), end: make(chan struct{}), stopped: &stoppedTime{},
		exceeded: make(chan executors.Exceeded, 1),
	}
	w.startGroup()
	w.startFiles()
	go w.run()
	return w
}

// watch looks after one process, in a goroutine of its own.
type watch struct {
	limits   Limits
	process  *os.Process
	renewing sync.Mutex // held while the process is killed, so that it is not given something new to do meanwhile
	renew    chan struct{}
	end      chan struct{}
	exceeded chan executors.Exceeded // receives the outcome
	stopped  *stoppedTime
	group    *cgroups.MemoryGroup // nil: none
	inside   []string             // folders in /proc of the processes in the namespace; nil without one
	listed   time.Time

	used     int64 // bytes of memory when it was looked at last
	files    int64 // bytes that it has written to files, when they were counted last
	before   int64 // bytes that were in files when it was given something new to do
	working  bool  // it was given something to do
	hidden   int64 // bytes of files without a name that it holds
	buffers  int64 // bytes that its sockets and pipes may hold
	counted  time.Time
	counting time.Duration // how long it took
}

func (w *watch) Renew() {
	w.stopped.renew()
	w.renewing.Lock()
	defer w.renewing.Unlock()
	select {
	case w.renew <- struct{}{}:
	default: // the watch has not yet taken notice of the last one
	}
}

func (w *watch) Stopped() time.Duration { return w.stopped.total() }

func (w *watch) Starved() bool { return w.killedByGroup().Limit != "" }

func (w *watch) Stop() executors.Exceeded {
	close(w.end)
	exceeded := <-w.exceeded
	if exceeded.Limit == "" {
		exceeded = w.killedByGroup()
	}
	w.endGroup()
	return exceeded
}

func (w *watch) run() {
	exceeded := executors.Exceeded{}
	defer func() { w.exceeded <- exceeded }()
	// An open file stays that of this process, even if its number is used again.
	status, err := os.Open(filepath.Join("/proc", strconv.Itoa(w.process.Pid), "status"))
	if err != nil { // it has ended
		return
	}
	defer status.Close()
	text := make([]byte, 8<<10)
	next := time.NewTimer(quickest)
	defer next.Stop()
	for {
		select {
		case <-w.end:
			return
		case <-w.renew:
			w.begin()
			next.Reset(quickest)
			continue
		case <-next.C:
		}
		n, err := status.ReadAt(text, 0)
		if n == 0 && err != nil { // it has ended
			return
		}
		now := parseStatus(text[:n])
		w.lookInside(&now)
		w.stopped.look(now.stopped || w.limits.Family && familyStopped(w.process.Pid), time.Now())
		if exceeded = w.enforce(now); exceeded.Limit != "" {
			return
		}
		next.Reset(w.pause(now.threads))
	}
}

// waits reports whether the process was started ahead and has nothing to do: no native code runs in it.
func (w *watch) waits() bool { return w.limits.Waits && !w.working }

// begin takes notice that the process was given something new to do.
func (w *watch) begin() {
	w.working = true
	w.startFiles()
}

// enforce returns the limit that the process exceeds, and kills it for that. If the process was given something new to
// do meanwhile, the files may be those of others from before, so the next look decides.
func (w *watch) enforce(s processStatus) executors.Exceeded {
	exceeded := w.compare(s)
	if exceeded.Limit == "" {
		return exceeded
	}
	w.renewing.Lock()
	defer w.renewing.Unlock()
	select {
	case <-w.renew:
		w.begin()
		return executors.Exceeded{}
	default:
	}
	if w.limits.Build { // it leads a process group
		_ = syscall.Kill(-w.process.Pid, syscall.SIGKILL)
	}
	_ = w.process.Kill() // it may have ended
	return exceeded
}

// compare returns the limit that the process exceeds.
func (w *watch) compare(s processStatus) executors.Exceeded {
	l := w.limits
	if l.Threads > 0 && s.threads > l.Threads {
		limit := executors.LimitThreads
		if l.OfGroup {
			limit = executors.LimitGroup
		}
		return executors.Exceeded{Limit: limit, Used: s.threads, Allowed: l.Threads}
	}
	if l.MemoryBytes <= 0 || w.waits() {
		return executors.Exceeded{}
	}
	if exceeded := w.killedByGroup(); exceeded.Limit != "" { // of what it has started
		return exceeded
	}
	if time.Since(w.counted) > min(filesLatest, max(filesEvery, filesFraction*w.counting)) {
		w.countFiles()
	}
	written := max(0, w.files-w.before)
	// Pages of a file without a name count twice if they are mapped as well.
	shared := max(s.sharedBytes, w.hidden)
	kernel := s.tableBytes + w.buffers
	if s.sharedBytes+w.hidden+s.privateBytes+kernel+written > l.MemoryBytes {
		switch {
		case w.inside != nil: // pages that several processes share count several times, too
			s.privateBytes, shared = w.privateInside(), w.sharedInside()
		case s.sharedBytes > 0 && w.hidden > 0:
			shared = s.sharedBytes + w.hidden - w.mappedHidden()
		}
	}
	w.used = s.privateBytes + shared + kernel + written
	if w.used > l.MemoryBytes {
		// An executor in which others have left more than half of the limit ends by itself.
		own := written > l.MemoryBytes/2
		return executors.Exceeded{Limit: executors.LimitMemory, Used: w.used, Allowed: l.MemoryBytes, Own: own}
	}
	return executors.Exceeded{}
}

// startFiles takes what is in files now as nobody's.
func (w *watch) startFiles() {
	if w.limits.MemoryBytes > 0 {
		w.files = w.scratchBytes()
		w.before = w.files
	}
}

func (w *watch) countFiles() {
	if w.limits.MemoryBytes <= 0 {
		return
	}
	begin := time.Now()
	w.files, w.hidden = w.scratchBytes(), 0
	holds := w.look()
	for _, size := range holds.hidden {
		w.hidden += size
	}
	w.buffers = holds.bufferBytes()
	w.hidden += w.sharedMemoryFiles()
	w.counted = time.Now()
	w.counting = w.counted.Sub(begin)
}

// hiddenFiles returns the sizes of the files without a name that the process holds.
func (w *watch) hiddenFiles() map[hiddenFile]int64 { return w.look().hidden }

// folders returns the folders in /proc of the processes that are watched.
func (w *watch) folders() []string {
	if w.inside != nil {
		return w.inside
	}
	return []string{filepath.Join("/proc", strconv.Itoa(w.process.Pid))}
}

// mappedHidden returns how many bytes of files without a name are mapped and touched. It takes the process's lock of
// its memory for a moment, so it is called only if the limit may be exceeded.
func (w *watch) mappedHidden() int64 {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(w.process.Pid), "smaps"))
	if err != nil {
		return 0
	}
	inodes := map[uint64]bool{}
	for f := range w.hiddenFiles() {
		inodes[f.inode] = true
	}
	return residentOf(text, inodes, "Rss:")
}

// residentOf adds up a size ("Rss:" or "Pss:"), in bytes, of the mappings of some files in the text of /proc/PID/smaps
// (proc_pid_smaps(5)): a line "range mode offset device inode path" and then lines such as "Rss: 4 kB".
func residentOf(text []byte, inodes map[uint64]bool, count string) (total int64) {
	wanted := false
	for line := range bytes.Lines(text) {
		fields := bytes.Fields(line)
		if len(fields) >= 5 && bytes.IndexByte(fields[0], '-') > 0 {
			inode, err := strconv.ParseUint(string(fields[4]), 10, 64)
			wanted = err == nil && inodes[inode]
			continue
		}
		if wanted && len(fields) == 3 && string(fields[0]) == count {
			if kilobytes, err := parseCount(fields[1]); err == nil {
				total += kilobytes << 10
			}
		}
	}
	return total
}

// processStatus is what /proc/PID/status tells of what a process takes.
type processStatus struct {
	stopped      bool // by a signal, or by a tracer
	threads      int64
	privateBytes int64 // resident or swapped
	sharedBytes  int64 // resident, of shared memory
	tableBytes   int64 // of the tables that translate its addresses
}

// parseStatus reads the text of /proc/PID/status (proc_pid_status(5)). A line that is missing or damaged counts as 0: a
// process that is ending has no lines on memory.
func parseStatus(text []byte) (s processStatus) {
	for line := range bytes.Lines(text) {
		name, rest, _ := bytes.Cut(line, []byte(":"))
		fields := bytes.Fields(rest)
		if len(fields) == 0 {
			continue
		}
		if string(name) == "State" { // "T (stopped)", "t (tracing stop)"
			s.stopped = len(fields[0]) == 1 && fields[0][0]|0x20 == 't'
			continue
		}
		n, err := parseCount(fields[0])
		if err != nil {
			continue
		}
		switch string(name) {
		case "Threads":
			s.threads = n
		case "RssAnon", "VmSwap":
			s.privateBytes += n << 10
		case "RssShmem":
			s.sharedBytes = n << 10
		case "VmPTE":
			s.tableBytes = n << 10
		}
	}
	return s
}

// parseCount reads a number of kilobytes or threads.
func parseCount(text []byte) (int64, error) {
	const most = 1 << 50
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err == nil && (n < 0 || n > most) {
		err = errors.New("out of range")
	}
	return n, err
}
