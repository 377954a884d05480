package sandbox

import (
	"fmt"
	"strconv"
	"strings"
)

// idRange is a range of user or group ids that a user namespace maps to themselves. Files keep their owners, and the
// child keeps its id.
type idRange struct{ First, Count int }

// idRanges are the ids of a user namespace.
type idRanges struct {
	users, groups []idRange
	setgroups     bool // setgroups(2) stays allowed, which only a privileged parent may grant
}

// parseIDMap reads the text of /proc/PID/uid_map or gid_map (user_namespaces(7)): lines of three numbers, the first id
// inside, the first id outside, and the count. It returns the ranges inside. The process may pass all of them on to a
// namespace of its own.
func parseIDMap(text string) ([]idRange, error) {
	var ranges []idRange
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			return nil, fmt.Errorf("id map line %d: %q has %d numbers instead of 3", i+1, line, len(fields))
		}
		var n [3]int
		for j, field := range fields {
			v, err := strconv.ParseUint(field, 10, 32)
			if err != nil {
				return nil, fmt.Errorf("id map line %d: %w", i+1, err)
			}
			n[j] = int(v)
		}
		if n[2] == 0 {
			return nil, fmt.Errorf("id map line %d: a range of no ids", i+1)
		}
		ranges = append(ranges, idRange{First: n[0], Count: n[2]})
	}
	return ranges, nil
}
