package adams2019

import (
	"encoding/binary"
	"fmt"

	"zonemark/invocations/files"
)

// Sample is a schedule of a pipeline with its measured run time: the contents of a .sample file.
type Sample struct {
	File       string // the path that it was read from; empty if it was not
	Features   Features
	RuntimeMS  float32
	PipelineID int32
	ScheduleID int32
}

const (
	sampleTail = 12 // bytes behind the features: the run time and two numbers
	// mostRuntimeMS is the longest run time that the training program trusts.
	mostRuntimeMS = 100_000

	remakeSample = "measure the schedule again, or remove the file"
)

// ParseSample reads the contents of a .sample file. The error is a *FormatError. Beside what ParseFeatures refuses, it
// refuses a run time that is not above zero, or above 100 s.
func ParseSample(data []byte) (Sample, error) {
	if len(data) < stageBytes+sampleTail || (len(data)-sampleTail)%stageBytes != 0 {
		return Sample{}, &FormatError{Offset: len(data), Remedy: remakeSample, Problem: fmt.Sprintf(
			"the file ends here, with %d bytes; a sample has %d for each stage, and %d", len(data), stageBytes,
			sampleTail)}
	}
	tail := len(data) - sampleTail
	features, err := ParseFeatures(data[:tail])
	if err != nil {
		return Sample{}, err
	}
	s := Sample{
		Features:   features,
		RuntimeMS:  floatAt(data, tail),
		PipelineID: int32(binary.LittleEndian.Uint32(data[tail+4:])),
		ScheduleID: int32(binary.LittleEndian.Uint32(data[tail+8:])),
	}
	if !(s.RuntimeMS > 0 && s.RuntimeMS <= mostRuntimeMS) {
		return Sample{}, &FormatError{Offset: tail, Remedy: remakeSample, Problem: fmt.Sprintf(
			"the run time is %v ms, not between 0 and %d", s.RuntimeMS, mostRuntimeMS)}
	}
	return s, nil
}

// ReadSample reads a .sample file. The error names the file.
func ReadSample(path string) (Sample, error) {
	data, err := files.Read(path)
	if err != nil {
		return Sample{}, err
	}
	s, err := ParseSample(data)
	if err != nil {
		return Sample{}, inFile(path, err)
	}
	s.File = path
	return s, nil
}

// Append appends the bytes of a .sample file.
func (s Sample) Append(b []byte) []byte {
	b = s.Features.Append(b)
	b = appendFloats(b, []float32{s.RuntimeMS})
	b = binary.LittleEndian.AppendUint32(b, uint32(s.PipelineID))
	return binary.LittleEndian.AppendUint32(b, uint32(s.ScheduleID))
}

// Write writes a .sample file, in one step: nobody finds half a file.
func (s Sample) Write(path string) error { return files.Write(path, 0o644, s.Append(nil)) }

// Problem tells why a sample is left out. Err names the file.
type Problem struct {
	File string
	Err  error
}

// ReadSamples reads .sample files. A file that is missing or damaged is left out and is a problem; the others are
// returned in the order of their paths.
func ReadSamples(paths []string) ([]Sample, []Problem) {
	var samples []Sample
	var problems []Problem
	for _, path := range paths {
		s, err := ReadSample(path)
		if err != nil {
			problems = append(problems, Problem{path, err})
			continue
		}
		samples = append(samples, s)
	}
	return samples, problems
}
