// Package shortlines shortens the lines of results in long journals by what the results have in common and what follows
// from their other keys, and restores the results. It reads and writes no files.
package shortlines

import (
	"maps"
	"math"

	"zonemark/invocations"
)

// Shared tells which fields that often differ from one result of a run to the next are in a Common, beside those that
// seldom do.
type Shared struct {
	Arguments bool
	Counters  bool // those that are zero, and the names of exact ones
	Counts    bool // Function, Stop, Merged, Sets, SetBytes, Discarded and Launches
	Notes     bool // without the one that follows from other fields
}

// CommonOf returns what a result may have in common with others.
func CommonOf(r *invocations.Record, of Shared) invocations.Common {
	c := invocations.Common{Kind: invocations.CommonKind, Runtime: r.Runtime, Artifact: r.Artifact, SHA256: r.SHA256, Options: r.Options,
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
		c.Notes = notesWithout(r, disturbance(r))
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

// Line is the JSON shape of the line of a result, which may refer to a Common. It then lacks the keys that the other one
// has, and what follows from the keys that it has: the share of quiet batches, the note on the others and, if it has one
// launch with few samples, the figures of these.
type Line struct {
	invocations.Record
	// These hide those of Record, which are there even if they are empty.
	Runtime  string           `json:"runtime,omitempty"`
	Artifact string           `json:"artifact,omitempty"`
	Function string           `json:"function,omitempty"`
	Mode     invocations.Mode `json:"mode,omitempty"`
	Common   int              `json:"common,omitempty"` // number of the Common; 0: the record is whole
}

// WholeLine returns the line of a record that refers to no Common, with all that it has.
func WholeLine(r *invocations.Record) Line {
	return Line{Record: *r, Runtime: r.Runtime, Artifact: r.Artifact, Function: r.Function, Mode: r.Mode}
}

// Shorten returns the line of a record without what is in common, which is CommonOf of it, and what follows from other
// fields. It reports false if Whole could not restore the record.
func Shorten(r *invocations.Record, common invocations.Common) (Line, bool) {
	short := Line{Record: *r, Common: common.Number}
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
	return short, shortenDisturbance(r, s, common) && shortenFigures(r, s)
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
func (s *Line) Own() invocations.Record {
	r := s.Record
	r.Runtime, r.Artifact, r.Function, r.Mode = s.Runtime, s.Artifact, s.Function, s.Mode
	return r
}

// Whole returns the record with what is in common and what follows from other fields.
func (s *Line) Whole(common invocations.Common) invocations.Record {
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
	restoreDisturbance(&r)
	restoreFigures(&r)
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
