package dltest

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Code returns the KiB of a library's mappings that are code and cannot be written, and how many of them no file has.
func Code(t testing.TB, path string) (size, own int) {
	t.Helper()
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	code := false
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if fields := strings.Fields(lines.Text()); strings.Contains(fields[0], "-") {
			code = fields[1] == "r-xp" && filepath.Base(fields[len(fields)-1]) == filepath.Base(path)
		}
		var kilobytes int
		if _, err := fmt.Sscanf(lines.Text(), "Size: %d kB", &kilobytes); err == nil && code {
			size += kilobytes
		}
		if _, err := fmt.Sscanf(lines.Text(), "Anonymous: %d kB", &kilobytes); err == nil && code {
			own += kilobytes
		}
	}
	return size, own
}
