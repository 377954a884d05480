// Package trees fits gradient-boosted regression trees: a sum of small trees, each fitted to what the trees before it
// left over (Friedman, Greedy Function Approximation, 2001). It knows columns of numbers only. The same data, options
// and seed give the same trees on every machine.
package trees

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// mostDepth keeps the nodes of a tree in 16 bits of offsets and a tree on a screen.
const mostDepth = 8

// Options say how trees are grown. The zero value of a field stands for the value that Default has.
type Options struct {
	Count    int     `json:"count"`     // number of trees
	Depth    int     `json:"depth"`     // questions from the root to a leaf, 1 to 8
	Rate     float64 `json:"rate"`      // share of its fit that each tree contributes
	LeafRows int     `json:"leaf_rows"` // rows that a leaf has at least
	Ridge    float64 `json:"ridge"`     // rows of residual zero that are added to each leaf
	Rows     float64 `json:"rows"`      // share of the rows that each tree sees
	Columns  float64 `json:"columns"`   // share of the columns that each tree sees
	Seed     uint64  `json:"seed"`      // of the choice of rows and columns
}

// Ensemble is a sum of trees. Leaves hold shares of the target: the prediction is Base plus one leaf of each tree.
type Ensemble struct {
	Base  float64 `json:"base"`
	Trees []Tree  `json:"trees"`
}

// Tree is a complete binary tree in the order of a heap: the children of node i are 2i+1 and 2i+2. A row goes to the
// second child if its number in column Column[i] is above Threshold[i].
type Tree struct {
	Column    []int     `json:"column"`
	Threshold []float64 `json:"threshold"`
	Leaf      []float64 `json:"leaf"` // one more than there are questions
}

// Fit fits trees to a target. columns[j][i] is number j of row i; target[i] is the target of row i. All numbers must be
// finite.
func Fit(columns [][]float64, target []float64, o Options) (*Ensemble, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if len(columns) == 0 || len(target) == 0 {
		return nil, errors.New("trees: no columns or no rows")
	}
	if len(columns) > mostWidth {
		return nil, fmt.Errorf("trees: %d columns: want at most %d", len(columns), mostWidth)
	}
	for j, c := range columns {
		if len(c) != len(target) {
			return nil, fmt.Errorf("trees: column %d has %d rows, the target %d", j, len(c), len(target))
		}
		if slices.ContainsFunc(c, notFinite) {
			return nil, fmt.Errorf("trees: column %d has a number that is not finite", j)
		}
	}
	if slices.ContainsFunc(target, notFinite) {
		return nil, errors.New("trees: the target has a number that is not finite")
	}
	return newGrower(columns, target, o).grow(), nil
}

func notFinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

func (o Options) check() error {
	switch {
	case o.Count < 1 || o.Count > 100_000:
		return fmt.Errorf("trees: count %d: want 1 to 100,000", o.Count)
	case o.Depth < 1 || o.Depth > mostDepth:
		return fmt.Errorf("trees: depth %d: want 1 to %d", o.Depth, mostDepth)
	case !(o.Rate > 0 && o.Rate <= 1):
		return fmt.Errorf("trees: rate %g: want above 0 to 1", o.Rate)
	case !(o.Rows > 0 && o.Rows <= 1) || !(o.Columns > 0 && o.Columns <= 1):
		return fmt.Errorf("trees: shares of rows %g and of columns %g: want above 0 to 1", o.Rows, o.Columns)
	case o.LeafRows < 1 || !(o.Ridge >= 0):
		return fmt.Errorf("trees: %d rows a leaf, ridge %g: want 1 or more and 0 or more", o.LeafRows, o.Ridge)
	}
	return nil
}

// Predict returns the prediction for one row: x[j] is its number in column j.
func (e *Ensemble) Predict(x []float64) float64 {
	sum := e.Base
	for i := range e.Trees {
		t := &e.Trees[i]
		node := 0
		for node < len(t.Column) {
			if x[t.Column[node]] > t.Threshold[node] {
				node = 2*node + 2
			} else {
				node = 2*node + 1
			}
		}
		sum += t.Leaf[node-len(t.Column)]
	}
	return sum
}

// Check returns an error if the trees, which may come from a file, are not complete or ask about columns beyond width.
func (e *Ensemble) Check(width int) error {
	if notFinite(e.Base) {
		return errors.New("trees: the base is not finite")
	}
	for i, t := range e.Trees {
		leaves := len(t.Leaf)
		switch {
		case leaves < 2 || leaves > 1<<mostDepth || leaves&(leaves-1) != 0:
			return fmt.Errorf("trees: tree %d has %d leaves", i, leaves)
		case len(t.Column) != leaves-1 || len(t.Threshold) != leaves-1:
			return fmt.Errorf("trees: tree %d has %d leaves but %d and %d questions",
				i, leaves, len(t.Column), len(t.Threshold))
		case slices.ContainsFunc(t.Leaf, notFinite) || slices.ContainsFunc(t.Threshold, notFinite):
			return fmt.Errorf("trees: tree %d has a number that is not finite", i)
		case slices.ContainsFunc(t.Column, func(c int) bool { return c < 0 || c >= width }):
			return fmt.Errorf("trees: tree %d asks about a column that is none of %d", i, width)
		}
	}
	return e.checkThresholds(width)
}

// grower holds the state of a fit: rows sorted into bins, and what is left of the target.
type grower struct {
	o        Options
	bins     binning
	rest     []float64 // the target less the prediction so far
	rows     []int32   // the rows of the tree that is grown, those of a node together
	scratch  []int32
	columns  []int // the columns of the tree that is grown
	random   *rand.Rand
	ensemble *Ensemble
}

func newGrower(columns [][]float64, target []float64, o Options) *grower {
	g := &grower{o: o, bins: newBinning(columns), rest: slices.Clone(target)}
	g.random = rand.New(rand.NewPCG(o.Seed, uint64(len(target))))
	g.scratch = make([]int32, len(target))
	sum := 0.0
	for _, v := range target {
		sum += v
	}
	g.ensemble = &Ensemble{Base: sum / float64(len(target))}
	for i := range g.rest {
		g.rest[i] -= g.ensemble.Base
	}
	return g
}

func (g *grower) grow() *Ensemble {
	for range g.o.Count {
		g.sample()
		t := g.tree()
		if t == nil {
			continue
		}
		g.ensemble.Trees = append(g.ensemble.Trees, t.Tree)
		for i := range g.rest {
			g.rest[i] -= t.predict(&g.bins, i)
		}
	}
	return g.ensemble
}

// sample draws the rows and the columns of the next tree, in ascending order.
func (g *grower) sample() {
	all := len(g.rest)
	g.rows = g.rows[:0]
	if g.o.Rows == 1 {
		for i := range all {
			g.rows = append(g.rows, int32(i))
		}
	} else {
		want := max(1, int(math.Round(g.o.Rows*float64(all))))
		for i := range all { // Knuth's selection sampling
			if g.random.IntN(all-i) < want-len(g.rows) {
				g.rows = append(g.rows, int32(i))
			}
		}
	}
	width := len(g.bins.codes)
	want := max(1, int(math.Round(g.o.Columns*float64(width))))
	g.columns = g.columns[:0]
	for j := range width {
		if g.random.IntN(width-j) < want-len(g.columns) {
			g.columns = append(g.columns, j)
		}
	}
}
