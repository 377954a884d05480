package trace

// zonesBetweenWatches is how many zones pass between two calls of Watcher.Call.
const zonesBetweenWatches = 1 << 14

// Watcher counts the zones of a pass and calls a function now and then, which may end the pass.
type Watcher struct {
	Call  func(zones int64) error // may be nil
	zones int64                   // so far
}

// Seen counts zones. It returns the error of Call, with which the pass is to end.
func (w *Watcher) Seen(zones int) error {
	before := w.zones
	w.zones += int64(zones)
	if w.Call == nil || before/zonesBetweenWatches == w.zones/zonesBetweenWatches {
		return nil
	}
	return w.Call(w.zones)
}
