package rounds

import (
	"testing"

	"zonemark/invocations"
)

// Outputs are compared after the batches, but in short launches only if nobody has compared them before.
func TestVerifyAgain(t *testing.T) {
	for _, c := range []struct{ short, trusted, compared bool }{
		{false, false, true}, {false, true, true}, {true, false, true}, {true, true, false},
	} {
		s, _ := scriptedSession(nil, invocations.Measure{})
		compared := false
		s.short, s.trusted = c.short, c.trusted
		s.call.VerifyAgain = func(func(string)) (string, error) {
			compared = true
			return "", nil
		}
		if _, err := s.verifyAgain(func(string) {}); err != nil || compared != c.compared {
			t.Errorf("%+v: compared %t, %v", c, compared, err)
		}
	}
}
