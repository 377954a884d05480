package wire

// The messages of a session with a host: another machine, or another place on this one, that starts executors. The
// host says Hello and then Host. Each executor has a stream, whose bytes are the messages that the rest of this package
// is about. A session ends by Goodbye of the driver, or with the connection; with it end its executors.

// Host tells what a host is, after its Hello.
type Host struct {
	Name   string // of the machine, for people
	Folder string // in which the files that are offered get their places
}

// File is a file that a host shall have.
type File struct {
	Path    string // below Host.Folder, with slashes
	SHA256  string // hexadecimal; empty: a symbolic link
	Bytes   int64
	Program bool   // it can be executed
	Link    string // what a symbolic link points to, as it stands
}

// Offer lists files that shall be in their places. Needs answers.
type Offer struct{ Files []File }

// Needs answers an Offer with the hashes of files that the host does not have. If it needs none, all are in their
// places. Pieces, and then the same Offer, are to follow if there are some.
type Needs struct {
	SHA256 []string
	Error  string // one sentence for people; empty when it went well
}

// Piece is the next part of a file that is needed. There is one file at a time; the last piece of it may be empty.
type Piece struct {
	SHA256 string
	Bytes  []byte
	Last   bool
}

// Start starts an executor. Its bytes, or Ended, follow.
type Start struct {
	Stream int64 // number of the executor in this session
	Role   string
	// MemoryBytes and Threads are the limits of the invocations that it will execute; 0: the usual ones.
	MemoryBytes, Threads int64
	Settings             ExecutorSettings
	// PrintsErrors tells that native code prints why it failed. Profile is that of the sandbox, and Allow what it lets
	// native code write. Devices are patterns of files of devices that it may write as well, if the host has them.
	PrintsErrors bool
	Profile      string
	Allow        []string
	Devices      []string
	// Exchange is the number of memory that two executors exchange, 0 if there is none, and ExchangeBytes the size of each
	// of its two parts. The host has the memory until a Start has another number, or the session ends.
	Exchange, ExchangeBytes int64
	// Supervised has the sandbox tell what it refuses of files. It slows calls about files down.
	Supervised bool
}

// ExecutorSettings are what executors of one run have in common.
type ExecutorSettings struct {
	Sandbox, Counters    string
	MemoryBytes, Threads int64    // the usual limits
	Variables            []string // NAME=VALUE, beside those of the host
	Read                 []string // further files and folders that native code may read
	Allow                []string // devices, files and folders of the host that native code may write
	Runtimes             []string // names of those that the executors use
}

// Data are bytes of an executor's stream, in either direction.
type Data struct {
	Stream int64
	Bytes  []byte
	End    bool // no more bytes follow from this side
	// StoppedNS is how long a signal has stopped the executor since Discard.
	StoppedNS int64
	// Discard drops what the executor has written to its standard output and error so far, before it gets the bytes.
	Discard bool
	// Starved tells that the kernel has ended a process which the executor had started, since their memory ran out. Of the
	// bytes that end with these, no answer counts.
	Starved bool
	// Measures tells the host that the executor begins to measure, and is the number of Data with Discard so far, which have
	// something new to do. WorkedNS is the CPU time that the busiest thread of the executor has had since the host was told
	// so; 0: not known.
	Measures, WorkedNS int64
}

// Credit tells the host that bytes of a stream were taken, so that it may send as many more.
type Credit struct {
	Stream int64
	Bytes  int64
}

// Kill ends an executor at once.
type Kill struct{ Stream int64 }

// Ended tells how an executor has ended, or why it did not start. It is the last message of a stream.
type Ended struct {
	Stream      int64
	Signal      string // "SIGSEGV"; empty if it exited by itself
	Code        int64  // exit code if Signal is empty
	MaxRSSBytes int64
	Stderr      []string // its last lines
	Limit       string   // the limit for which it was killed; empty if it was not
	Used        int64
	Allowed     int64
	Own         bool
	StoppedNS   int64  // see Data
	NotStarted  string // one sentence for people; empty if it had started
}

// Tick tells the other side that this one lives, and has a network deliver what it holds back.
// Count is the number of ticks that this side has sent.
type Tick struct{ Count int64 }

// Kind implements Message.
func (*Host) Kind() Kind { return KindHost }

// Kind implements Message.
func (*Offer) Kind() Kind { return KindOffer }

// Kind implements Message.
func (*Needs) Kind() Kind { return KindNeeds }

// Kind implements Message.
func (*Piece) Kind() Kind { return KindPiece }

// Kind implements Message.
func (*Start) Kind() Kind { return KindStart }

// Kind implements Message.
func (*Data) Kind() Kind { return KindData }

// Kind implements Message.
func (*Credit) Kind() Kind { return KindCredit }

// Kind implements Message.
func (*Kill) Kind() Kind { return KindKill }

// Kind implements Message.
func (*Ended) Kind() Kind { return KindEnded }

// Kind implements Message.
func (*Tick) Kind() Kind { return KindTick }
