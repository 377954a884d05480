package adams2019

import "math"

// network is the weights in the form in which the loops read them, for one pipeline. Channels vary fastest.
type network struct {
	head2Filter [ScheduleFeatures][scheduleOut]float64
	head2Bias   [scheduleOut]float64
	conv1Head1  [pipelineOut][coefficients]float64 // the part of conv1_filter for the channels of head 1
	conv1Head2  [scheduleOut][coefficients]float64 // and of head 2
	backHead2   [coefficients][scheduleOut]float64 // the same, with both indices exchanged

	squashed [][pipelineOut]float64  // head1_filter after the sigmoid, for the features that the pipeline uses
	head1    [][pipelineOut]float64  // of each stage: the output of head 1
	base     [][coefficients]float64 // of each stage: what the schedule does not change of the coefficients
}

// load takes over weights and computes what depends on the pipeline only.
func (n *network) load(w *Weights, p *prepared) {
	for i := range n.head2Filter {
		widen(n.head2Filter[i][:], w.Head2Filter[i][:])
	}
	widen(n.head2Bias[:], w.Head2Bias[:])
	for i := range n.conv1Head1 {
		widen(n.conv1Head1[i][:], w.Conv1Filter[i][:])
	}
	for i := range n.conv1Head2 {
		widen(n.conv1Head2[i][:], w.Conv1Filter[pipelineOut+i][:])
		for c, v := range n.conv1Head2[i] {
			n.backHead2[c][i] = v
		}
	}
	n.squashed = n.squashed[:0]
	for _, u := range p.used {
		var s [pipelineOut]float64
		for c, v := range w.Head1Filter[u.typ][u.property] {
			s[c] = 1 / (1 + math.Exp(-float64(v)))
		}
		n.squashed = append(n.squashed, s)
	}
	n.head1, n.base = n.head1[:0], n.base[:0]
	for _, features := range p.pipeline {
		var head1 [pipelineOut]float64
		widen(head1[:], w.Head1Bias[:])
		for i, v := range features {
			if v != 0 {
				for c, s := range n.squashed[i] {
					head1[c] += s * v
				}
			}
		}
		var base [coefficients]float64
		widen(base[:], w.Conv1Bias[:])
		for k, h := range head1 {
			for c, v := range n.conv1Head1[k] {
				base[c] += v * h
			}
		}
		n.head1, n.base = append(n.head1, head1), append(n.base, base)
	}
}

func widen(to []float64, from []float32) {
	for i, v := range from {
		to[i] = float64(v)
	}
}

// activations is what the network computes for some rows.
type activations struct {
	hidden []float64               // scheduleOut for each row: the output of head 2
	z      [][coefficients]float64 // the coefficients before negative ones become zero
}

// forward computes the rows from first to last, which are those of whole schedules, into a.
func (n *network) forward(p *prepared, first, last int, a *activations) {
	a.hidden, a.z = a.hidden[:0], a.z[:0]
	for r := first; r < last; r++ {
		hidden := n.head2Bias
		addRows24(&hidden, p.x[r*ScheduleFeatures:], 1, n.head2Filter[:])
		for k, h := range hidden {
			hidden[k] = max(h, 0)
		}
		z := n.base[r%p.stages]
		addRows32(&z, hidden[:], 1, n.conv1Head2[:])
		a.hidden, a.z = append(a.hidden, hidden[:]...), append(a.z, z)
	}
}

// cost returns the predicted run time of a schedule in milliseconds, and the sum of what its coefficients lie below
// zero. Both arguments are of the schedule's rows.
func cost(z, terms [][coefficients]float64) (predicted, below float64) {
	for i := range z {
		z, terms := &z[i], &terms[i]
		for c, v := range z { // without branches, which processors would guess wrong half of the time
			positive := max(v, 0)
			predicted += positive * terms[c]
			below += positive - v
		}
	}
	return predicted, below
}
