package adams2019

import (
	"fmt"
	"math"
)

func predictAll(w *Weights, p *prepared) []float64 {
	var n network
	var a activations
	n.load(w, p)
	n.forward(p, 0, len(p.terms), &a)
	var predicted []float64
	for first := 0; first < len(p.terms); first += p.stages {
		ms, _ := cost(a.z[first:first+p.stages], p.terms[first:first+p.stages])
		predicted = append(predicted, ms)
	}
	return predicted
}

// Evaluation is how well weights predict the schedules of one pipeline.
type Evaluation struct {
	PipelineID int32
	// Loss is that of training, without the penalty for coefficients below zero, for one schedule: the mean square of
	// the difference of throughputs, relative to the fastest schedule.
	Loss float64
	// RankCorrelation is Spearman's coefficient of predicted and measured times; 1 is the same order. It is NaN if
	// there are fewer than two schedules, or if all times are equal.
	RankCorrelation float64
	// The times of each schedule, in the order of the set, in milliseconds.
	MeasuredMS, PredictedMS []float64
}

// Evaluate predicts all schedules of a set, for a machine with so many cores. Give it samples that the weights were not
// trained on, such as those of a new batch, to learn what the weights are worth. There is one evaluation for each
// pipeline, in the order of the set.
func Evaluate(w *Weights, set Set, cores int) ([]Evaluation, error) {
	if cores < 1 {
		return nil, fmt.Errorf("evaluation on %d cores: at least one is needed", cores)
	}
	var all []Evaluation
	for _, pipeline := range set.Pipelines {
		p := pipeline.prepare(cores)
		e := Evaluation{PipelineID: pipeline.ID, MeasuredMS: p.runtimes, PredictedMS: predictAll(w, p)}
		fastest := minimum(p.runtimes)
		for i, ms := range e.PredictedMS {
			value, _ := loss(ms, e.MeasuredMS[i], fastest)
			e.Loss += value / float64(len(p.runtimes))
		}
		if math.IsNaN(e.Loss) || math.IsInf(e.Loss, 0) {
			return nil, fmt.Errorf("evaluation of pipeline %d: the loss is %v: the weights are out of range",
				pipeline.ID, e.Loss)
		}
		e.RankCorrelation = spearman(e.MeasuredMS, e.PredictedMS)
		all = append(all, e)
	}
	return all, nil
}
