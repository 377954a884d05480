package measure

import "testing"

// TestUneven measures a function of which one call in ten takes far longer: the time is the mean. It used to be that of the
// others, clean.
func TestUneven(t *testing.T) {
	r := drifting(t, "flushes", "--launches", "4")
	if note := noteOf(r, "not alike: the time is their mean"); note == "" || r.Unevenness == nil || *r.Unevenness < 1.2 {
		t.Errorf("notes %q, unevenness %v", r.Notes, r.Unevenness)
	}
}
