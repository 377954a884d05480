package invocations

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
