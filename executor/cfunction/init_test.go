package cfunction

import "testing"

func TestInitConditions(t *testing.T) {
	holds := map[string][3]bool{ // for 1, 2 and 3
		"==": {false, true, false}, "!=": {true, false, true}, "<": {true, false, false}, "<=": {true, true, false},
		">": {false, false, true}, ">=": {false, true, true},
	}
	for relation, want := range holds {
		f := InitFunction{Relation: relation, Bound: 2}
		if got := [3]bool{f.holds(1), f.holds(2), f.holds(3)}; got != want {
			t.Errorf("1, 2, 3 %s 2: %v, want %v", relation, got, want)
		}
	}
}
