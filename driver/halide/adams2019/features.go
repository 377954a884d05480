package adams2019

import (
	"fmt"
	"slices"

	"zonemark/invocations/files"
)

// Stage holds the features of one stage of a pipeline, in the order of the file (Halide's Featurization.h).
type Stage struct {
	Schedule [ScheduleFeatures]float32
	Types    [TypeFeatures]float32     // the types in use; the model ignores them
	Pipeline [PipelineFeatures]float32 // of property p for type t: at p*7+t
}

const (
	stageFloats = ScheduleFeatures + TypeFeatures + PipelineFeatures
	stageBytes  = 4 * stageFloats
	// mostStages limits what a file may hold. The training program reads at most 40 MiB.
	mostStages = 40 << 20 / stageBytes
	// mostFeature is the largest schedule feature that the training program trusts.
	mostFeature = 1e14
)

// Features describes a pipeline with one schedule: the contents of a .featurization file. Stages are in the order of
// Halide's graph: outputs first, the updates of a Func in reverse, stages that are inlined included.
type Features []Stage

const remakeFeatures = "build the pipeline again to have the file written anew"

// ParseFeatures reads the contents of a .featurization file. The error is a *FormatError. It refuses what a working
// autoscheduler does not write: values that are negative or not finite, and schedule features above 1e14.
func ParseFeatures(data []byte) (Features, error) {
	stages := len(data) / stageBytes
	switch {
	case len(data) == 0:
		return nil, &FormatError{Problem: "the file is empty", Remedy: remakeFeatures}
	case len(data)%stageBytes != 0:
		return nil, &FormatError{Offset: stages * stageBytes, Remedy: remakeFeatures, Problem: fmt.Sprintf(
			"a stage has %d bytes, and %d are left after %d stages", stageBytes, len(data)%stageBytes, stages)}
	case stages > mostStages:
		return nil, &FormatError{Offset: mostStages * stageBytes, Remedy: remakeFeatures, Problem: fmt.Sprintf(
			"%d stages; at most %d are possible", stages, mostStages)}
	}
	features := make(Features, stages)
	for i := range features {
		if err := features[i].parse(data, i*stageBytes); err != nil {
			return nil, err
		}
	}
	return features, nil
}

func (s *Stage) parse(data []byte, offset int) error {
	for _, part := range [][]float32{s.Schedule[:], s.Types[:], s.Pipeline[:]} {
		for i := range part {
			v := floatAt(data, offset)
			if !finite(v) || v < 0 {
				return &FormatError{Offset: offset, Remedy: remakeFeatures, Problem: fmt.Sprintf(
					"%v is no feature: features are finite and not negative", v)}
			}
			part[i] = v
			offset += 4
		}
	}
	if at := slices.IndexFunc(s.Schedule[:], func(v float32) bool { return v > mostFeature }); at >= 0 {
		return &FormatError{Offset: offset - stageBytes + 4*at, Remedy: remakeFeatures, Problem: fmt.Sprintf(
			"schedule feature %d is %v, which is implausibly large", at, s.Schedule[at])}
	}
	return nil
}

// ReadFeatures reads a .featurization file. The error names the file.
func ReadFeatures(path string) (Features, error) {
	data, err := files.Read(path)
	if err != nil {
		return nil, err
	}
	features, err := ParseFeatures(data)
	if err != nil {
		return nil, inFile(path, err)
	}
	return features, nil
}

// Append appends the bytes of a .featurization file.
func (f Features) Append(b []byte) []byte {
	for i := range f {
		b = appendFloats(b, f[i].Schedule[:])
		b = appendFloats(b, f[i].Types[:])
		b = appendFloats(b, f[i].Pipeline[:])
	}
	return b
}

// samePipeline reports whether both describe one algorithm, as far as the model sees it.
func (f Features) samePipeline(other Features) bool {
	return slices.EqualFunc(f, other, func(a, b Stage) bool { return a.Pipeline == b.Pipeline })
}

// pipelineHash tells pipelines apart: the training program's hash over the pipeline features, types slowest.
func (f Features) pipelineHash() uint64 {
	var h uint64
	for i := range f {
		for t := range types {
			for p := range properties {
				h = hashFloat(h, f[i].Pipeline[p*types+t])
			}
		}
	}
	return h
}

// scheduleHash tells schedules of a pipeline apart: the training program's hash over the schedule features.
func (f Features) scheduleHash() uint64 {
	var h uint64
	for i := range f {
		for _, v := range f[i].Schedule {
			h = hashFloat(h, v)
		}
	}
	return h
}
