package adams2019

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// Training says how to train.
type Training struct {
	Epochs  int       // how often each rate goes through all pipelines
	Rates   []float32 // learning rates, one after another; the training program's default is 0.0001
	Cores   int       // of the machine that the samples were measured on; see ProgramCores
	Workers int       // threads; 0 is one for each processor. The result does not depend on it.
	// Seed chooses 1,024 neighbouring schedules of a pipeline that has more, anew in each epoch. The training program
	// takes the time of day.
	Seed uint32
	// Progress, if not nil, is called after each epoch.
	Progress func(Epoch)
}

// Epoch is how well the weights predicted in one epoch, before each was changed.
type Epoch struct {
	Rate float32
	// Number counts from 1, for each rate anew.
	Number int
	// Pipelines were trained on and Validated were not, of those with at least FewestSchedules.
	Pipelines, Validated int
	// Loss and Validation are the mean losses of these pipelines. They are zero if there is none.
	Loss, Validation float64
	// Smoothed is the loss that the training program prints: a mean in which older epochs count less.
	Smoothed float32
}

// ProgramCores is the number of cores for which adams2019_retrain_cost_model trains. Its argument --num_cores changes
// nothing: the program of Halide 21.0.0 never reads it. The autoscheduler counts the cores of its parameter
// parallelism.
const ProgramCores = 32

const (
	// mostSchedules is the number of schedules of a pipeline that one step learns from.
	mostSchedules = 1024
	// finished is the smoothed loss below which training ends.
	finished = 1e-5

	diverged = "begin with other weights, or take a lower rate"
)

// check returns an error if the training cannot be done.
func (t Training) check() error {
	switch {
	case t.Epochs < 1:
		return fmt.Errorf("training: %d epochs; at least 1 is needed", t.Epochs)
	case len(t.Rates) == 0:
		return errors.New("training: there is no learning rate; 0.0001 is usual")
	case t.Cores < 1:
		return fmt.Errorf("training: %d cores; give the number that the samples were measured with", t.Cores)
	}
	for _, rate := range t.Rates {
		if !finite(rate) || rate <= 0 {
			return fmt.Errorf("training: the learning rate %v is not above zero; 0.0001 is usual", rate)
		}
	}
	return nil
}

// Train returns weights that predict the set better. It takes the steps of adams2019_retrain_cost_model in the same
// order: one step for each pipeline and epoch, on all of its schedules, at most 1,024. Pipelines with fewer than
// FewestSchedules are skipped. If there are more than 16 pipelines, about an eighth of them is for validation only.
// Training ends early when nothing is left to learn, also if no pipeline has enough schedules. w is not changed.
//
// It is an error if a prediction or weight stops being finite: the weights are then of no use.
func Train(ctx context.Context, w *Weights, set Set, t Training) (*Weights, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	if t.Workers < 1 {
		t.Workers = runtime.GOMAXPROCS(0)
	}
	training, validation := set.split()
	tr := trainer{Training: t, adam: newAdam(w), random: newMersenne(t.Seed),
		training: prepareAll(training, t.Cores), validation: prepareAll(validation, t.Cores)}
	for _, rate := range t.Rates {
		if done, err := tr.rate(ctx, rate); err != nil {
			return nil, err
		} else if done {
			break
		}
	}
	trained := tr.adam.weights
	if !trained.finite() {
		return nil, fmt.Errorf("training: weights are no longer finite: %s", diverged)
	}
	return &trained, nil
}

type trainer struct {
	Training
	adam                 *adam
	random               *mersenne
	training, validation []*prepared
	network              network
	parts                []gradient
}

func prepareAll(pipelines []Pipeline, cores int) []*prepared {
	var all []*prepared
	for _, p := range pipelines {
		if len(p.Schedules) >= FewestSchedules {
			all = append(all, p.prepare(cores))
		}
	}
	return all
}

// prepare computes what does not depend on weights.
func (p Pipeline) prepare(cores int) *prepared {
	var features []Features
	var runtimes []float64
	for _, s := range p.Schedules {
		features = append(features, s.Features)
		runtimes = append(runtimes, float64(s.RuntimeMS))
	}
	prepared := prepare(features, cores)
	prepared.runtimes = runtimes
	return prepared
}

// rate trains with one learning rate. It returns true if there is nothing left to learn.
func (t *trainer) rate(ctx context.Context, rate float32) (done bool, err error) {
	var sum, count float32
	for number := range t.Epochs {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		e := Epoch{Rate: rate, Number: number + 1, Pipelines: len(t.training), Validated: len(t.validation)}
		for _, p := range t.validation {
			e.Validation += t.losses(p) / float64(e.Validated)
		}
		for _, p := range t.training {
			loss := t.losses(p)
			if !finite(float32(loss)) {
				return false, fmt.Errorf("training: the loss is %v in epoch %d at rate %v: %s", loss, e.Number, rate,
					diverged)
			}
			t.parts[0].weights(&t.network, p, &t.adam.gradient)
			t.adam.step(rate)
			e.Loss += loss / float64(e.Pipelines)
			sum += float32(loss)
			count++
		}
		if count > 0 {
			e.Smoothed = sum / count
		}
		sum *= 0.9
		count *= 0.9
		if t.Progress != nil {
			t.Progress(e)
		}
		if sum < finished {
			return true, nil
		}
	}
	return false, nil
}

// losses returns the loss of a pipeline, or of 1,024 of its schedules. The gradient is in the first part then.
func (t *trainer) losses(p *prepared) float64 {
	first, count := 0, len(p.runtimes)
	if count > mostSchedules {
		first = int(t.random.uint32() % uint32(count-mostSchedules))
		count = mostSchedules
	}
	t.network.load(&t.adam.weights, p)
	fastest := minimum(p.runtimes[first : first+count])
	each := partSize(count, p.stages)
	parts := (count + each - 1) / each
	for len(t.parts) < parts {
		t.parts = append(t.parts, gradient{})
	}
	parallel(t.Workers, parts, func(i int) {
		t.parts[i].of(&t.network, p, first+i*each, first+min(count, (i+1)*each), fastest)
	})
	for i := 1; i < parts; i++ {
		t.parts[0].add(&t.parts[i])
	}
	return t.parts[0].loss
}

// partSize returns how many schedules share a gradient. It depends on the samples only, so that sums are made in the
// same order whatever the number of workers. A part has about 64 rows at least, since joining two costs about as much
// as one or two rows; and there are at most 32.
func partSize(schedules, stages int) int {
	return max((schedules+31)/32, (63+stages)/stages)
}

// parallel calls work for each of n parts, by several threads if there are several parts.
func parallel(workers, n int, work func(int)) {
	if workers = min(workers, n); workers == 1 {
		for i := range n {
			work(i)
		}
		return
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				work(i)
			}
		})
	}
	wait.Wait()
}
