// Package bundle keeps what a run has measured, with all that it takes to measure it again, in one file: a zip archive
// with the journal, the invocations, and the files that these name. A manifest lists each entry with its size and its
// hash, so that a damaged or changed bundle is refused. Bundles may come from strangers: names, sizes and numbers of
// entries are checked before anything is written, and nothing is written outside of the folder that the caller names.
//
// The package does not know what is measured, and starts nothing.
package bundle

import (
	"path"
	"path/filepath"
	"strings"
	"time"
)

// The names of entries.
const (
	manifestName = "manifest.json" // the last entry
	JournalName  = "journal.ndjson"
	PlanName     = "plan.json"
	fileFolder   = "files/" // files by their paths
)

// Format is what the manifest of a bundle begins with.
const Format = "zonemark bundle"

// Version is the version of the format. Later versions are refused.
const Version = 1

// Manifest lists what a bundle holds.
type Manifest struct {
	Format  string    `json:"format"`
	Version int       `json:"version"`
	Build   string    `json:"zonemark"` // that wrote the bundle
	Created time.Time `json:"created"`
	Entries []Entry   `json:"entries"`
}

// Entry is a file in a bundle.
type Entry struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"` // in bytes
	SHA256 string `json:"sha256"`
}

// entryName returns the name of the entry of a file with an absolute path. The names keep the whole path, so that files
// that name each other by relative paths find each other below any folder.
func entryName(file string) string {
	volume := filepath.VolumeName(file)
	slashed := filepath.ToSlash(strings.TrimPrefix(file, volume))
	return path.Join(fileFolder, strings.NewReplacer(":", "", `\`, "").Replace(volume), slashed)
}

// PathIn returns where the file with an absolute path lies below the folder into which a bundle was unpacked.
func PathIn(folder, file string) string {
	return filepath.Join(folder, filepath.FromSlash(entryName(file)))
}
