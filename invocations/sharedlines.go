package invocations

import (
	"maps"
	"math"
)

// Common is the JSON shape of a line of the journal with what several results have in common. A result that has its
// number has its values, too, for the keys that are absent in its own line. A line with the number of an earlier one
// replaces it for the results behind it.
type Common struct {
	// Kind is "common".
	Kind string `json:"kind"`
	// Number is that by which results refer to it, from 1.
	Number int `json:"common"`
	// Runtime is the name of the runtime that ran them.
	Runtime string `json:"runtime,omitempty"`
	// Artifact is the path of the file with the code.
	Artifact string `json:"artifact,omitempty"`
	// SHA256 is the hash of that file.
	SHA256 string `json:"artifact_sha256,omitempty"`
	// Options are those of the artifact, by the runtime's keys.
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
	// SandboxProfile is that of the sandbox.
	SandboxProfile string `json:"sandbox_profile,omitempty"`
	// SandboxAllowed is what the sandbox let native code write.
	SandboxAllowed []string `json:"sandbox_allowed,omitempty"`
}

// Shared tells which fields that often differ from one result of a run to the next are in a Common, beside those that
// seldom do.
type Shared struct {
	Arguments bool
	Counters  bool // those that are zero, and the names of exact ones
	Counts    bool // Function, Stop, Merged, Sets, SetBytes, Discarded and Launches
	Notes     bool // without the one that follows from other fields
}

// CommonOf returns what a result may have in common with others.
func CommonOf(r *Record, of Shared) Common {
	c := Common{Kind: CommonKind, Runtime: r.Runtime, Artifact: r.Artifact, SHA256: r.SHA256, Options: r.Options,
		Mode: r.Mode, Clock: r.Clock, ReferenceAt: r.ReferenceAt, Layers: r.Layers,
		Host: r.Host, Machine: r.Machine, SandboxProfile: r.SandboxProfile, SandboxAllowed: r.SandboxAllowed}
	if of.Arguments {
		c.Arguments = r.Arguments
	}
	if of.Counters {
		c.Counters, c.Exact = zeros(r.Counters), r.Exact
	}
	if of.Counts {
		c.Function, c.Stop, c.Merged, c.Launches = r.Function, r.Stop, r.Merged, r.Launches
		c.Sets, c.SetBytes, c.Discarded = r.Sets, r.SetBytes, r.Discarded
	}
	if of.Notes {
		c.Notes = r.notesWithout(r.disturbance())
	}
	return c
}

// zeros returns the counters that are zero, nil if there are none.
func zeros(counters map[string]float64) map[string]float64 {
	var zero map[string]float64
	for name, n := range counters {
		if same(n, 0) {
			if zero == nil {
				zero = map[string]float64{}
			}
			zero[name] = 0
		}
	}
	return zero
}

// ShortRecord is the JSON shape of a result that refers to a Common. It lacks the keys that the other one has, and what
// follows from the keys that it has: the share of quiet batches, the note on the others and, if it has one launch with
// few samples, the figures of these.
type ShortRecord struct {
	Record
	// These hide those of Record, which are there even if they are empty.
	Runtime  string `json:"runtime,omitempty"`
	Artifact string `json:"artifact,omitempty"`
	Function string `json:"function,omitempty"`
	Mode     Mode   `json:"mode,omitempty"`
	Common   int    `json:"common,omitempty"` // number of the Common; 0: the record is whole
}

// WholeRecord returns a record in the form of one that refers to a Common, with all that it has.
func WholeRecord(r *Record) ShortRecord {
	return ShortRecord{Record: *r, Runtime: r.Runtime, Artifact: r.Artifact, Function: r.Function, Mode: r.Mode}
}

// Shorten returns a record without what is in common, which is CommonOf of it, and what follows from other fields. It
// reports false if Whole could not restore the record.
func (r Record) Shorten(common Common) (ShortRecord, bool) {
	short := ShortRecord{Record: r, Common: common.Number}
	s := &short.Record
	s.SHA256, s.Options, s.Clock, s.ReferenceAt, s.Layers = "", nil, "", nil, nil
	s.Host, s.Machine = "", ""
	s.SandboxProfile, s.SandboxAllowed = "", nil
	short.Function = r.Function
	remove(&short.Function, common.Function)
	remove(&s.Stop, common.Stop)
	removeAll(&s.Arguments, common.Arguments)
	removeAll(&s.Exact, common.Exact)
	removeAt(&s.Merged, common.Merged)
	removeAt(&s.Launches, common.Launches)
	removeAt(&s.Sets, common.Sets)
	removeAt(&s.SetBytes, common.SetBytes)
	removeAt(&s.Discarded, common.Discarded)
	if len(common.Counters) > 0 {
		s.Counters = maps.Clone(r.Counters)
		maps.DeleteFunc(s.Counters, func(_ string, n float64) bool { return same(n, 0) })
	}
	return short, r.shortenDisturbance(s, common) && r.shortenFigures(s)
}

// remove, removeAll and removeAt remove from a field what a Common has for it.
func remove[T comparable](field *T, common T) {
	if *field == common {
		*field = *new(T)
	}
}

func removeAll[T any](field *[]T, common []T) {
	if common != nil {
		*field = nil
	}
}

func removeAt[T any](field **T, common *T) {
	if common != nil {
		*field = nil
	}
}

// Own returns the record with what its line has.
func (s *ShortRecord) Own() Record {
	r := s.Record
	r.Runtime, r.Artifact, r.Function, r.Mode = s.Runtime, s.Artifact, s.Function, s.Mode
	return r
}

// Whole returns the record with what is in common and what follows from other fields.
func (s *ShortRecord) Whole(common Common) Record {
	r := s.Own()
	fill(&r.Runtime, common.Runtime)
	fill(&r.Artifact, common.Artifact)
	fill(&r.Function, common.Function)
	fill(&r.Mode, common.Mode)
	fill(&r.Stop, common.Stop)
	fill(&r.SHA256, common.SHA256)
	fill(&r.Clock, common.Clock)
	fill(&r.Host, common.Host)
	fill(&r.Machine, common.Machine)
	fill(&r.SandboxProfile, common.SandboxProfile)
	fill(&r.ReferenceAt, common.ReferenceAt)
	fill(&r.Merged, common.Merged)
	fill(&r.Launches, common.Launches)
	fill(&r.Sets, common.Sets)
	fill(&r.SetBytes, common.SetBytes)
	fill(&r.Discarded, common.Discarded)
	if r.Options == nil {
		r.Options = common.Options
	}
	r.Counters = withZeros(r.Counters, common.Counters)
	fillList(&r.Notes, common.Notes)
	fillList(&r.Arguments, common.Arguments)
	fillList(&r.Exact, common.Exact)
	fillList(&r.Layers, common.Layers)
	fillList(&r.SandboxAllowed, common.SandboxAllowed)
	r.restoreDisturbance()
	r.restoreFigures()
	return r
}

func fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func fillList[T any](field *[]T, value []T) {
	if *field == nil {
		*field = value[:len(value):len(value)]
	}
}

// withZeros returns counters with those of a Common that they lack.
func withZeros(counters, common map[string]float64) map[string]float64 {
	if len(counters) == 0 || len(common) == 0 {
		if len(counters) == 0 && common != nil {
			return common
		}
		return counters
	}
	all := maps.Clone(common)
	maps.Copy(all, counters)
	return all
}

// same reports whether two numbers are equal bit by bit.
func same(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
