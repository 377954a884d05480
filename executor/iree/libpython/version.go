package libpython

import (
	"fmt"
	"strconv"

	"zonemark/invocations/lazyregexp"
)

// Version is a version of Python.
type Version struct {
	Major, Minor int
	FreeThreaded bool // built without the global lock; such a Python needs its own builds of extension modules
}

// String returns the version as Python's installers write it: "3.11", "3.13t".
func (v Version) String() string {
	s := fmt.Sprintf("%d.%d", v.Major, v.Minor)
	if v.FreeThreaded {
		s += "t"
	}
	return s
}

var (
	versionForm    = lazyregexp.New(`^(\d{1,3})\.(\d{1,3})\b`)
	freeThreadedIs = lazyregexp.New(`free-threading build`)
)

// parseVersion reads what Py_GetVersion returns: "3.13.0 (main, Nov 20 2026) [GCC 12.2.0]".
func parseVersion(s string) (Version, error) {
	m := versionForm().FindStringSubmatch(s)
	if m == nil {
		return Version{}, fmt.Errorf("%q is not a Python version", s)
	}
	major, _ := strconv.Atoi(m[1]) // at most a few digits
	minor, _ := strconv.Atoi(m[2])
	return Version{Major: major, Minor: minor, FreeThreaded: freeThreadedIs().MatchString(s)}, nil
}
