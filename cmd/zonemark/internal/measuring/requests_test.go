package measuring

import (
	"testing"

	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/suite"
)

// TestWhereOfParts: the position of a request tells its suite, also while requests are made, and other requests have no
// place.
func TestWhereOfParts(t *testing.T) {
	read := func(name, text string) part {
		s, err := suite.ParseText(name, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		return part{s, s.Points(invocations.Invocation{}, nil)}
	}
	alone := part{requests: plan.RequestList(make([]invocations.Invocation, 2))}
	f := &Task{}
	requests := f.join([]part{
		read("a.toml", "[[invocation]]\nartifact = 'a.hat'\naxes.M = [1, 2]\n"), alone,
		read("b.toml", "[[invocation]]\n\nartifact = 'b.hat'\n"), alone,
	})
	const a, b = "a.toml:2: invocation.artifact", "b.toml:3: invocation.artifact"
	want := []string{a, a, "", "", b, "", ""}
	for range 2 { // the same each time
		position := 0
		for _, err := range requests {
			if err != nil || position == len(want) {
				t.Fatalf("request %d: %v", position, err)
			}
			if got := f.where(position, "", "artifact"); got != want[position] {
				t.Errorf("request %d is at %q, want %q", position, got, want[position])
			}
			position++
		}
	}
}
