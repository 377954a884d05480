package sandbox

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// limitResources sets soft and hard limits alike, so that native code cannot raise them. The address space is not
// limited: a Go program reserves more than a gigabyte of it. A stricter limit stays. ownUsers reports that the process
// has a user namespace of its own: elsewhere, all processes of its user would count as its threads.
func limitResources(o Options, ownUsers bool) error {
	limits := []struct {
		name     string
		resource int
		value    uint64
		wanted   bool
	}{
		{"core", unix.RLIMIT_CORE, 0, true},
		{"data", unix.RLIMIT_DATA, uint64(o.MemoryBytes + o.MappedBytes), o.MemoryBytes > 0},
		{"threads", unix.RLIMIT_NPROC, uint64(o.Threads), o.Threads > 0 && ownUsers},
		{"file size", unix.RLIMIT_FSIZE, uint64(o.FileBytes), o.FileBytes > 0},
		{"open files", unix.RLIMIT_NOFILE, o.OpenFiles, o.OpenFiles > 0},
	}
	for _, l := range limits {
		if !l.wanted {
			continue
		}
		var had unix.Rlimit
		if err := unix.Getrlimit(l.resource, &had); err != nil {
			return fmt.Errorf("limit of %s: %w", l.name, err)
		}
		value := min(l.value, had.Max)
		if err := unix.Setrlimit(l.resource, &unix.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("limit of %s to %d: %w", l.name, value, err)
		}
	}
	return nil
}
