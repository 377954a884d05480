package measuring

import (
	"testing"
	"time"
)

// A longer time of a launch gives its executor more time, and a shorter one takes none.
func TestLimitTime(t *testing.T) {
	for _, c := range []struct{ most, least, timeout time.Duration }{
		{10 * time.Millisecond, 10 * time.Millisecond, defaultTimeout},
		{10 * time.Second, defaultMinTime, defaultTimeout},
		{time.Minute, defaultMinTime, 2*time.Minute + defaultTimeout},
	} {
		s := DefaultSettings()
		s.LimitTime(c.most)
		m := s.Base.Measure
		if m.MaxTimeNS != int64(c.most) || m.MinTimeNS != int64(c.least) || s.Base.Limits.TimeoutNS != int64(c.timeout) {
			t.Errorf("%v: %+v, %+v", c.most, m, s.Base.Limits)
		}
	}
}
