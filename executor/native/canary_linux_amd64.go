package native

// cyclesAt reads the counter whose perf event page is at that address. It returns 0 for the address 0.
func cyclesAt(page uintptr) (count uint64) {
	if page != 0 {
		readPages(&page, 1, &count)
	}
	return count
}
