package wear

import (
	"testing"
	"time"

	"zonemark/invocations/stats"
)

// scripted are batches in a script, which take so long on either contents.
type scripted struct {
	worn        bool
	onWorn, new float64 // ns
	at          time.Time
	order       []bool // of the batches that were made
	until       int    // number of batches from which on both contents take the same time; 0: never
}

func (s *scripted) UseWorn(worn bool) { s.worn = worn }

func (s *scripted) run() (float64, error) {
	ns := s.new
	if s.worn && (s.until == 0 || len(s.order) < s.until) {
		ns = s.onWorn
	}
	s.order, s.at = append(s.order, s.worn), s.at.Add(time.Duration(ns))
	return ns, nil
}

// look returns a look at the script.
func (s *scripted) look(most int, short bool) *Look {
	return &Look{Contents: s, Run: s.run, Now: func() time.Time { return s.at }, Most: most, Short: short}
}

// TestPairs: the sides alternate, and long calls have few pairs.
func TestPairs(t *testing.T) {
	for _, c := range []struct {
		name        string
		worn, fresh float64 // ns of a call
		pairs       int
	}{
		{"short", 500, 100_000, Most}, {"equal", 20_000, 20_000, Most},
		{"a millisecond", 1e3, 20e6, 5}, {"long", 300e6, 400e6, 2}, {"very long", 1e6, 100e9, 1},
	} {
		s := &scripted{onWorn: c.worn, new: c.fresh}
		pairs, err := s.look(Most, false).Pairs()
		if err != nil || len(pairs) != c.pairs {
			t.Errorf("%s: %d pairs, %v; want %d", c.name, len(pairs), err, c.pairs)
		}
		for _, p := range pairs {
			if p != (Pair{WornNS: c.worn, FreshNS: c.fresh}) {
				t.Errorf("%s: %+v", c.name, p)
			}
		}
		if first, last := s.order[0], s.order[len(s.order)-1]; len(pairs)%2 == 0 && first != last {
			t.Errorf("%s: a side is always the first", c.name)
		}
	}
}

// TestShortPairs: a long call counts at once, and others after one that brings back the caches. In a short
// launch, shorter calls are long. A brief look ends with a pair that shows nothing.
func TestShortPairs(t *testing.T) {
	for _, c := range []struct {
		short bool
		most  int
		ns    float64
		calls int // of a side
	}{
		{true, Brief, 110_000, 1}, {true, Brief, 90_000, 3}, {true, Most, 110_000, 1}, {true, Most, 90_000, 3},
		{false, Most, 1_100_000, 2}, {false, Most, 21_000_000, 1},
	} {
		s := &scripted{onWorn: c.ns, new: c.ns}
		pairs, err := s.look(c.most, c.short).Pairs()
		if made := len(s.order); err != nil || (len(pairs) == 1) != (c.most == Brief) || made != 2*c.calls*len(pairs) {
			t.Errorf("%+v: %d pairs in %d calls; %v", c, len(pairs), made, err)
		}
	}
}

// TestMattersTwice: what pairs show must show again, unless a single pair of long calls shows much.
func TestMattersTwice(t *testing.T) {
	for _, c := range []struct {
		worn, fresh float64 // ns of a call
		until       int
		matters     bool
		most        int // batches
	}{
		{150_000, 100_000, 0, true, 2 * Most * 2 * 2}, {150_000, 100_000, Most * 2 * 2, false, 2 * Most * 2 * 2},
		{100_000, 100_000, 0, false, Most * 2 * 2}, {1e6, 100e9, 0, true, 3},
	} {
		s := &scripted{onWorn: c.worn, new: c.fresh, until: c.until}
		factor, matters, err := s.look(Most, false).Matters()
		if err != nil || matters != c.matters || matters && factor != c.fresh/c.worn || len(s.order) > c.most {
			t.Errorf("%+v: %g times, %t, in %d batches; %v", c, factor, matters, len(s.order), err)
		}
	}
}

