package measure

import (
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
)

// TestUneven measures a function of which one call in ten takes far longer: the time is the mean. It used to be that of the
// others, clean.
func TestUneven(t *testing.T) {
	e2e.Tries(func(last bool) bool {
		r := drifting(t, "flushes", "--launches", "4")
		if noteOf(r, "not alike: the time is their mean") != "" && r.Unevenness != nil && *r.Unevenness >= 1.2 {
			return true
		}
		if last {
			t.Errorf("notes %q, unevenness %v", r.Notes, r.Unevenness)
		}
		return false
	})
}
