package capture

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// residentBytes is the physical memory that a process holds; proc(5), statm.
func residentBytes(pid int) (int64, error) {
	path := fmt.Sprintf("/proc/%d/statm", pid)
	b, err := os.ReadFile(path)
	if errors.Is(err, syscall.ESRCH) {
		return 0, os.ErrProcessDone
	}
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(b))
	if len(fields) < 2 {
		return 0, fmt.Errorf("%s: %q has no second field", path, b)
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return pages * int64(os.Getpagesize()), nil
}