// TestLearning: contents that come back must be learned again before batches count, in short launches as well. In these, the
// first batch of a fifth of a millisecond counted, and a sum that had learned its branches was the best of a race.
func TestLearning(t *testing.T) {
	for _, c := range []struct {
		ns    float64 // of a batch
		calls int64
		most  int
		want  int // batches of a side
	}{
		{200_000, 1, Most, 1 + 12 + 3}, {200_000, 1, Brief, 1 + 8 + 3}, {20_000, 1, Brief, 1 + 3 + 5}, {20_000, 6, Most, 1 + 2 + 5},
		{20_000, 6, Brief, 1 + 5}, {25e6, 1, Most, 1},
	} {
		s := &scripted{onWorn: c.ns, new: c.ns}
		look := s.look(c.most, true)
		look.Learns = c.calls
		pairs, err := look.Pairs()
		if made := len(s.order); err != nil || made != 2*c.want*len(pairs) {
			t.Errorf("%+v: %d pairs in %d batches; %v", c, len(pairs), made, err)
		}
	}
}

// TestLearningScatters: pairs that show more and more, since branches are being learned, agree.
func TestLearningScatters(t *testing.T) {
	for _, c := range []struct {
		factors []float64
		learns  int64
		want    bool
	}{
		{[]float64{1.6, 1.37}, 1, true}, {[]float64{1.6, 1.37}, 0, false}, {[]float64{1.6, 1.04}, 1, false},
		{[]float64{1.6, 0.7}, 1, false}, {[]float64{0.6, 0.9}, 1, true}, {[]float64{1.6}, 1, true}, {[]float64{1.3}, 1, false},
		{[]float64{1.03, 1.02, 1.03, 0.99, 1.03}, 1, true}, {[]float64{1.03, 1.02, 1.03, 0.99, 1.03}, 0, false},
		{[]float64{1.03, 0.99, 1.03, 0.99, 1.03}, 1, false}, {[]float64{1.005, 1.006, 1.007, 1.008, 1.009}, 1, false},
	} {
		var pairs []Pair
		for _, f := range c.factors {
			pairs = append(pairs, Pair{WornNS: 1000, FreshNS: 1000 * f})
		}
		look := Look{Learns: c.learns}
		if _, got := look.matters(pairs); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}

// TestMayLearn: a look ends at once if a call on other contents takes as long as those that have learned theirs. 120 products of
// a millisecond took 5 s longer to look at.
func TestMayLearn(t *testing.T) {
	for _, c := range []struct {
		most    int
		ns      float64 // of a batch of two calls on other contents
		learned float64 // of a call
		batches int     // that are made; 0: more
		matters bool
	}{
		{Brief, 20_000, 10_000, 1, false}, {Brief, 20_400, 10_000, 1, false}, {Brief, 30_000, 10_000, 0, true},
		{Most, 20_100, 10_000, 1, false}, {Most, 20_400, 10_000, 0, true},
	} {
		s := &scripted{onWorn: 2 * c.learned, new: c.ns}
		look := s.look(c.most, true)
		look.Learns, look.LearnedNS = 2, c.learned
		_, matters, err := look.Matters()
		if made := len(s.order); err != nil || matters != c.matters || c.batches > 0 && made != c.batches || c.batches == 0 && made < 20 {
			t.Errorf("%+v: %t after %d batches; %v", c, matters, made, err)
		}
	}
}

// A neighbour made the calls of a launch as slow as those that have learned no branches. So there seemed to be nothing to
// learn, and the row of a quicksort was that of contents that repeat.
func TestUsualBesideANeighbour(t *testing.T) {
	of := stats.Summary{MedianNS: 9000, MinNS: 6000}
	for quiet, want := range map[int64]float64{100: 9000, 50: 9000, 49: 6000, 0: 6000} {
		if got := UsualNS(of, quiet, 100); got != want {
			t.Errorf("%d of 100 batches were quiet: %g ns, want %g", quiet, got, want)
		}
	}
	if got := UsualNS(of, 0, 0); got != 9000 { // no probe has seen the core
		t.Errorf("without probes: %g ns", got)
	}
}
