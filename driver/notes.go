package driver

import (
	"fmt"
	"slices"
)

// addNew appends the values of from that to does not hold.
func addNew[T comparable](to *[]T, from []T) {
	for _, v := range from {
		if !slices.Contains(*to, v) {
			*to = append(*to, v)
		}
	}
}

// addNote adds a note unless it is there already.
func addNote(notes *[]string, format string, args ...any) {
	addNew(notes, []string{fmt.Sprintf(format, args...)})
}
