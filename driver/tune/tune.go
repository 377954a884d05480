// Package tune keeps the state of tuning Halide pipelines with the autoscheduler Adams2019: which samples a batch has,
// by which seeds they are made, what is on the disk of them, what is learned from them, and which schedule is the best.
// It builds, measures and trains nothing itself: the caller does, and hands over what came of it.
//
// A tuning is a folder:
//
//	tuning.json            what all its samples have in common
//	start.weights          what the first batch is scheduled with
//	updated.weights        what the last batch has taught
//	untuned/NAME.*         the schedule that the starting weights give
//	batch_0001/            a batch
//	  used.weights         what it is scheduled with
//	  SAMPLE.json          what was made of a sample, with the hashes of its files; it is written last
//	  SAMPLE.*             its library, schedule, features and, if it was measured, .sample for training; what others
//	                       have disturbed twice has .contended instead, and is not trained on
//	  results.ndjson       the journal
//	  again.ndjson         that of measuring contended samples again
//	  updated.weights      what this and the earlier batches have taught
//	  batch.json           what came of it; it is written last
//	best/NAME.*            the best schedule that was measured
//
// What counts is what is on the disk, complete: a tuning that was killed goes on from there.
package tune

import (
	"fmt"
	"strconv"

	"zonemark/driver/halide/adams2019"
)

// Pipeline is what is tuned: a generator with its parameters.
type Pipeline struct {
	Name       string            `json:"name"`   // the generator's; pipelines of a tuning have different ones
	Source     string            `json:"source"` // the generator's file, or the name of a shipped one
	Parameters map[string]string `json:"generator_params,omitempty"`
	// Fingerprint is a hash of all that the untuned schedule is built from.
	Fingerprint string `json:"fingerprint"`
}

// ID returns the number by which training tells the pipeline from others.
func (p Pipeline) ID() int32 { return adams2019.PipelineID(p.Name, p.Parameters) }

// MostSamples is the greatest number of a batch, and of a sample of a batch: names and seeds have four digits for them.
const MostSamples = 9999

// Sample is one schedule that a batch asks for.
type Sample struct {
	Pipeline string
	Batch    int // from 1
	Number   int // from 0
}

// Name returns the name of the sample, which its files and its function have, as those of Halide's tuning script:
// NAME_batch_0001_sample_0000.
func (s Sample) Name() string {
	return fmt.Sprintf("%s_batch_%04d_sample_%04d", s.Pipeline, s.Batch, s.Number)
}

// Seed returns the seed of the sample's random choices, as Halide's tuning script has it: the batch with four digits,
// then the sample with four.
func (s Sample) Seed() string { return fmt.Sprintf("%04d%04d", s.Batch, s.Number) }

// SchedulerParams returns the parameters of Adams2019 for the sample, without the weights. As in Halide's tuning
// script, the first sample of a batch is the best that the search finds, with the given width of its beam; the others
// search with a beam of one, which follows the weights in one of a hundred decisions and takes chance in all others.
func (s Sample) SchedulerParams(parallelism, beam int) map[string]string {
	params := UntunedParams(parallelism, beam)
	params["random_dropout"], params["random_dropout_seed"] = "100", s.Seed()
	if s.Number > 0 {
		params["random_dropout"], params["beam_size"] = "1", "1"
	}
	return params
}

// UntunedParams returns the parameters of Adams2019 for a schedule that is left to the weights alone, without the
// weights.
func UntunedParams(parallelism, beam int) map[string]string {
	return map[string]string{"parallelism": strconv.Itoa(parallelism), "beam_size": strconv.Itoa(beam)}
}

// UntunedName returns the name of the untuned schedule of a pipeline, in journals and in the names of its files.
func UntunedName(pipeline string) string { return pipeline + "_untuned" }

// Samples returns the samples of a batch: of each pipeline, in their order, so many.
func Samples(pipelines []string, batch, each int) (list []Sample) {
	for _, name := range pipelines {
		for n := range each {
			list = append(list, Sample{Pipeline: name, Batch: batch, Number: n})
		}
	}
	return list
}
