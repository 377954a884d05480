package arguments

import "fmt"

// Refill gives the first set the contents that it had before the first call. What calls have left in it is gone, also
// in outputs: a call that writes nothing is then seen to write nothing.
func (s *Sets) Refill() error {
	if s.memory == nil {
		return nil
	}
	arrays := s.description.Arrays
	if s.description.WriteHeader != nil {
		s.description.WriteHeader(s, 0)
	}
	for i := range arrays {
		a := &arrays[i]
		if a.scattered() {
			clear(s.Array(0, i))
		}
		if err := a.fill(s.Array(0, i), Seed(s.seed, a.Position, 0, 0)); err != nil {
			return fmt.Errorf("%s: %w", a.Label, err)
		}
	}
	return nil
}
