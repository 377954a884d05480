package invocations

// FirstCalls are what the first calls of a launch have shown.
type FirstCalls struct {
	// FirstNS is the CPU time of the first call of a launch, without page faults; 0: nobody has looked. Of several launches,
	// it is their median.
	FirstNS float64
	// EarlyNS is the median time of a call in the first batches of a launch, with overhead, before its calls were steady; 0:
	// nobody has looked.
	EarlyNS float64
	// ReadsClock reports that a call has read the processor's clock: it may wait until a time of day, which takes as long
	// at any clock of its core.
	ReadsClock bool
}

// RecordedFirstCall is what the first call of a launch has shown.
type RecordedFirstCall struct {
	// FirstCallNS is the CPU time of the first call of a launch, without page faults, if later calls take less than half of
	// it: they find what earlier ones have left outside of their arguments.
	FirstCallNS *float64 `json:"first_call_ns,omitempty"`
	// ReadsClock is true if a call has read the processor's clock: it may wait until a time of day.
	ReadsClock bool `json:"reads_clock,omitempty"`
}

const (
	longFirst   = 2      // as many times as long as later calls
	longFirstNS = 75_000 // and by so much: loading code, resolving names and filling caches takes less
)

// LongFirst reports whether the first call of a launch takes so much longer than later ones that what these are spared must
// be the work: they find what earlier calls have left outside of their arguments, which is not restored.
func (r *Result) LongFirst() bool {
	later := r.Summary.MedianNS + r.OverheadNS
	return r.FirstNS > longFirst*later && r.FirstNS > later+longFirstNS
}
