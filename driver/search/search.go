// Package search chooses which points of a space of variants are measured next, by what is known of those that were
// measured, and which of them may be the best in the end. It measures nothing.
package search

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

const (
	// FreshPoints is the number of new points of a round.
	FreshPoints = 16
	// keptCandidates is the number of the best that the next round measures again.
	keptCandidates = 4
	// RoundLaunches is the number of launches of those that a round does not drop.
	RoundLaunches = 3
	// mostFinalists is how many candidates are compared in the end.
	mostFinalists = 16
)

// Search is a search for the best of many points. It goes in rounds:
//
//   - The first round has the first point, which is the default, and others at random.
//   - Each further round has new points, half of them at random and half of them neighbours of the best: they differ from
//     it in one axis, by as few steps as possible. The best of the round before are measured again beside them, so that
//     what changed on the machine meanwhile favours nobody.
//   - A race of the round drops who is slower with certainty. Those that no race has dropped may be the best. The final
//     compares the fastest of them.
//
// A point may have several candidates: an artifact with several functions is one point.
type Search struct {
	points     [][]int
	left       int   // points that may still be measured
	untried    []int // points in random order
	rng        *rand.Rand
	candidates []candidate
	kept       []int // candidates of the latest round, best first
}

// candidate is something that was measured.
type candidate struct {
	point int
	out   bool    // dropped, or it failed
	ratio float64 // of its time to that of the best of the latest round; 0: it has none yet
}

// Outcome is what a round says of a candidate.
type Outcome struct {
	Candidate int
	Ratio     float64 // of its time to that of the best
	Dropped   bool    // it is slower than the best of the round with certainty
}

// New returns a search of points, which are given by their positions on the axes. The first coordinate tells spaces
// apart that have axes of their own. At most so many points are measured; 0: all.
func New(points [][]int, most int, seed uint64) *Search {
	s := &Search{points: points, left: len(points), rng: rand.New(rand.NewPCG(seed, 2))}
	if most > 0 {
		s.left = min(most, s.left)
	}
	for i := range points {
		s.untried = append(s.untried, i)
	}
	if len(points) > 0 {
		rest := s.untried[1:]
		s.rng.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	}
	return s
}

// Round returns what is measured next: candidates that are measured again, best first, and new points. Without new points
// the search is over.
func (s *Search) Round() (again, fresh []int) {
	count := min(FreshPoints, s.left)
	if count == 0 {
		return nil, nil
	}
	for _, c := range s.kept {
		near := s.neighbours(s.candidates[c].point)
		fresh = append(fresh, near[:min(len(near), count/2-len(fresh))]...)
		s.forget(fresh)
	}
	fresh = append(fresh, s.untried[:count-len(fresh)]...)
	s.forget(fresh)
	s.left -= count
	return s.kept, fresh
}

// forget takes points out of those that were not tried.
func (s *Search) forget(points []int) {
	s.untried = slices.DeleteFunc(s.untried, func(p int) bool { return slices.Contains(points, p) })
}

// neighbours returns the points that were not tried and differ from one in one axis only, the nearest first.
func (s *Search) neighbours(of int) (list []int) {
	distances := map[int]int{}
	for _, p := range s.untried {
		if d := distance(s.points[of], s.points[p]); d > 0 {
			distances[p] = d
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(distances[a], distances[b]) })
	return list
}

// distance returns by how many steps two points differ that differ in one axis; 0 if they are no neighbours.
func distance(a, b []int) (steps int) {
	if len(a) != len(b) || len(a) == 0 || a[0] != b[0] {
		return 0
	}
	for i := range a {
		switch {
		case a[i] == b[i]:
		case steps > 0:
			return 0
		default:
			steps = max(a[i]-b[i], b[i]-a[i])
		}
	}
	return steps
}

// Add makes a candidate of a point, and returns its number: 0, 1, …
func (s *Search) Add(point int) int {
	s.candidates = append(s.candidates, candidate{point: point})
	return len(s.candidates) - 1
}

// Learn takes note of the outcomes of a round, best first. Candidates of the round without an outcome have failed.
func (s *Search) Learn(outcomes []Outcome) {
	if len(outcomes) == 0 {
		return
	}
	s.carryOver(outcomes)
	s.kept = nil
	for _, o := range outcomes {
		c := &s.candidates[o.Candidate]
		c.ratio, c.out = o.Ratio, o.Dropped
		if !o.Dropped && len(s.kept) < keptCandidates {
			s.kept = append(s.kept, o.Candidate)
		}
	}
}

// carryOver relates the ratios of all candidates to the best of a new round, by those that the round measured again.
func (s *Search) carryOver(outcomes []Outcome) {
	for _, o := range outcomes {
		if len(s.kept) == 0 || o.Candidate != s.kept[0] || s.candidates[o.Candidate].ratio == 0 {
			continue
		}
		by := o.Ratio / s.candidates[o.Candidate].ratio
		for i := range s.candidates {
			s.candidates[i].ratio *= by
		}
		return
	}
}

// Best returns the candidate that was the best of the latest round, -1 if there is none.
func (s *Search) Best() int {
	if len(s.kept) == 0 {
		return -1
	}
	return s.kept[0]
}

// Finalists returns the candidates that may be the best, the fastest first.
func (s *Search) Finalists() (list []int) {
	for i, c := range s.candidates {
		if !c.out && c.ratio > 0 {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int {
		return cmp.Compare(s.candidates[a].ratio, s.candidates[b].ratio)
	})
	return list[:min(len(list), mostFinalists)]
}
