package executors

import "sync"

// work is the CPU time that the threads of a process have since a moment, as the system tells it.
type work struct {
	times func() map[int]int64 // of each thread, in nanoseconds, by its number; nil if the system does not tell

	mu     sync.Mutex
	before map[int]int64 // at that moment; nil: it has not come
}

// begin sets the moment, unless it has come: code that has taken over a process may say at the end that it begins.
func (w *work) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.before == nil {
		w.before = w.times()
	}
}

// forget has the moment come anew.
func (w *work) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.before = nil
}

// longestNS returns the time of the busiest thread; 0 if that is not known.
func (w *work) longestNS() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.before == nil {
		return 0
	}
	return longestOf(w.before, w.times())
}

// longestOf returns the largest CPU time of a thread between two looks; 0 if nothing is known of the first one.
func longestOf(before, after map[int]int64) (longest int64) {
	if before == nil {
		return 0
	}
	for id, ns := range after {
		longest = max(longest, ns-before[id])
	}
	return longest
}
