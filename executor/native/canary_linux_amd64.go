package native

// cyclesAt reads the counter whose perf event page lies there; 0 without one.
func cyclesAt(page uintptr) (count uint64) {
	if page != 0 {
		readPages(&page, 1, &count)
	}
	return count
}
