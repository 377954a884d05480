package tune

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"zonemark/driver/halide/adams2019"
	"zonemark/invocations"
	"zonemark/invocations/files"
)

// Batch is a batch of samples that are scheduled with the same weights.
type Batch struct {
	Number int
	path   string
	folder *Folder
}

// Batch returns a batch by its number, from 1.
func (f *Folder) Batch(number int) *Batch {
	return &Batch{Number: number, path: filepath.Join(f.path, fmt.Sprintf("batch_%04d", number)), folder: f}
}

// Journal returns the path of the batch's journal.
func (b *Batch) Journal() string { return filepath.Join(b.path, journalFile) }

// AgainJournal returns the path of the journal of the samples that were measured a second time.
func (b *Batch) AgainJournal() string { return filepath.Join(b.path, againFile) }

// UsedWeights returns the path of the weights that the batch is scheduled with.
func (b *Batch) UsedWeights() string { return filepath.Join(b.path, usedWeights) }

// Begin makes the folder of the batch and its weights, which are those that the batch before it has taught, or those
// that the tuning began with. Weights that are there and whole stay.
func (b *Batch) Begin() (*adams2019.Weights, error) {
	if w, err := adams2019.ReadWeights(b.UsedWeights()); err == nil {
		return w, nil
	}
	from := filepath.Join(b.folder.path, startWeights)
	if b.Number > 1 {
		from = filepath.Join(b.folder.Batch(b.Number-1).path, updatedWeights)
	}
	w, err := adams2019.ReadWeights(from)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(b.path, 0o777); err != nil {
		return nil, fmt.Errorf("batch %d: %w", b.Number, err)
	}
	return w, w.Write(b.UsedWeights())
}

// Keep copies the files of a sample, by their endings, into the batch. m says what they are.
func (b *Batch) Keep(m Made, files map[string]string) (Made, error) { return m.keep(b.path, files) }

// Read returns what was made of a sample, with an error if it is not there, or is not whole and must be made again.
func (b *Batch) Read(s Sample) (Made, error) { return read(b.path, s.Name()) }

// Timing is the measured time of a schedule.
type Timing struct {
	MedianNS  float64
	Contended bool // others have used the machine meanwhile
}

// TimingOf returns what a record of status ok that has a time says.
func TimingOf(r *invocations.Record) Timing {
	return Timing{MedianNS: r.Summary().MedianNS, Contended: slices.Contains(r.Verdicts, invocations.Contended)}
}

// Measured takes note of the time of a sample. Contended times are not trained on, and never take the place of others.
func (b *Batch) Measured(s Sample, m Made, t Timing) error { return m.measured(b.path, s.Number, t) }

// UntunedMeasured takes note of the time of the untuned schedule of a pipeline, which each batch measures again.
func (b *Batch) UntunedMeasured(untuned Made, t Timing) error {
	return untuned.measured(b.path, MostSamples+1, t)
}

// Samples reads what was measured in this batch alone, for training: without contended times. A file that is damaged is
// left out and is a problem.
func (b *Batch) Samples() ([]adams2019.Sample, []adams2019.Problem) { return b.read(sampleSuffix) }

// read reads the samples of the batch whose files have an ending.
func (b *Batch) read(suffix string) ([]adams2019.Sample, []adams2019.Problem) {
	paths, _ := filepath.Glob(filepath.Join(escaped(b.path), "*"+suffix))
	samples, problems := adams2019.ReadSamples(paths)
	known := b.folder.PipelineNames()
	kept := samples[:0]
	for _, s := range samples {
		if known[s.PipelineID] == "" {
			problems = append(problems, adams2019.Problem{File: s.File, Err: fmt.Errorf("%s: its pipeline %d is not one of "+
				"this tuning; remove it", s.File, s.PipelineID)})
			continue
		}
		kept = append(kept, s)
	}
	return kept, problems
}

// SamplesUpTo reads what was measured in this batch and in all before it.
func (b *Batch) SamplesUpTo() (all []adams2019.Sample, problems []adams2019.Problem) {
	for n := 1; n <= b.Number; n++ {
		samples, damaged := b.folder.Batch(n).Samples()
		all, problems = append(all, samples...), append(problems, damaged...)
	}
	return all, problems
}

// Finish writes what the batch has taught and what came of it, after which it counts as finished.
func (b *Batch) Finish(updated *adams2019.Weights, r Report) error {
	if err := updated.Write(filepath.Join(b.path, updatedWeights)); err != nil {
		return err
	}
	if err := updated.Write(b.folder.UpdatedWeights()); err != nil {
		return err
	}
	return writeJSON(filepath.Join(b.path, reportFile), r)
}

// Updated returns the weights that a finished batch has taught.
func (b *Batch) Updated() (*adams2019.Weights, error) {
	return adams2019.ReadWeights(filepath.Join(b.path, updatedWeights))
}

// Report reads what came of a batch. finished is false if the batch is not finished, or if what it left is damaged. The
// report of a batch that was cut short is returned, too.
func (b *Batch) Report() (r Report, finished bool) {
	data, err := files.Read(filepath.Join(b.path, reportFile))
	if err != nil || json.Unmarshal(data, &r) != nil || r.Batch != b.Number {
		return Report{}, false
	}
	_, err = b.Updated()
	return r, err == nil && !r.Cut
}

// UpdatedWeights returns the path of the weights that the last finished batch has taught.
func (f *Folder) UpdatedWeights() string { return filepath.Join(f.path, updatedWeights) }

// Untuned returns the untuned schedule of a pipeline, with an error if it is not there or not whole.
func (f *Folder) Untuned(pipeline string) (Made, error) {
	return read(filepath.Join(f.path, untunedFolder), UntunedName(pipeline))
}

// KeepUntuned copies the files of an untuned schedule, by their endings, into the folder.
func (f *Folder) KeepUntuned(m Made, files map[string]string) (Made, error) {
	return m.keep(filepath.Join(f.path, untunedFolder), files)
}

// escaped returns a path as a pattern that matches it alone.
func escaped(path string) string {
	var out []rune
	for _, r := range path {
		if r == '*' || r == '?' || r == '[' || r == '\\' {
			out = append(out, '\\')
		}
		out = append(out, r)
	}
	return string(out)
}
