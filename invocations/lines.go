package invocations

import "time"

// JournalVersion is the version of the journal's lines. New keys do not change it. A key is never renamed and never
// gets another meaning.
const JournalVersion = 1

// The kinds of journal lines: the value of the key "kind", which comes first in every line.
const (
	HeaderKind = "header" // first line
	ResumeKind = "resume" // a run was continued here
	ResultKind = "result" // see Record
	CommonKind = "common" // see Common
	EndKind    = "end"    // the run is complete
)

// Header is the JSON shape of a journal's first line, and of the resume lines, which differ only in their kind.
type Header struct {
	// Kind is "header", or "resume" where a run was continued.
	Kind string `json:"kind"`
	// Version is the version of the journal's lines.
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

// Common is the JSON shape of a line of the journal with what several results have in common. A result that has its
// number has its values, too, for the keys that are absent in its own line. A line with the number of an earlier one
// replaces it for the results behind it.
type Common struct {
	// Kind is "common".
	Kind string `json:"kind"`
	// Number is the number by which results refer to it, from 1.
	Number int `json:"common"`
	// Runtime is the name of the runtime that ran them.
	Runtime string `json:"runtime,omitempty"`
	// Artifact is the path of the file with the code.
	Artifact string `json:"artifact,omitempty"`
	// SHA256 is the hash of that file.
	SHA256 string `json:"artifact_sha256,omitempty"`
	// Options are the options of the artifact, by the runtime's keys.
	Options map[string]string `json:"options,omitempty"`
	// Function is the function of the artifact.
	Function string `json:"function,omitempty"`
	// Arguments are what the function was called with.
	Arguments []ArgumentRecord `json:"arguments,omitempty"`
	// Notes are sentences for people.
	Notes []string `json:"notes,omitempty"`
	// Mode is the way of calling: warm, cold, flush or serialized.
	Mode Mode `json:"mode,omitempty"`
	// Stop is the reason why measuring ended.
	Stop Stop `json:"stop,omitempty"`
	// Merged is the number of launches that count, or of rounds if one launch has several. If the last one did not end
	// well, it is the number of those that were made.
	Merged *int `json:"rounds,omitempty"`
	// Sets is the number of argument sets.
	Sets *int `json:"sets,omitempty"`
	// SetBytes is the size of all of them together.
	SetBytes *int64 `json:"set_bytes,omitempty"`
	// Clock is the clock that was read.
	Clock string `json:"clock,omitempty"`
	// Discarded is the number of batches that were set apart because something disturbed them; without probes, because the
	// thread was switched out.
	Discarded *int64 `json:"discarded,omitempty"`
	// Launches is the number of launches that kept samples.
	Launches *int `json:"launches,omitempty"`
	// ReferenceAt is the reference clock.
	ReferenceAt *float64 `json:"reference_clock_ghz,omitempty"`
	// Counters are counters that are zero. A result has them, too, beside those of its own line.
	Counters map[string]float64 `json:"counters,omitempty"`
	// Exact are the names of counters that were equal in all launches.
	Exact []string `json:"exact,omitempty"`
	// Layers are the layers of the sandbox.
	Layers []string `json:"layers,omitempty"`
	// Host is the name of the host that measured them, if it was not the machine of the driver.
	Host string `json:"host,omitempty"`
	// Machine identifies that host.
	Machine string `json:"machine,omitempty"`
	// SandboxProfile is the profile of the sandbox.
	SandboxProfile string `json:"sandbox_profile,omitempty"`
	// SandboxAllowed is what the sandbox let native code write.
	SandboxAllowed []string `json:"sandbox_allowed,omitempty"`
}
