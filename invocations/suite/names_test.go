package suite

import (
	"runtime"
	"strings"
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/race"
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

// The integers of a range are not kept: a suite with a million of them takes little memory, and the collector has nothing
// to look at.
func TestRangeIsNotListed(t *testing.T) {
	if race.Enabled {
		return // it counts memory
	}
	held := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := held()
	s, err := ParseText("s.toml", "[[invocation]]\nartifact = 'a.hat'\naxes.M = { from = 1, to = 1000000, step = 1 }\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	if taken := int64(held() - before); taken > 1<<20 {
		t.Errorf("a suite of a million points takes %d bytes", taken)
	}
	runtime.KeepAlive(s)
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
