package trees

import (
	"fmt"
	"slices"
)

// Limits that make all indexes of a Predictor fit one byte, so that it needs no checks of bounds.
const (
	mostWidth      = 256 // columns
	mostThresholds = 255 // different thresholds of one column
)

// blockRows is the number of rows that a Predictor works on at once: their codes fit into the first cache.
const blockRows = 64

// Predictor predicts many rows at once. It is not changed by predictions, so that several goroutines may share it.
type Predictor struct {
	base       float64
	thresholds [][]float64 // of all questions about a column, ascending
	trees      []codedTree
}

// codedTree asks about codes: a row goes to the second child if its code for the column is above.
type codedTree struct {
	questions [1 << mostDepth]question
	leaf      []float64
	depth     int
}

type question struct{ column, above uint8 }

// codedRow holds for each column the number of thresholds that a row is above of.
type codedRow [mostWidth]uint8

// NewPredictor prepares an ensemble for rows of width numbers. The ensemble must have passed Check.
func NewPredictor(e *Ensemble, width int) *Predictor {
	p := &Predictor{base: e.Base, thresholds: e.thresholds(width)}
	for _, t := range e.Trees {
		coded := codedTree{leaf: t.Leaf}
		for 1<<coded.depth < len(t.Leaf) {
			coded.depth++
		}
		for i, c := range t.Column {
			at, _ := slices.BinarySearch(p.thresholds[c], t.Threshold[i])
			coded.questions[i] = question{uint8(c), uint8(at)}
		}
		p.trees = append(p.trees, coded)
	}
	return p
}

// thresholds returns the different thresholds of each column, ascending.
func (e *Ensemble) thresholds(width int) [][]float64 {
	thresholds := make([][]float64, width)
	for _, t := range e.Trees {
		for i, c := range t.Column {
			thresholds[c] = append(thresholds[c], t.Threshold[i])
		}
	}
	for c := range thresholds {
		slices.Sort(thresholds[c])
		thresholds[c] = slices.Compact(thresholds[c])
	}
	return thresholds
}

func (e *Ensemble) checkThresholds(width int) error {
	if width > mostWidth {
		return fmt.Errorf("trees: %d columns: want at most %d", width, mostWidth)
	}
	for c, t := range e.thresholds(width) {
		if len(t) > mostThresholds {
			return fmt.Errorf("trees: column %d has %d thresholds: want at most %d", c, len(t), mostThresholds)
		}
	}
	return nil
}

// Predict sets out[i] to the prediction for row i, which Ensemble.Predict gives, too. x[j][i] is the number of row i in
// column j.
func (p *Predictor) Predict(x [][]float64, out []float64) {
	codes := make([]codedRow, blockRows)
	for from := 0; from < len(out); from += blockRows {
		block := out[from:min(from+blockRows, len(out))]
		for j, column := range x {
			p.encode(j, column[from:from+len(block)], codes)
		}
		for i := range block {
			block[i] = p.base
		}
		for t := range p.trees {
			p.trees[t].add(codes, block)
		}
	}
}

// encode writes the number of thresholds below each number of a column.
func (p *Predictor) encode(j int, column []float64, codes []codedRow) {
	thresholds := p.thresholds[j]
	previous, code := 0.0, -1
	for i, v := range column {
		if code < 0 || v != previous {
			code, _ = slices.BinarySearch(thresholds, v)
			previous = v
		}
		codes[i][j&(mostWidth-1)] = uint8(code)
	}
}

// add adds a tree's leaves to out. It walks four rows side by side, because each step of one waits for the step before.
func (t *codedTree) add(codes []codedRow, out []float64) {
	first := 1<<t.depth - 1
	i := 0
	for ; i+4 <= len(out); i += 4 {
		r0, r1, r2, r3 := &codes[i], &codes[i+1], &codes[i+2], &codes[i+3]
		var n0, n1, n2, n3 uint32
		for range t.depth {
			n0 = t.step(n0, r0)
			n1 = t.step(n1, r1)
			n2 = t.step(n2, r2)
			n3 = t.step(n3, r3)
		}
		out[i] += t.leaf[int(n0)-first]
		out[i+1] += t.leaf[int(n1)-first]
		out[i+2] += t.leaf[int(n2)-first]
		out[i+3] += t.leaf[int(n3)-first]
	}
	for ; i < len(out); i++ {
		node := uint32(0)
		for range t.depth {
			node = t.step(node, &codes[i])
		}
		out[i] += t.leaf[int(node)-first]
	}
}

// step returns the child that a row goes to, without a branch that the processor had to guess.
func (t *codedTree) step(node uint32, row *codedRow) uint32 {
	q := t.questions[node&(1<<mostDepth-1)]
	return 2*node + 1 + (uint32(q.above)-uint32(row[q.column]))>>31
}
