package operations

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Space is what an operation sweeps: its configurations, and how many a constraint has removed.
type Space struct {
	Configurations []Configuration
	Product        int // configurations before constraints
	Removed        []Removal
}

// Removal is how many configurations a constraint has removed.
type Removal struct {
	Constraint Constraint
	Count      int
}

// productMost bounds the product of the lists of an operation.
const productMost = 10_000_000

// Space spans the space of an operation: the product of its lists over the defaults, the first variable slowest, with
// derived variables filled in and without what a constraint forbids. Nothing left is an error, which says which
// constraint has removed how many.
func (o *Operation) Space() (*Space, error) {
	variables, err := Variables(o.Type)
	if err != nil {
		return nil, fmt.Errorf("operation %s: %w", o.Name, err)
	}
	lists := make([][]float64, len(variables))
	s := &Space{Product: 1}
	for i, v := range variables {
		if lists[i] = v.Default; o.Overrides[v.Name] != nil {
			lists[i] = o.Overrides[v.Name]
		}
		if len(lists[i]) == 0 {
			lists[i] = []float64{math.NaN()}
		}
		if s.Product *= len(lists[i]); s.Product > productMost {
			return nil, fmt.Errorf("operation %s: the lists span more than %d configurations: shorten some", o.Name,
				productMost)
		}
	}
	for _, c := range Constraints() {
		s.Removed = append(s.Removed, Removal{Constraint: c})
	}
	seen := map[string]bool{} // a list may name a value twice
	for at := make([]int, len(lists)); ; {
		c := Configuration{Type: o.Type, Operation: o.Name, Index: len(s.Configurations), variables: variables}
		c.values = make([]float64, len(lists))
		for i, n := range at {
			c.values[i] = lists[i][n]
		}
		c.derive()
		if broken := s.broken(&c); broken >= 0 {
			s.Removed[broken].Count++
		} else if key := c.Key(); !seen[key] {
			seen[key] = true
			s.Configurations = append(s.Configurations, c)
		}
		if !next(at, lists) {
			break
		}
	}
	s.Removed = slices.DeleteFunc(s.Removed, func(r Removal) bool { return r.Count == 0 })
	if len(s.Configurations) == 0 {
		return nil, fmt.Errorf("operation %s: no configuration is left of %d: %s", o.Name, s.Product, s.removals())
	}
	return s, nil
}

// next moves to the next combination, the last list fastest.
func next(at []int, lists [][]float64) bool {
	for i := len(at) - 1; i >= 0; i-- {
		if at[i]++; at[i] < len(lists[i]) {
			return true
		}
		at[i] = 0
	}
	return false
}

// broken returns the place of the first constraint that a configuration breaks, -1 if it keeps all.
func (s *Space) broken(c *Configuration) int {
	return slices.IndexFunc(s.Removed, func(r Removal) bool { return !r.Constraint.kept(c) })
}

// removals says what each constraint has removed.
func (s *Space) removals() string {
	var parts []string
	for _, r := range s.Removed {
		parts = append(parts, fmt.Sprintf("%s removed %d (%s)", r.Constraint.Name, r.Count, r.Constraint.Rule))
	}
	return strings.Join(parts, "; ")
}
