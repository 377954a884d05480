package adams2019

import "math"

// Constants of the loss (cost_model_generator.cpp).
const (
	leastRatio   = 1e-10 // of a predicted time to the fastest
	belowPenalty = 1e-5  // for each unit that a coefficient lies below zero
)

// gradient is the derivative of the loss of some schedules by the weights of head 2 and of the coefficients. The
// weights before these get theirs from coefficient, since they do not depend on schedules.
type gradient struct {
	loss        float64
	head2Filter [ScheduleFeatures][scheduleOut]float64
	head2Bias   [scheduleOut]float64
	conv1Head2  [scheduleOut][coefficients]float64
	coefficient [][coefficients]float64 // of each stage

	// of the rows
	activations activations
	dHidden     [][scheduleOut]float64
}

// add adds another gradient.
func (g *gradient) add(o *gradient) {
	g.loss += o.loss
	for i := range g.head2Filter {
		addTo(g.head2Filter[i][:], o.head2Filter[i][:])
	}
	addTo(g.head2Bias[:], o.head2Bias[:])
	for i := range g.conv1Head2 {
		addTo(g.conv1Head2[i][:], o.conv1Head2[i][:])
	}
	for i := range g.coefficient {
		addTo(g.coefficient[i][:], o.coefficient[i][:])
	}
}

func addTo(to, from []float64) {
	for i, v := range from {
		to[i] += v
	}
}

// loss returns the loss of a prediction, without the penalty, and its derivative. Times are compared as throughput
// relative to the fastest schedule.
func loss(predicted, measured, fastest float64) (value, derivative float64) {
	ratio := max(predicted/fastest, leastRatio)
	difference := 1/ratio - fastest/measured
	if ratio > leastRatio {
		derivative = -2 * difference / (ratio * ratio * fastest)
	}
	return difference * difference, derivative
}

// blockRows is about how many rows are computed together: what they need fits into the first cache.
const blockRows = 32

// of computes the gradient and the loss of the schedules from first to last. fastest is the time that others are
// compared with.
func (g *gradient) of(n *network, p *prepared, first, last int, fastest float64) {
	*g = gradient{coefficient: append(g.coefficient[:0], make([][coefficients]float64, p.stages)...),
		activations: g.activations, dHidden: g.dHidden}
	block := max(1, blockRows/p.stages)
	for ; first < last; first += block {
		g.block(n, p, first, min(last, first+block), fastest)
	}
}

func (g *gradient) block(n *network, p *prepared, first, last int, fastest float64) {
	n.forward(p, first*p.stages, last*p.stages, &g.activations)
	for s := first; s < last; s++ {
		z, terms := g.activations.z[(s-first)*p.stages:][:p.stages], p.terms[s*p.stages:][:p.stages]
		predicted, below := cost(z, terms)
		value, derivative := loss(predicted, p.runtimes[s], fastest)
		g.loss += value + belowPenalty*below
		for i := range z {
			derive(&z[i], &terms[i], derivative)
			addTo(g.coefficient[i][:], z[i][:])
		}
	}
	g.back(n, p.x[first*p.stages*ScheduleFeatures:])
}

// derive replaces coefficients by the derivatives of the loss by them.
func derive(z, terms *[coefficients]float64, derivative float64) {
	for c, v := range z {
		if v > 0 {
			z[c] = derivative * terms[c]
		} else {
			z[c] = -belowPenalty
		}
	}
}

// back goes back through the network from the derivatives by the coefficients. x is the input of the rows.
func (g *gradient) back(n *network, x []float64) {
	dz, hidden := g.activations.z, g.activations.hidden
	g.dHidden = g.dHidden[:0]
	for r := range dz {
		var d [scheduleOut]float64
		addRows24(&d, dz[r][:], 1, n.backHead2[:])
		for k, h := range hidden[r*scheduleOut : (r+1)*scheduleOut] {
			if h == 0 {
				d[k] = 0
			}
		}
		addTo(g.head2Bias[:], d[:])
		g.dHidden = append(g.dHidden, d)
	}
	for k := range g.conv1Head2 {
		addRows32(&g.conv1Head2[k], hidden[k:], scheduleOut, dz)
	}
	for i := range g.head2Filter {
		addRows24(&g.head2Filter[i], x[i:], ScheduleFeatures, g.dHidden)
	}
}

// weights completes the gradient with the weights that do not depend on schedules, as 32-bit floats.
func (g *gradient) weights(n *network, p *prepared, out *Weights) {
	*out = Weights{}
	for i := range g.head2Filter {
		narrow(out.Head2Filter[i][:], g.head2Filter[i][:])
	}
	narrow(out.Head2Bias[:], g.head2Bias[:])
	for k := range g.conv1Head2 {
		narrow(out.Conv1Filter[pipelineOut+k][:], g.conv1Head2[k][:])
	}
	var bias [coefficients]float64
	var head1Bias [pipelineOut]float64
	var conv1 [pipelineOut][coefficients]float64
	head1 := make([][pipelineOut]float64, len(p.used))
	for stage := range g.coefficient {
		addTo(bias[:], g.coefficient[stage][:])
		var back [pipelineOut]float64
		for k, h := range n.head1[stage] {
			for c, d := range g.coefficient[stage] {
				conv1[k][c] += h * d
				back[k] += n.conv1Head1[k][c] * d
			}
		}
		addTo(head1Bias[:], back[:])
		for i, v := range p.pipeline[stage] {
			if v != 0 {
				for k, d := range back {
					head1[i][k] += d * v
				}
			}
		}
	}
	narrow(out.Conv1Bias[:], bias[:])
	narrow(out.Head1Bias[:], head1Bias[:])
	for k := range conv1 {
		narrow(out.Conv1Filter[k][:], conv1[k][:])
	}
	for i, u := range p.used {
		for k, s := range n.squashed[i] {
			out.Head1Filter[u.typ][u.property][k] = float32(head1[i][k] * s * (1 - s))
		}
	}
}

func narrow(to []float32, from []float64) {
	for i, v := range from {
		to[i] = float32(v)
	}
}

// minimum returns the least of times.
func minimum(times []float64) float64 {
	least := math.Inf(1)
	for _, t := range times {
		least = min(least, t)
	}
	return least
}
