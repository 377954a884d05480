package search

import (
	"cmp"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"zonemark/invocations/stats"
)

// grid returns the points of a space.
func grid(sizes ...int) (points [][]int) {
	points = [][]int{{0}}
	for _, n := range sizes {
		var longer [][]int
		for _, p := range points {
			for i := range n {
				longer = append(longer, append(slices.Clone(p), i))
			}
		}
		points = longer
	}
	return points
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b []int
		want int
	}{
		{[]int{0, 3, 1}, []int{0, 1, 1}, 2},
		{[]int{0, 1, 1}, []int{0, 1, 2}, 1},
		{[]int{0, 1, 1}, []int{0, 2, 2}, 0}, // two axes
		{[]int{0, 1}, []int{1, 1}, 0},       // spaces of their own
		{[]int{0, 1}, []int{0, 1}, 0},
		{[]int{0, 1}, []int{0, 1, 2}, 0},
		{nil, nil, 0},
	} {
		if d := distance(c.a, c.b); d != c.want {
			t.Errorf("%v and %v: %d, want %d", c.a, c.b, d, c.want)
		}
	}
}

// The first round has the default, and every point has its turn once. Later ones are half neighbours of the best.
func TestRounds(t *testing.T) {
	points := grid(8, 8)
	s := New(points, 0, 7)
	again, fresh := s.Round()
	if len(again) != 0 || len(fresh) != FreshPoints || fresh[0] != 0 {
		t.Fatalf("first round: %v again, %v", again, fresh)
	}
	seen := slices.Clone(fresh)
	var outcomes []Outcome
	for i, p := range fresh {
		outcomes = append(outcomes, Outcome{Candidate: s.Add(p), Ratio: 1 + float64(i)/10, Dropped: i > 5})
	}
	s.Learn(outcomes)
	if s.Best() != 0 || len(s.Finalists()) != 6 {
		t.Errorf("best %d, finalists %v", s.Best(), s.Finalists())
	}
	again, fresh = s.Round()
	if !reflect.DeepEqual(again, []int{0, 1, 2, 3}) {
		t.Errorf("measured again: %v", again)
	}
	for _, p := range fresh[:FreshPoints/2] {
		if d := distance(points[0], points[p]); d == 0 {
			t.Errorf("%v is no neighbour of the best", points[p])
		}
	}
	for len(fresh) > 0 {
		seen = append(seen, fresh...)
		_, fresh = s.Round()
	}
	slices.Sort(seen)
	if len(slices.Compact(seen)) != 64 || len(seen) != 64 {
		t.Errorf("%d points in all: %v", len(seen), seen)
	}
}

// What is known of a candidate that a later round does not measure is related to that round's best.
func TestFinalists(t *testing.T) {
	s := New(grid(40), 20, 1)
	s.Round()
	for p := range 6 {
		s.Add(p)
	}
	s.Learn([]Outcome{{0, 1, false}, {1, 1.1, false}, {2, 1.2, false}, {3, 1.3, false}, {4, 1.4, false}, {5, 3, true}})
	if _, fresh := s.Round(); len(fresh) != 4 { // of 20
		t.Errorf("second round: %v", fresh)
	}
	s.Add(6)
	s.Add(7) // it fails
	s.Learn([]Outcome{{6, 1, false}, {0, 2, false}, {1, 2.3, true}, {2, 2.5, true}, {3, 2.6, true}})
	if f := s.Finalists(); !reflect.DeepEqual(f, []int{6, 0, 4}) || math.Abs(s.candidates[4].ratio-2.8) > 1e-9 {
		t.Errorf("finalists %v, %+v", f, s.candidates)
	}
	if _, fresh := s.Round(); fresh != nil {
		t.Errorf("after all: %v", fresh)
	}
	s.Learn(nil) // everything failed
	if s.Best() != 6 || New(nil, 0, 1).Best() != -1 {
		t.Errorf("best %d", s.Best())
	}
	if _, fresh := New(nil, 0, 1).Round(); fresh != nil {
		t.Errorf("of nothing: %v", fresh)
	}
}

// world is a space with known times.
type world struct {
	points [][]int
	ns     []float64
	rng    *rand.Rand
}

