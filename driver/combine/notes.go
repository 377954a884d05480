package combine

import (
	"fmt"
	"slices"
)

// AddNew appends the values of from that to does not hold.
func AddNew[T comparable](to *[]T, from []T) {
	for _, v := range from {
		if !slices.Contains(*to, v) {
			*to = append(*to, v)
		}
	}
}

// AddNote adds a note unless it is there already.
func AddNote(notes *[]string, format string, args ...any) {
	AddNew(notes, []string{fmt.Sprintf(format, args...)})
}
