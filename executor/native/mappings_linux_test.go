package native

import (
	"bytes"
	"fmt"
	"os"
	"testing"
)

// mapping is a line of /proc/self/maps.
type mapping struct {
	end         uintptr
	permissions string // "r-xp"
}

// mappings returns the mappings of this process, by their first address.
func mappings(t *testing.T) map[uintptr]mapping {
	t.Helper()
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	all := map[uintptr]mapping{}
	for line := range bytes.Lines(text) {
		var low uintptr
		var m mapping
		if _, err := fmt.Sscanf(string(line), "%x-%x %s", &low, &m.end, &m.permissions); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all[low] = m
	}
	return all
}

// mapped reports whether a mapping of this process holds an address.
func mapped(t *testing.T, address uintptr) bool {
	t.Helper()
	for low, m := range mappings(t) {
		if low <= address && address < m.end {
			return true
		}
	}
	return false
}
