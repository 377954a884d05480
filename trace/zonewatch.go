package trace

// zonesBetweenWatches is how many zones pass between two calls of whoever watches a pass.
const zonesBetweenWatches = 1 << 14

// zoneWatch counts the zones of a pass and lets somebody look now and then, who may end it.
type Watcher struct {
	Call  func(zones int64) error // nil: nobody watches
	zones int64                   // so far
}

// seen counts zones. An error is that of the one who watches.
func (w *Watcher) Seen(zones int) error {
	before := w.zones
	w.zones += int64(zones)
	if w.Call == nil || before/zonesBetweenWatches == w.zones/zonesBetweenWatches {
		return nil
	}
	return w.Call(w.zones)
}
