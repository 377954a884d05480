package tune

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/driver/halide/adams2019"
	"zonemark/invocations"
	"zonemark/invocations/files"
)

// Best is the best schedule that was measured of a pipeline. The same files lie beside its description, and can be
// applied: the schedule as C++ source, the object, and the library.
type Best struct {
	Made
	Sample string `json:"sample"` // whose schedule it is
	// UntunedRatio is the time of the untuned schedule divided by that of this one, when both were measured in turns at
	// the end, with its interval of 95 % confidence: above 1, this one is faster.
	UntunedRatio float64  `json:"untuned_ratio"`
	RatioLow     float64  `json:"untuned_ratio_ci_low"`
	RatioHigh    *float64 `json:"untuned_ratio_ci_high,omitempty"` // nil: few launches have shown no upper end
	Time         Time     `json:"time"`                            // in this comparison
	Untuned      Time     `json:"untuned"`                         // in this comparison
	Batches      int      `json:"batches"`                         // that it was chosen from
}

// Compared tells how the schedule compares with the untuned one. Without an upper end, high is infinite. Launches that
// show no ratio, or no end of its interval, give what is not a number: then it is what the two times allow.
func (b *Best) Compared(ratio, low, high float64) {
	if math.IsNaN(ratio) {
		ratio, low, high = b.Untuned.Ratio(b.Time)
	}
	if !(ratio > 0) || math.IsInf(ratio, 1) { // nor do these allow one
		ratio, low, high = 1, 0, math.Inf(1)
	}
	if math.IsNaN(low) {
		low = 0
	}
	b.UntunedRatio, b.RatioLow, b.RatioHigh = ratio, low, invocations.Finite(high)
}

// High returns the upper end of the interval.
func (b Best) High() float64 {
	if b.RatioHigh == nil {
		return math.Inf(1)
	}
	return *b.RatioHigh
}

// Better reports whether the schedule is faster than the untuned one by more than the interval of their ratio.
func (b Best) Better() bool { return b.RatioLow > 1 }

// Candidate is a schedule that may be the best.
type Candidate struct {
	Sample    Sample // zero for the untuned schedule
	Made      Made
	MS        float64
	Contended bool // others have used the machine whenever it was measured
}

// before reports whether this time of a schedule counts rather than another one: an undisturbed one, else the shorter.
func (c Candidate) before(o Candidate) bool {
	if c.Contended != o.Contended {
		return o.Contended
	}
	return c.MS < o.MS || c.MS == o.MS && c.Made.Name < o.Made.Name
}

// Candidates returns the fastest schedules of a pipeline in the batches up to last, at most so many, fastest first.
// Equally fast ones are in the order of their names. The untuned schedule is among them if it is that fast. Those with
// contended times are among them, too, since candidates are measured again. Samples whose files are damaged are left
// out.
func (f *Folder) Candidates(pipeline string, last, most int) []Candidate {
	fastest := map[string]Candidate{} // of equal schedules
	for n := 1; n <= last; n++ {
		for _, c := range f.Batch(n).candidates(pipeline) {
			key := c.Made.ScheduleKey()
			if old, known := fastest[key]; !known || c.before(old) {
				fastest[key] = c
			}
		}
	}
	list := make([]Candidate, 0, len(fastest))
	for _, c := range fastest {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(a.MS, b.MS), cmp.Compare(a.Made.Name, b.Made.Name))
	})
	return list[:min(most, len(list))]
}

// candidates returns the schedules of a pipeline that have a time in this batch.
func (b *Batch) candidates(pipeline string) (list []Candidate) {
	for _, suffix := range []string{sampleSuffix, contendedSuffix} {
		samples, _ := b.read(suffix) // problems are told when the batch is trained on
		for _, s := range samples {
			name := strings.TrimSuffix(filepath.Base(s.File), suffix)
			c := Candidate{MS: float64(s.RuntimeMS), Contended: suffix == contendedSuffix}
			var err error
			if name == UntunedName(pipeline) {
				c.Made, err = b.folder.Untuned(pipeline)
			} else {
				c.Sample = Sample{Pipeline: pipeline, Batch: b.Number, Number: int(s.ScheduleID)}
				if name != c.Sample.Name() {
					continue // of another pipeline
				}
				c.Made, err = b.Read(c.Sample)
			}
			if err == nil && c.Made.Status == invocations.OK {
				list = append(list, c)
			}
		}
	}
	return list
}

// RemoveLibraries removes the libraries of a batch, but those of the samples that are named. They are built again if
// they are needed.
func (b *Batch) RemoveLibraries(keep []string) error {
	entries, err := os.ReadDir(b.path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name, isLibrary := strings.CutSuffix(e.Name(), Library)
		if !isLibrary || slices.Contains(keep, name) {
			continue
		}
		if err := os.Remove(filepath.Join(b.path, e.Name())); err != nil {
			return fmt.Errorf("tidy up batch %d: %w", b.Number, err)
		}
	}
	return nil
}

// ComparisonJournal returns the path of the journal of a comparison at the end, after so many batches.
func (f *Folder) ComparisonJournal(what string, batches int) string {
	return filepath.Join(f.path, bestFolder, fmt.Sprintf("%s_%04d.ndjson", what, batches))
}

// KeepBest copies the files of the best schedule, by their endings, into the folder, and writes what it is. It returns
// it with the pipeline's name.
func (f *Folder) KeepBest(b Best, files map[string]string) (Best, error) {
	b.Name = b.Pipeline.Name
	var err error
	if b.Made, err = b.Made.place(filepath.Join(f.path, bestFolder), files); err != nil {
		return b, err
	}
	return b, writeJSON(b.File(madeSuffix), b)
}

// MakeBestFolder makes the folder of best schedules.
func (f *Folder) MakeBestFolder() error {
	if err := os.MkdirAll(filepath.Join(f.path, bestFolder), 0o777); err != nil {
		return fmt.Errorf("folder of the tuning: %w", err)
	}
	return nil
}

// ReadBest returns the best schedule of a pipeline from the folder of a tuning, which need not be locked. The error is
// fs.ErrNotExist if there is none, and says what is wrong if one of its files is not what it was.
func ReadBest(folder, pipeline string) (Best, error) {
	folder = filepath.Join(folder, bestFolder)
	path := filepath.Join(folder, pipeline+madeSuffix)
	data, err := files.Read(path)
	if err != nil {
		return Best{}, fmt.Errorf("tuned schedule of %s: %w", pipeline, err)
	}
	b := Best{}
	if err := json.Unmarshal(data, &b); err != nil {
		return Best{}, fmt.Errorf("%s: %w; tune again", path, err)
	}
	b.folder = folder
	if b.Name != pipeline {
		return Best{}, fmt.Errorf("%s: it describes %q; tune again", path, b.Name)
	}
	for ending := range b.Files {
		if err := b.check(ending); err != nil {
			return Best{}, fmt.Errorf("%w; tune again", err)
		}
	}
	return b, nil
}

// WeightsOf returns the path of the weights that the last finished batch in the folder of a tuning has taught. The
// error is fs.ErrNotExist if there are none.
func WeightsOf(folder string) (string, error) {
	path := filepath.Join(folder, updatedWeights)
	if _, err := adams2019.ReadWeights(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("tuned weights: %w", err)
		}
		return "", err
	}
	return path, nil
}
