package suite

import (
	"fmt"

	"zonemark/invocations"
)

// distinctNames returns an error if two points have the same name. It looks only at the names for which suspect returns
// true; nil suspects none.
func (s *Suite) distinctNames(suspect func(name string) bool, base invocations.Invocation,
	override func(*invocations.Invocation)) (err error) {
	if suspect == nil {
		return nil
	}
	lines := map[string]int{} // of entries, by name
	walked := s.walk(base, override, func(v *invocations.Invocation, line int) bool {
		if !suspect(v.Name) {
			return true
		}
		if earlier, taken := lines[v.Name]; taken {
			err = &Error{File: s.File, Line: line, Key: "invocation",
				Err: fmt.Errorf("the name %q is taken by the entry on line %d: give each its own name", v.Name, earlier)}
			return false
		}
		lines[v.Name] = line
		return true
	})
	if walked != nil {
		return walked
	}
	return err
}