// newWorld makes times to which each axis contributes a factor, with some interaction of neighbouring axes.
func newWorld(seed uint64, sizes ...int) *world {
	w := &world{points: grid(sizes...), rng: rand.New(rand.NewPCG(seed, 5))}
	type at struct{ axis, value, next int }
	effects := map[at]float64{}
	effect := func(a at, spread float64) float64 {
		if _, known := effects[a]; !known {
			effects[a] = spread * w.rng.NormFloat64()
		}
		return effects[a]
	}
	for _, p := range w.points {
		sum := 0.0
		for axis := range sizes {
			sum += effect(at{axis, p[axis+1], -1}, 0.25)
			if axis > 0 {
				sum += effect(at{axis, p[axis+1], p[axis]}, 0.05)
			}
		}
		w.ns = append(w.ns, 1000*math.Exp(sum))
	}
	return w
}

// launch returns the time of a launch: with a common drift, and one in twenty far too long.
func (w *world) launch(point int, drift float64) float64 {
	ns := w.ns[point] * drift * math.Exp(0.005*w.rng.NormFloat64())
	if w.rng.IntN(20) == 0 {
		ns *= 1 + 0.1*math.Pow(w.rng.Float64(), -0.7)
	}
	return ns
}

// race measures points as a race does, and returns who is left, best first, and the outcomes of all.
func (w *world) race(points []int, least, most int) (open []int, outcomes []Outcome) {
	race := stats.NewRace(len(points), stats.RaceOptions{})
	times := make([][]float64, len(points))
	for launch := 1; launch <= most; launch++ {
		drift := math.Exp(0.02 * w.rng.NormFloat64())
		for _, v := range race.Open() {
			times[v] = append(times[v], w.launch(points[v], drift))
		}
		for _, d := range race.Look(times, nil, 0) {
			outcomes = append(outcomes, Outcome{Candidate: d.Variant, Ratio: d.Ratio, Dropped: true})
		}
		if launch >= least && race.Over() {
			break
		}
	}
	open = race.Open()
	var left []Outcome
	for _, v := range open {
		left = append(left, Outcome{Candidate: v, Ratio: stats.Median(times[v]) / stats.Median(times[open[0]])})
	}
	slices.Reverse(outcomes)
	return open, append(left, outcomes...)
}

// find searches a world, and returns by how much the winner is slower than the best.
func (w *world) find(most int, seed uint64) float64 {
	s := New(w.points, most, seed)
	for {
		again, fresh := s.Round()
		if len(fresh) == 0 {
			break
		}
		candidates := slices.Clone(again)
		for _, p := range fresh {
			candidates = append(candidates, s.Add(p))
		}
		var points []int
		for _, c := range candidates {
			points = append(points, s.candidates[c].point)
		}
		_, outcomes := w.race(points, RoundLaunches, RoundLaunches)
		for i := range outcomes {
			outcomes[i].Candidate = candidates[outcomes[i].Candidate]
		}
		s.Learn(outcomes)
	}
	var points []int
	for _, c := range s.Finalists() {
		points = append(points, s.candidates[c].point)
	}
	open, _ := w.race(points, 10, 30)
	return w.ns[points[open[0]]]/slices.Min(w.ns) - 1
}

// If all points may be measured, the best or one within 1 % of it is found although times have heavy tails. If a tenth of
// them may be, the winner is nearly as good as the best of all, where as many random points are not.
func TestFindsTheBest(t *testing.T) {
	const searches = 100
	within, near, random := 0, 0, 0
	for seed := range uint64(searches) {
		if newWorld(seed, 6, 4, 2, 2).find(0, seed) <= 0.01 {
			within++
		}
		w := newWorld(seed, 10, 10, 10)
		if w.find(100, seed) <= 0.05 {
			near++
		}
		some := w.rng.Perm(len(w.ns))[:100]
		if w.ns[slices.MinFunc(some, func(a, b int) int { return cmp.Compare(w.ns[a], w.ns[b]) })] <= 1.05*slices.Min(w.ns) {
			random++
		}
	}
	t.Logf("of all: %d of %d within 1 %%; of a tenth: %d within 5 %%, at random %d", within, searches, near, random)
	if within < 97 {
		t.Errorf("%d of %d searches of everything found one within 1 %% of the best", within, searches)
	}
	if near < 80 || near < random+20 {
		t.Errorf("%d of %d searches of a tenth found one within 5 %% of the best, %d at random", near, searches, random)
	}
}
