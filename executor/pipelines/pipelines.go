// Package pipelines holds files of programs that hand samples on, and sends samples through such programs. It knows no
// runtime: what a program is, and how its results become inputs of the next one, is for the runtimes to say.
package pipelines

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"

	"zonemark/invocations"
	"zonemark/invocations/files"
)

// Extension ends the names of files that hold a pipeline.
const Extension = ".pipeline"

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
	// Function is what is called of a program that may have several.
	Function string `json:"function,omitempty"`
	// Path is an absolute path of the program, if it is a file of its own. Program is then empty.
	Path string `json:"path,omitempty"`
	// Program is the program itself.
	Program []byte `json:"-"`
}

const (
	magic      = "zonemark pipeline 1\n"
	maxStages  = 16
	maxSamples = 1 << 24
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
	return append(append([]byte(magic), append(head, '\n')...), programs...), nil
}

// Is reports whether a file is a pipeline, and not a program.
func Is(file []byte) bool { return bytes.HasPrefix(file, []byte(magic)) }

// Named reports whether a file is a pipeline by its name.
func Named(path string) bool { return filepath.Ext(path) == Extension }

// Decode reads a file that Encode has made.
func Decode(file []byte) (*Pipeline, error) {
	if !Is(file) {
		return nil, errors.New("pipeline: it does not begin as one; make it again")
	}
	head, rest, found := bytes.Cut(file[len(magic):], []byte("\n"))
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

// Read reads a pipeline of programs that are files of their own.
func Read(path string) (*Pipeline, error) {
	file, err := files.Read(path)
	if err != nil {
		return nil, err
	}
	p, err := Decode(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i, s := range p.Stages {
		if s.Path == "" {
			return nil, fmt.Errorf("%s: stage %d names no file; make it again", path, i)
		}
	}
	return p, nil
}

// Keep writes a pipeline to a folder, under a name by its contents, and returns its path.
func (p *Pipeline) Keep(folder string) (path string, err error) {
	file, err := p.Encode()
	if err != nil {
		return "", err
	}
	path = filepath.Join(folder, fmt.Sprintf("%.16x%s", sha256.Sum256(file), Extension))
	return path, files.Write(path, 0o600, file)
}

// Move changes the paths in the pipeline at path to what moved returns for them.
func Move(path string, moved func(file string) string) error {
	p, err := Read(path)
	if err != nil {
		return err
	}
	for i := range p.Stages {
		p.Stages[i].Path = moved(p.Stages[i].Path)
	}
	file, err := p.Encode()
	if err != nil {
		return err
	}
	return files.Write(path, 0o600, file)
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
		if s.Path != "" && (s.Bytes != 0 || !filepath.IsAbs(s.Path)) {
			return fmt.Errorf("pipeline: stage %d has %d bytes and the path %q; make it again", i, s.Bytes, s.Path)
		}
	}
	return nil
}

// CheckSets refuses several sets of arguments, of so many bytes, for the pipeline at path; 0 stands for one set.
func CheckSets(path string, setBytes int64) error {
	if setBytes > 0 {
		return fmt.Errorf("%s: a pipeline has one set of arguments; measure it in mode %s", path, invocations.Warm)
	}
	return nil
}

// OptionsOf returns the options of a stage: its own, and those of the pipeline.
func (s *Stage) OptionsOf(given map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, given)
	maps.Copy(all, s.Options)
	return all
}
