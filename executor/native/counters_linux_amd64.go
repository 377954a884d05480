package native

// readPages stores the counts of n pages, each a perf_event_mmap_page, with a fence before and after.
//
//go:noescape
func readPages(pages *uintptr, n uintptr, out *uint64)
