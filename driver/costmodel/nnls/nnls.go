// Package nnls solves linear least squares with weights that are not negative. It knows matrices only.
package nnls

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// singular is the squared sine of the angle between a column and the span of the columns before it, below which the
// column counts as a combination of them. Columns that are products of integers are either far above it or collinear.
const singular = 1e-12

// improving is the share of the largest correlation that a column must still have with the residual to be taken in.
const improving = 1e-10

// Solve returns w ≥ 0 that minimizes Σ (Σ_j x[i][j]·w[j] − y[i])², by the active-set method of Lawson and Hanson
// (Solving Least Squares Problems, 1974, chapter 23) on the normal equations of columns that are scaled to length 1.
// A column that is zero or a combination of columns that are in the solution gets the weight 0: of collinear columns
// the one that explains most is kept, the first one if two explain the same. The result depends on nothing but x and y.
// The rows must have the same length, and all numbers must be finite.
func Solve(x [][]float64, y []float64) ([]float64, error) {
	if len(x) == 0 || len(x[0]) == 0 {
		return nil, errors.New("least squares: no rows or no columns")
	}
	if len(x) != len(y) {
		return nil, fmt.Errorf("least squares: %d rows but %d results", len(x), len(y))
	}
	e := newEquations(x, y)
	if !e.finite() {
		return nil, errors.New("least squares: a number is not finite or the sum of squares overflows")
	}
	return e.solve(), nil
}

// equations are the scaled normal equations gram·w = right and the state of the active-set method.
type equations struct {
	gram   [][]float64
	right  []float64
	scale  []float64
	weight []float64
	active []bool
	barred []bool // columns that are a combination of active ones
}

func newEquations(x [][]float64, y []float64) *equations {
	n := len(x[0])
	e := &equations{
		gram: make([][]float64, n), right: make([]float64, n), scale: make([]float64, n),
		weight: make([]float64, n), active: make([]bool, n), barred: make([]bool, n),
	}
	for i := range e.gram {
		e.gram[i] = make([]float64, n)
	}
	for r, row := range x {
		for i, a := range row {
			e.right[i] += a * y[r]
			for j, b := range row[:i+1] {
				e.gram[i][j] += a * b
			}
		}
	}
	for i := range e.scale {
		e.scale[i] = math.Sqrt(e.gram[i][i])
		if e.scale[i] == 0 {
			e.scale[i], e.barred[i] = 1, true
		}
	}
	for i := range e.gram {
		e.right[i] /= e.scale[i]
		for j := range i + 1 {
			e.gram[i][j] /= e.scale[i] * e.scale[j]
			e.gram[j][i] = e.gram[i][j]
		}
	}
	return e
}

func (e *equations) finite() bool {
	bad := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	for i, row := range e.gram {
		if slices.ContainsFunc(row, bad) || bad(e.right[i]) {
			return false
		}
	}
	return true
}

func (e *equations) solve() []float64 {
	limit := 0.0
	for _, v := range e.right {
		limit = max(limit, improving*math.Abs(v))
	}
	for range 10*len(e.right) + 30 { // the method ends by itself unless rounding makes it turn in a circle
		next := e.steepest(limit)
		if next < 0 {
			break
		}
		e.active[next] = true
		if !e.descend() {
			e.active[next], e.barred[next] = false, true
		}
	}
	w := make([]float64, len(e.weight))
	for i := range w {
		w[i] = e.weight[i] / e.scale[i]
	}
	return w
}

// steepest returns the inactive column with the largest correlation with the residual, or -1 if none is above limit.
func (e *equations) steepest(limit float64) int {
	best, at := limit, -1
	for i := range e.right {
		if e.active[i] || e.barred[i] {
			continue
		}
		g := e.right[i]
		for j, w := range e.weight {
			g -= e.gram[i][j] * w
		}
		if g > best {
			best, at = g, i
		}
	}
	return at
}

// descend moves the weights to the minimum over the active columns, and takes those out that would become negative on
// the way. It returns false, and leaves the weights, if the columns are collinear.
func (e *equations) descend() bool {
	for {
		var columns []int
		for i, a := range e.active {
			if a {
				columns = append(columns, i)
			}
		}
		minimum, ok := e.minimum(columns)
		if !ok {
			return false
		}
		step, first := 1.0, -1
		for i, c := range columns {
			if minimum[i] > 0 {
				continue
			}
			share := 0.0
			if e.weight[c] > 0 {
				share = e.weight[c] / (e.weight[c] - minimum[i])
			}
			if share < step || first < 0 {
				step, first = share, c
			}
		}
		for i, c := range columns {
			e.weight[c] += step * (minimum[i] - e.weight[c])
		}
		if first >= 0 {
			e.weight[first], e.active[first] = 0, false
			continue
		}
		for i, c := range columns {
			e.weight[c] = minimum[i]
		}
		return true
	}
}

// minimum solves the equations of some columns by Cholesky's decomposition. It returns false if they are singular.
func (e *equations) minimum(columns []int) ([]float64, bool) {
	n := len(columns)
	lower := make([][]float64, n)
	for i := range n {
		lower[i] = make([]float64, n)
		for j := range i + 1 {
			sum := e.gram[columns[i]][columns[j]]
			for k := range j {
				sum -= lower[i][k] * lower[j][k]
			}
			switch {
			case i != j:
				lower[i][j] = sum / lower[j][j]
			case sum < singular:
				return nil, false
			default:
				lower[i][i] = math.Sqrt(sum)
			}
		}
	}
	z := make([]float64, n)
	for i := range n {
		z[i] = e.right[columns[i]]
		for k := range i {
			z[i] -= lower[i][k] * z[k]
		}
		z[i] /= lower[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			z[i] -= lower[k][i] * z[k]
		}
		z[i] /= lower[i][i]
	}
	return z, true
}
