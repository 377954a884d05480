package invocations

import "time"

// JournalVersion is the version of the journal's lines. New keys do not change it. A key is never renamed and never
// gets another meaning.
const JournalVersion = 1

// The kinds of journal lines: the value of the key "kind", which comes first in every line.
const (
	HeaderKind = "header" // first line
	ResumeKind = "resume" // a run was continued here
	ResultKind = "result" // see Record and ShortRecord
	CommonKind = "common" // see Common
	EndKind    = "end"    // the run is complete
)

// Header is the JSON shape of a journal's first line, and of the resume lines, which differ only in their kind.
type Header struct {
	// Kind is "header", or "resume" where a run was continued.
	Kind string `json:"kind"`
	// Version is that of the journal's lines.
	Version int `json:"version"`
	// Build is the version of zonemark.
	Build string `json:"zonemark"`
	// Started is when the run began.
	Started time.Time `json:"started"`
	// Environment is the fingerprint of the machine that measures.
	Environment map[string]string `json:"environment,omitempty"`
	// Command is the command line.
	Command []string `json:"command,omitempty"`
	// Commit is the commit of Git that the working directory of the run was at. It is absent if there was none.
	Commit string `json:"commit,omitempty"`
}

// End is the JSON shape of a journal's last line. A journal without it, or whose counts differ from it, is not
// complete.
type End struct {
	// Kind is "end".
	Kind string `json:"kind"`
	// Results is the number of result lines before it.
	Results int `json:"results"`
	// ByStatus is the number of result lines by status.
	ByStatus map[Status]int `json:"by_status"`
	// PartialTraces is the number of result lines with the verdict partial-trace. It is absent if there are none.
	PartialTraces int `json:"partial_trace,omitempty"`
}
