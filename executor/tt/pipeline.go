package tt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
)

// Pipeline is a file of programs that hand samples on: while one works on a sample, the one before it works on the next
// sample. A call sends a number of samples through all of them.
type Pipeline struct {
	Samples int64   `json:"samples"` // of a call
	Stages  []Stage `json:"stages"`  // at least two
}

// Stage is a program of a pipeline. Its inputs are arguments of the pipeline, behind those of the stages before it.
type Stage struct {
	// Options are those in which it differs from the options of the pipeline.
	Options map[string]string `json:"options,omitempty"`
	// From has the result of the stage before that an input takes, by the position of the input. Other inputs are the same
	// for each sample.
	From  map[int]int `json:"from,omitempty"`
	Bytes int         `json:"bytes"` // size of Program, which Encode sets
	// Program is StableHLO, as text or bytecode.
	Program []byte `json:"-"`
}

const (
	pipelineMagic = "zonemark pipeline 1\n"
	maxStages     = 16
	maxSamples    = 1 << 24
)

// Encode returns the file. Programs follow a line of JSON.
func (p *Pipeline) Encode() ([]byte, error) {
	programs := []byte{}
	for i := range p.Stages {
		p.Stages[i].Bytes = len(p.Stages[i].Program)
		programs = append(programs, p.Stages[i].Program...)
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	head, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return append(append([]byte(pipelineMagic), append(head, '\n')...), programs...), nil
}

// isPipeline reports whether a file is a pipeline, and not a program.
func isPipeline(file []byte) bool { return bytes.HasPrefix(file, []byte(pipelineMagic)) }

// decodePipeline reads a file that Encode has made.
func decodePipeline(file []byte) (*Pipeline, error) {
	head, rest, found := bytes.Cut(file[len(pipelineMagic):], []byte("\n"))
	if !found {
		return nil, errors.New("pipeline: it is cut off; make it again")
	}
	p := &Pipeline{}
	if err := json.Unmarshal(head, p); err != nil {
		return nil, fmt.Errorf("pipeline: %w; make it again", err)
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	for i := range p.Stages {
		s := &p.Stages[i]
		if s.Bytes < 0 || s.Bytes > len(rest) {
			return nil, fmt.Errorf("pipeline: stage %d has %d bytes, of which %d are there; make it again", i, s.Bytes, len(rest))
		}
		s.Program, rest = rest[:s.Bytes], rest[s.Bytes:]
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("pipeline: %d bytes follow the last stage; make it again", len(rest))
	}
	return p, nil
}

// check refuses what is no pipeline.
func (p *Pipeline) check() error {
	if len(p.Stages) < 2 || len(p.Stages) > maxStages || p.Samples < 1 || p.Samples > maxSamples {
		return fmt.Errorf("pipeline of %d stages for %d samples: want 2 to %d stages, and 1 to %d samples", len(p.Stages),
			p.Samples, maxStages, maxSamples)
	}
	for i, s := range p.Stages {
		if (len(s.From) == 0) != (i == 0) {
			return fmt.Errorf("pipeline: stage %d takes %d results of the stage before it; each but the first takes some", i, len(s.From))
		}
	}
	return nil
}

// optionsOf returns the options of a stage: its own, and those of the pipeline.
func (s *Stage) optionsOf(given map[string]string) (options, error) {
	all := map[string]string{}
	maps.Copy(all, given)
	maps.Copy(all, s.Options)
	o, err := parseOptions(all)
	switch {
	case err == nil && !o.transfers:
		err = fmt.Errorf("option %s: a pipeline hands samples on by way of the host, so want %s", optionTransfers, transfersIncluded)
	case err == nil && o.chips != 1:
		err = fmt.Errorf("option %s=%d: a pipeline hands samples from device to device, so want 1", optionChips, o.chips)
	}
	return o, err
}
