package executor

import "zonemark/executor/platform"

// QuietCalls counts the calls during which no thread of the process lost its CPU. It is for calls that no probe
// surrounds, such as those under a profiler. The zero value has counted none.
type QuietCalls struct {
	Made, Quiet int64
	lost        int64        // how often threads have lost their CPUs before the present call
	preemptions func() int64 // nil: those of this process
}

// Begin is called before the first call, and after whatever is no call.
func (q *QuietCalls) Begin() {
	if q.preemptions == nil {
		q.preemptions = platform.ProcessPreemptions
	}
	q.lost = q.preemptions()
}

// Next is called after each call.
func (q *QuietCalls) Next() {
	before := q.lost
	q.Begin()
	q.Made++
	if q.lost == before {
		q.Quiet++
	}
}
