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
	// Commit is the Git commit of the run's working directory. It is absent if there was none.
	Commit string `json:"commit,omitempty"`
	// Shard is the part of a plan that the run measures. It is absent if the run measures all of its plan. In a merged
	// journal, the resume line before the results of each part has it.
	Shard *Shard `json:"shard,omitempty"`
}

// Shard is the JSON shape of a part of a plan, of which other runs measure the other parts.
type Shard struct {
	// Index is the number of the part, from 0.
	Index int `json:"index"`
	// Count is the number of parts.
	Count int `json:"count"`
	// Invocations is the number of invocations in the part.
	Invocations int `json:"invocations"`
	// Of is the number of invocations in the plan.
	Of int `json:"of"`
	// Plan is a hash of the ids of the plan, in their order.
	Plan string `json:"plan"`
	// Division is a hash of the numbers of the parts that the invocations are in, in the order of the plan.
	Division string `json:"division"`
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
