package adams2019

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Set is what training learns from: the samples of each pipeline, in the order in which the training program goes
// through them, which is by pipeline id, then by the hash of the schedule features.
type Set struct {
	Pipelines []Pipeline
}

// Pipeline holds the schedules of one pipeline that were measured. Training uses it only if they are at least
// FewestSchedules.
type Pipeline struct {
	ID        int32
	Schedules []Schedule // no two have the same features
	hash      uint64
}

// Schedule is a schedule that was measured, possibly several times.
type Schedule struct {
	Sample       // the fastest measurement
	Measured int // how often it was measured
	hash     uint64
}

// FewestSchedules is the number of schedules below which training skips a pipeline.
const FewestSchedules = 8

// validatedFrom is the number of pipelines above which some of them are kept for validation.
const validatedFrom = 16

// NewSet sorts samples by pipelines and schedules. Of the samples with the same schedule features, the fastest stays.
// A sample is left out, and is a problem, if its pipeline id belongs to another pipeline. The samples' features are
// shared with the set.
func NewSet(samples []Sample) (Set, []Problem) {
	byID := map[int32]*Pipeline{}
	places := map[int32]map[uint64]int{} // of the schedules of a pipeline, by their hash
	var problems []Problem
	for _, s := range samples {
		p := byID[s.PipelineID]
		if p == nil {
			p = &Pipeline{ID: s.PipelineID, hash: s.Features.pipelineHash()}
			byID[p.ID], places[p.ID] = p, map[uint64]int{}
		} else if first := p.Schedules[0]; !s.Features.samePipeline(first.Features) {
			err := fmt.Errorf("%s: its pipeline id %d is that of another pipeline, in %s: give each pipeline an id of "+
				"its own, and measure it again", s.File, p.ID, first.File)
			problems = append(problems, Problem{s.File, err})
			continue
		}
		h := s.Features.scheduleHash()
		at, known := places[p.ID][h]
		if !known {
			places[p.ID][h] = len(p.Schedules)
			p.Schedules = append(p.Schedules, Schedule{Sample: s, Measured: 1, hash: h})
			continue
		}
		schedule := &p.Schedules[at]
		schedule.Measured++
		if s.RuntimeMS < schedule.RuntimeMS {
			schedule.Sample = s
		}
	}
	var set Set
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		p := byID[id]
		slices.SortFunc(p.Schedules, func(a, b Schedule) int { return cmp.Compare(a.hash, b.hash) })
		set.Pipelines = append(set.Pipelines, *p)
	}
	return set, problems
}

// split divides the pipelines into those to train on and those to validate with. Few pipelines are all trained on.
// Whether one validates depends on its own features only, so that it never does after it was trained on.
func (s Set) split() (training, validation []Pipeline) {
	for _, p := range s.Pipelines {
		if len(s.Pipelines) > validatedFrom && p.hash&7 == 0 {
			validation = append(validation, p)
		} else {
			training = append(training, p)
		}
	}
	return training, validation
}
