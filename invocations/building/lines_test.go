package building

import (
	"fmt"
	"slices"
	"testing"
)

// Lines are told when they are whole, however they come, and the last line is kept also if nothing ends it.
func TestLines(t *testing.T) {
	var told []string
	lines := &Lines{Told: func(line string) { told = append(told, line) }}
	for _, part := range []string{"one\ntw", "o\r\n", "\n", "three"} {
		if n, err := fmt.Fprint(lines, part); n != len(part) || err != nil {
			t.Fatalf("wrote %d bytes of %q, error %v", n, part, err)
		}
	}
	if want := []string{"one", "two"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	if last, want := lines.Last(), []string{"one", "two", "three"}; !slices.Equal(last, want) {
		t.Errorf("the last lines are %q, want %q", last, want)
	}
}
