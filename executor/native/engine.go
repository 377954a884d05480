package native

// control is the memory that the engine reads and writes. The assembly takes the offsets of its fields from go_asm.h.
// Like lines, it lies on the Go heap, whose objects do not move, and Run keeps it alive.
type control struct {
	entry            uintptr // the C function
	base, end        uintptr // the ring of frames
	current          uintptr // frame of the next call
	stride           uintptr // bytes from one frame to the next
	stackWords       uintptr // words of a frame that go on the stack
	integers         uintptr // integer registers that hold arguments
	vectors          uintptr // floating-point registers that hold arguments
	flags            uintptr
	calls, batches   uintptr // of this entry
	results          uintptr // address for the ticks of the next batch
	lines, lineCount uintptr // array of Range to evict before each batch
	returnedInt      uintptr
	returnedFloat    uintptr
	prelude          uintptr // calls before each batch that are not timed
	pages, pageCount uintptr // array of addresses of the pages of counters
	counts           uintptr // address for the counts of the next batch, one for each page
}

// maxPages is how many counters the loop reads around a batch.
const maxPages = 8

const (
	flagFull           = 1 << iota // load floating-point registers and stack words
	flagSingle                     // there is one frame only, which registers hold
	flagSerialized                 // wait for each call to retire
	flagCounter                    // read the processor's counter around each batch
	flagFlushOptimized             // amd64: CLFLUSHOPT instead of CLFLUSH
	flagFlushDenormals             // denormal numbers count as zero in the calls
	flagForbidClock                // Linux on amd64: reading the processor's clock is a fault; see CatchClockReads
	flagPointer                    // amd64: calls of a single frame go through a pointer in memory; see SetPlace
)
