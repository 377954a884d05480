package trees

import "math"

// binnedTree is a tree whose questions are also asked of bins, for the rows of the fit.
type binnedTree struct {
	Tree
	bin []uint8 // a row goes to the second child if its bin is above
}

func (t *binnedTree) predict(b *binning, row int) float64 {
	node := 0
	for node < len(t.Column) {
		if b.codes[t.Column[node]][row] > t.bin[node] {
			node = 2*node + 2
		} else {
			node = 2*node + 1
		}
	}
	return t.Leaf[node-len(t.Column)]
}

// histogram sums what is left of the target over the rows of a node, for each bin of each column of the tree.
type histogram struct {
	sum   []float64
	count []int32
}

// part is a node that is still to be split: rows[from:to] and their histogram.
type part struct {
	from, to  int
	histogram histogram
}

// split is the best question about a node. gain is 0 if no question helps.
type split struct {
	column int
	bin    uint8
	gain   float64
}

// tree grows one tree, level by level. A node without a useful question sends all of its rows to its first child. If
// the root has none, there is no tree: its one leaf would be the noise of the drawn rows.
func (g *grower) tree() *binnedTree {
	questions := 1<<g.o.Depth - 1
	t := &binnedTree{Tree: Tree{
		Column: make([]int, questions), Threshold: make([]float64, questions), Leaf: make([]float64, questions+1),
	}, bin: make([]uint8, questions)}
	level := []part{{0, len(g.rows), g.histogram(0, len(g.rows))}}
	node := 0
	for depth := range g.o.Depth {
		next := make([]part, 0, 2*len(level))
		for _, p := range level {
			s := g.best(p)
			if s.gain <= 0 && depth == 0 {
				return nil
			}
			if s.gain <= 0 {
				t.Column[node], t.Threshold[node], t.bin[node] = g.columns[0], math.MaxFloat64, 255
				next = append(next, p, part{p.to, p.to, histogram{}})
			} else {
				t.Column[node], t.bin[node] = s.column, s.bin
				t.Threshold[node] = g.bins.thresholds[s.column][s.bin]
				first, second := g.divide(p, s, depth+1 < g.o.Depth)
				next = append(next, first, second)
			}
			node++
		}
		level = next
	}
	for i, p := range level {
		sum := 0.0
		for _, r := range g.rows[p.from:p.to] {
			sum += g.rest[r]
		}
		if p.to > p.from {
			t.Leaf[i] = g.o.Rate * sum / (float64(p.to-p.from) + g.o.Ridge)
		}
	}
	return t
}

func (g *grower) histogram(from, to int) histogram {
	h := histogram{make([]float64, g.bins.width), make([]int32, g.bins.width)}
	for _, c := range g.columns {
		codes, start, end := g.bins.codes[c], g.bins.start[c], g.bins.start[c+1]
		sum, count := h.sum[start:end], h.count[start:end]
		for _, r := range g.rows[from:to] {
			bin := codes[r]
			sum[bin] += g.rest[r]
			count[bin]++
		}
	}
	return h
}

// best finds the question that lowers the sum of squares most. Of equal questions the first column and the lowest
// threshold win.
func (g *grower) best(p part) split {
	rows := p.to - p.from
	if rows < 2*g.o.LeafRows {
		return split{}
	}
	var s split
	first := true
	var total float64
	for _, c := range g.columns {
		start, end := g.bins.start[c], g.bins.start[c+1]
		if end-start < 2 {
			continue
		}
		sums, counts := p.histogram.sum[start:end], p.histogram.count[start:end]
		if first {
			for _, v := range sums {
				total += v
			}
			first = false
		}
		whole := total * total / (float64(rows) + g.o.Ridge)
		left, leftRows := 0.0, 0
		for bin := range len(sums) - 1 {
			left += sums[bin]
			leftRows += int(counts[bin])
			rightRows := rows - leftRows
			if counts[bin] == 0 || leftRows < g.o.LeafRows {
				continue
			}
			if rightRows < g.o.LeafRows {
				break
			}
			right := total - left
			gain := left*left/(float64(leftRows)+g.o.Ridge) + right*right/(float64(rightRows)+g.o.Ridge) - whole
			if gain > s.gain*(1+1e-9)+1e-15 {
				s = split{c, uint8(bin), gain}
			}
		}
	}
	return s
}

// divide sorts the rows of a node to its children, in their order. The histogram of the larger child is that of the
// node less that of the smaller one.
func (g *grower) divide(p part, s split, histograms bool) (first, second part) {
	codes := g.bins.codes[s.column]
	at, later := p.from, g.scratch[:0]
	for _, r := range g.rows[p.from:p.to] {
		if codes[r] > s.bin {
			later = append(later, r)
		} else {
			g.rows[at] = r
			at++
		}
	}
	copy(g.rows[at:p.to], later)
	first, second = part{from: p.from, to: at}, part{from: at, to: p.to}
	if !histograms {
		return first, second
	}
	small, large := &first, &second
	if at-p.from > p.to-at {
		small, large = large, small
	}
	small.histogram = g.histogram(small.from, small.to)
	large.histogram = p.histogram // the node needs it no longer
	for i := range large.histogram.sum {
		large.histogram.sum[i] -= small.histogram.sum[i]
		large.histogram.count[i] -= small.histogram.count[i]
	}
	return first, second
}
