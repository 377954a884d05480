package tune

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"zonemark/driver/halide/adams2019"
	"zonemark/invocations/files"
)

// The names in the folder of a tuning.
const (
	settingsFile   = "tuning.json"
	lockFile       = "tuning.lock"
	startWeights   = "start.weights"
	updatedWeights = "updated.weights"
	usedWeights    = "used.weights"
	untunedFolder  = "untuned"
	bestFolder     = "best"
	builtFolder    = "built"
	journalFile    = "results.ndjson"
	againFile      = "again.ndjson"
	reportFile     = "batch.json"
)

// Settings are what all samples of a tuning have in common.
type Settings struct {
	Format      int        `json:"format"`
	Halide      string     `json:"halide"` // its release
	Target      string     `json:"target"` // in full
	Parallelism int        `json:"parallelism"`
	Beam        int        `json:"beam_size"` // of untuned schedules, and of the first sample of a batch
	Pipelines   []Pipeline `json:"pipelines"`
}

// format is the version of the folder's layout.
const format = 1

// Folder is the folder of a tuning, locked by this process.
type Folder struct {
	path   string
	lock   files.File
	unlock func() error
	Settings
}

// Open makes the folder of a tuning if it is missing, and locks it: a second tuner is refused.
func Open(path string) (*Folder, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s: this is a file; name a folder for the tuning", path)
	}
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, fmt.Errorf("folder of the tuning: %w; name another one", err)
	}
	f := &Folder{path: path}
	if f.lock, err = files.OpenFile(filepath.Join(path, lockFile), os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return nil, fmt.Errorf("folder of the tuning: %w; name another one", err)
	}
	var unsupported *files.UnsupportedError
	if f.unlock, err = files.Lock(f.lock); errors.Is(err, files.ErrLocked) {
		f.lock.Close()
		return nil, fmt.Errorf("%s: another process tunes in this folder; wait for it, or name another folder", path)
	} else if errors.As(err, &unsupported) { // a network file system: the user sees to it that there is one tuner
		f.unlock, err = func() error { return nil }, nil
	} else if err != nil {
		f.lock.Close()
		return nil, fmt.Errorf("lock %s: %w", f.lock.Name(), err)
	}
	for _, name := range []string{startWeights, settingsFile} {
		err = errors.Join(err, files.RemoveUnfinished(filepath.Join(path, name)))
	}
	if err == nil {
		err = f.readSettings()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// readSettings reads what an earlier run has left. A folder without it is new, and has no business with other files.
func (f *Folder) readSettings() error {
	path := filepath.Join(f.path, settingsFile)
	data, err := files.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		entries, err := os.ReadDir(f.path)
		if err != nil {
			return err
		}
		for _, e := range entries {
			known := []string{lockFile, lockFile + ".lock", builtFolder, untunedFolder, startWeights}
			if name := e.Name(); !slices.Contains(known, name) {
				return fmt.Errorf("%s: it holds %s and is not the folder of a tuning; name another folder", f.path, name)
			}
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("folder of the tuning: %w", err)
	}
	if err := json.Unmarshal(data, &f.Settings); err != nil {
		return fmt.Errorf("%s: %w; remove the folder and tune anew", path, err)
	}
	if f.Format != format {
		return fmt.Errorf("%s: its layout has the version %d, and this program knows %d; name another folder", path,
			f.Format, format)
	}
	return nil
}

// Close gives the folder up.
func (f *Folder) Close() error { return errors.Join(f.unlock(), f.lock.Close()) }

// Path returns the path of the folder, which is absolute.
func (f *Folder) Path() string { return f.path }

// New reports whether nothing was tuned in the folder.
func (f *Folder) New() bool { return f.Format == 0 }

// Cache returns the folder that generators build in.
func (f *Folder) Cache() string { return filepath.Join(f.path, builtFolder) }

// StartPath returns the path of the weights that the tuning began with.
func (f *Folder) StartPath() string { return filepath.Join(f.path, startWeights) }

// StartWeights returns the weights that the tuning began with, nil if it has not begun.
func (f *Folder) StartWeights() (*adams2019.Weights, error) {
	w, err := adams2019.ReadWeights(f.StartPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return w, err
}

// SetStart keeps the weights that the tuning begins with, and returns the path of their file. It is an error if the
// tuning has begun with others.
func (f *Folder) SetStart(w *adams2019.Weights) (path string, err error) {
	path = f.StartPath()
	old, err := f.StartWeights()
	switch {
	case err == nil && old != nil && *old != *w && !f.New():
		return "", fmt.Errorf("%s: the tuning has begun with other weights; leave --weights out to continue it, or name "+
			"another folder", path)
	case err == nil && old != nil && *old == *w:
		return path, nil
	}
	return path, w.Write(path)
}

// Begin sets what the samples have in common or, if the tuning has begun, compares it with what they had. Pipelines may
// be new; those that are known must be the same.
func (f *Folder) Begin(s Settings) error {
	s.Format = format
	if !f.New() {
		if err := f.differs(s); err != nil {
			return err
		}
		for _, p := range f.Pipelines {
			if !slices.ContainsFunc(s.Pipelines, func(o Pipeline) bool { return o.Name == p.Name }) {
				s.Pipelines = append(s.Pipelines, p)
			}
		}
	}
	f.Settings = s
	path := filepath.Join(f.path, settingsFile)
	if err := writeJSON(path, s); err != nil {
		return err
	}
	// With samples and without settings, it would not be the folder of a tuning any more.
	if err := files.SyncName(path); err != nil {
		return fmt.Errorf("%s: %w; when the disk works, tune again", path, err)
	}
	return nil
}

// differs returns an error if samples with these settings do not belong into the folder.
func (f *Folder) differs(s Settings) error {
	for _, one := range []struct{ what, old, new string }{
		{"release of Halide", f.Halide, s.Halide},
		{"target", f.Target, s.Target},
		{"parallelism", fmt.Sprint(f.Parallelism), fmt.Sprint(s.Parallelism)},
		{"width of the beam", fmt.Sprint(f.Beam), fmt.Sprint(s.Beam)},
	} {
		if one.old != one.new {
			return fmt.Errorf("%s: the %s was %s, and now is %s; samples of both do not go together: name another "+
				"folder", f.path, one.what, one.old, one.new)
		}
	}
	for _, p := range s.Pipelines {
		for _, old := range f.Pipelines {
			switch {
			case old.Name != p.Name:
			case !maps.Equal(old.Parameters, p.Parameters):
				return fmt.Errorf("%s: the pipeline %s had the parameters %v, and now has %v; name another folder", f.path,
					p.Name, old.Parameters, p.Parameters)
			case old.Fingerprint != p.Fingerprint:
				return fmt.Errorf("%s: the source of the pipeline %s, the compiler, or the way in which zonemark builds it "+
					"has changed since its first samples; name another folder", f.path, p.Name)
			}
		}
	}
	return nil
}

// PipelineNames returns the names of the pipelines by the numbers that samples have.
func (s Settings) PipelineNames() map[int32]string {
	names := map[int32]string{}
	for _, p := range s.Pipelines {
		names[p.ID()] = p.Name
	}
	return names
}

// writeJSON writes a file in one step.
func writeJSON(path string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return files.Write(path, 0o666, append(data, '\n'))
}
