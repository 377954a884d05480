package tune

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"zonemark/driver/halide/adams2019"
	"zonemark/invocations"
	"zonemark/invocations/files"
)

// The endings of the files of a sample.
const (
	Library       = ".so"            // the pipeline with Halide's runtime
	Object        = ".o"             // the pipeline alone
	Schedule      = ".schedule.h"    // the schedule as C++ source, which can be applied
	Featurization = ".featurization" // what the cost model sees of the schedule
	Weights       = ".weights"       // what the best schedule was made with
	madeSuffix    = ".json"          // see Made

	// Features with the measured time: for training, and those whose time others have disturbed.
	sampleSuffix    = ".sample"
	contendedSuffix = ".contended"
)

// Made says what was made of a sample, and how to make it again: the same generator, target, parameters and weights
// give the same schedule.
type Made struct {
	Name            string            `json:"name"` // of the sample; also the start of its files' names
	Function        string            `json:"function"`
	Pipeline        Pipeline          `json:"pipeline"`
	Halide          string            `json:"halide"`
	Target          string            `json:"target"`
	Scheduler       string            `json:"scheduler"`
	SchedulerParams map[string]string `json:"scheduler_params"` // without the weights
	WeightsSHA256   string            `json:"weights_sha256"`
	// Status is ok if the files are there, or says why not, as that of an invocation does.
	Status invocations.Status `json:"status"`
	Error  string             `json:"error,omitempty"`
	// Files has the SHA-256 of each file, by the ending of its name.
	Files map[string]string `json:"files,omitempty"`

	folder string
}

// File returns the path of a file of the sample.
func (m Made) File(ending string) string { return filepath.Join(m.folder, m.Name+ending) }

// ScheduleKey tells schedules apart as the cost model does: it is equal for equal features.
func (m Made) ScheduleKey() string { return m.Files[Featurization] }

// keep copies files, by their endings, into a folder, and writes what they are. The description is written last, so
// that files without one do not count.
func (m Made) keep(folder string, from map[string]string) (Made, error) {
	m, err := m.place(folder, from)
	if err != nil {
		return m, err
	}
	return m, writeJSON(m.File(madeSuffix), m)
}

// place copies files, by their endings, into a folder, and takes note of what they are.
func (m Made) place(folder string, from map[string]string) (Made, error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return m, fmt.Errorf("%s: %w", m.Name, err)
	}
	m.folder, m.Files = folder, map[string]string{}
	for _, ending := range slices.Sorted(maps.Keys(from)) {
		data, err := files.Read(from[ending])
		if err == nil {
			err = files.Write(m.File(ending), 0o666, data)
		}
		if err != nil {
			return m, fmt.Errorf("%s: %w", m.Name, err)
		}
		m.Files[ending] = hashOf(data)
	}
	return m, nil
}

// read returns what was made of a sample. It is an error if its description, or one of its files, is missing or is not
// what it was. The library does not count: it is removed when nobody needs it any more.
func read(folder, name string) (Made, error) {
	path := filepath.Join(folder, name+madeSuffix)
	data, err := files.Read(path)
	if err != nil {
		return Made{}, err
	}
	m := Made{folder: folder}
	if err := json.Unmarshal(data, &m); err != nil {
		return Made{}, fmt.Errorf("%s: %w", path, err)
	}
	if m.Name != name || m.Status == "" {
		return Made{}, fmt.Errorf("%s: it does not describe %s", path, name)
	}
	for ending := range m.Files {
		if err := m.check(ending); ending != Library && err != nil {
			return Made{}, err
		}
	}
	if m.Status == invocations.OK {
		if _, err := adams2019.ReadFeatures(m.File(Featurization)); err != nil {
			return Made{}, err
		}
	}
	return m, nil
}

// HasLibrary reports whether the library of the sample is there and is what it was.
func (m Made) HasLibrary() bool { return m.Files[Library] != "" && m.check(Library) == nil }

// check returns an error if a file is not what it was.
func (m Made) check(ending string) error {
	data, err := files.Read(m.File(ending))
	if err == nil && hashOf(data) != m.Files[ending] {
		err = fmt.Errorf("%s: it has changed since it was made", m.File(ending))
	}
	return err
}

// measured writes the features of a schedule with a time, as a file of a folder. It takes the place of an earlier time,
// unless that is undisturbed and this is not.
func (m Made) measured(folder string, schedule int, t Timing) error {
	features, err := adams2019.ReadFeatures(m.File(Featurization))
	if err != nil {
		return err
	}
	suffix, other := sampleSuffix, contendedSuffix
	if t.Contended {
		suffix, other = other, suffix
	}
	path := filepath.Join(folder, m.Name)
	if _, err := adams2019.ReadSample(path + sampleSuffix); err == nil && t.Contended {
		return nil
	}
	err = adams2019.Sample{
		Features: features, RuntimeMS: float32(t.MedianNS / 1e6), PipelineID: m.Pipeline.ID(), ScheduleID: int32(schedule),
	}.Write(path + suffix)
	if err != nil {
		return err
	}
	if err := files.Remove(path + other); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", m.Name, err)
	}
	return nil
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// WeightsHash returns the hash by which descriptions name weights.
func WeightsHash(w *adams2019.Weights) string { return hashOf(w.Append(nil)) }
