package suite

import (
	"strings"
	"testing"

	"zonemark/invocations"
)

// Points end where their reader stops, also before a name that is taken.
func TestPointsStop(t *testing.T) {
	s, err := ParseText("s.toml", "[[invocation]]\nartifact = 'a.hat'\naxes.M = [1, 2]\n[[invocation]]\nname = 'a/M=2'\n"+
		"artifact = 'b.hat'\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for v, err := range s.Points(invocations.Invocation{}, nil) {
		if err != nil {
			t.Fatal(err)
		}
		if names = append(names, v.Name); len(names) == 2 {
			break
		}
	}
	if got := strings.Join(names, " "); got != "a/M=1 a/M=2" {
		t.Errorf("names %s", got)
	}
	count, last := 0, error(nil)
	for _, err := range s.Points(invocations.Invocation{}, nil) {
		count, last = count+1, err
	}
	want := `s.toml:4: invocation: the name "a/M=2" is taken by the entry on line 1`
	if count != 4 || last == nil || !strings.HasPrefix(last.Error(), want) {
		t.Errorf("%d points, the last is %v, want %s", count, last, want)
	}
}

// Names with equal hashes that differ are distinct.
func TestDistinctNames(t *testing.T) {
	s, err := ParseText("s.toml", "[[invocation]]\nartifact = 'a.hat'\naxes.M = [1, 2]\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	all := func(string) bool { return true }
	if err := s.distinctNames(all, invocations.Invocation{}, func(*invocations.Invocation) {}); err != nil {
		t.Error(err)
	}
}
