package invocations

import (
	"math"
	"slices"
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
	// Arguments are what the function was called with.
	Arguments []ArgumentRecord `json:"arguments,omitempty"`
	// Mode is the way of calling: warm, cold, flush or serialized.
	Mode Mode `json:"mode,omitempty"`
	// Clock is the clock that was read.
	Clock string `json:"clock,omitempty"`
	// ReferenceAt is the reference clock.
	ReferenceAt *float64 `json:"reference_clock_ghz,omitempty"`
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

// CommonOf returns what a result may have in common with others. Arguments and the names of exact counters, which may
// differ from one result of a run to the next, are in it if that is asked for.
func CommonOf(r *Record, arguments, exact bool) Common {
	c := Common{Kind: CommonKind, Runtime: r.Runtime, Artifact: r.Artifact, SHA256: r.SHA256, Options: r.Options,
		Mode: r.Mode, Clock: r.Clock, ReferenceAt: r.ReferenceAt, Layers: r.Layers,
		Host: r.Host, Machine: r.Machine, SandboxProfile: r.SandboxProfile, SandboxAllowed: r.SandboxAllowed}
	if arguments {
		c.Arguments = r.Arguments
	}
	if exact {
		c.Exact = r.Exact
	}
	return c
}

// ShortRecord is the JSON shape of a result that refers to a Common. It lacks the keys that the other one has. If it has
// one sample, it lacks what follows from that as well: minimum, quantiles, mean, raw median, medians of CPU time and of
// its launch.
type ShortRecord struct {
	Record
	// These hide those of Record, which are there even if they are empty.
	Runtime  string `json:"runtime,omitempty"`
	Artifact string `json:"artifact,omitempty"`
	Mode     Mode   `json:"mode,omitempty"`
	Common   int    `json:"common,omitempty"` // number of the Common; 0: the record is whole
}

// WholeRecord returns a record in the form of one that refers to a Common, with all that it has.
func WholeRecord(r *Record) ShortRecord {
	return ShortRecord{Record: *r, Runtime: r.Runtime, Artifact: r.Artifact, Mode: r.Mode}
}

// Shorten returns a record without what is in common, which is CommonOf of it, and what follows from its sample. It
// reports false if Whole could not restore the record.
func (r Record) Shorten(common Common) (ShortRecord, bool) {
	short := ShortRecord{Record: r, Common: common.Number}
	s := &short.Record
	s.SHA256, s.Options, s.Clock, s.ReferenceAt, s.Layers = "", nil, "", nil, nil
	s.Host, s.Machine = "", ""
	s.SandboxProfile, s.SandboxAllowed = "", nil
	if common.Arguments != nil {
		s.Arguments = nil
	}
	if common.Exact != nil {
		s.Exact = nil
	}
	follows := r.ofOneSample()
	for _, f := range follows {
		if *f.at(&r) == nil && f.value != nil { // it is absent, and would be restored
			return ShortRecord{}, false
		}
		if v := *f.at(s); v != nil && f.value != nil && same(*v, *f.value) {
			*f.at(s) = nil
		}
	}
	if len(follows) == 0 {
		return short, true
	}
	for _, l := range r.listsOfOneSample() {
		if *l.at(&r) == nil && l.value != nil {
			return ShortRecord{}, false
		}
		if slices.EqualFunc(*l.at(s), l.value, same) {
			*l.at(s) = nil
		}
	}
	return short, r.shortenRounds(s)
}

// shortenRounds removes the number of samples of the only launch. It reports false if Whole could not restore it.
func (r *Record) shortenRounds(s *Record) bool {
	if r.Launches == nil {
		return true
	}
	if slices.Equal(r.RoundSamples, []int{1}) {
		s.RoundSamples = nil
	}
	return r.RoundSamples != nil
}

// Own returns the record with what its line has.
func (s *ShortRecord) Own() Record {
	r := s.Record
	r.Runtime, r.Artifact, r.Mode = s.Runtime, s.Artifact, s.Mode
	return r
}

// Whole returns the record with what is in common and what follows from its sample.
func (s *ShortRecord) Whole(common Common) Record {
	r := s.Own()
	fill(&r.Runtime, common.Runtime)
	fill(&r.Artifact, common.Artifact)
	fill(&r.Mode, common.Mode)
	fill(&r.SHA256, common.SHA256)
	fill(&r.Clock, common.Clock)
	fill(&r.Host, common.Host)
	fill(&r.Machine, common.Machine)
	fill(&r.ReferenceAt, common.ReferenceAt)
	if r.Options == nil {
		r.Options = common.Options
	}
	fillList(&r.Arguments, common.Arguments)
	fillList(&r.Exact, common.Exact)
	fillList(&r.Layers, common.Layers)
	fill(&r.SandboxProfile, common.SandboxProfile)
	fillList(&r.SandboxAllowed, common.SandboxAllowed)
	follows := r.ofOneSample()
	for _, f := range follows {
		if *f.at(&r) == nil && f.value != nil {
			v := *f.value
			*f.at(&r) = &v
		}
	}
	if len(follows) == 0 {
		return r
	}
	for _, l := range r.listsOfOneSample() {
		fillList(l.at(&r), l.value)
	}
	if r.Launches != nil {
		fillList(&r.RoundSamples, []int{1})
	}
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

// same reports whether two numbers are equal bit by bit.
func same(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// following is a field that follows from others. Its value is nil if it does not.
type following struct {
	at    func(*Record) **float64
	value *float64
}

// followingList is a list that follows from other fields. Its value is nil if it does not.
type followingList struct {
	at    func(*Record) *[]float64
	value []float64
}

// ofOneSample returns the numbers that follow from the only sample of a record, nil if it has not just one. It does not
// look at these numbers.
func (r *Record) ofOneSample() []following {
	if len(r.SamplesNS) != 1 || r.MedianNS == nil || r.Launches != nil && *r.Launches != 1 {
		return nil
	}
	sample, zero := &r.SamplesNS[0], new(float64)
	list := []following{
		{func(r *Record) **float64 { return &r.MinNS }, sample}, {func(r *Record) **float64 { return &r.P90NS }, sample},
		{func(r *Record) **float64 { return &r.P99NS }, sample}, {func(r *Record) **float64 { return &r.MeanNS }, sample},
		{func(r *Record) **float64 { return &r.MADNS }, zero},
	}
	if r.OverheadNS != nil {
		raw := finite(*r.MedianNS + *r.OverheadNS)
		list = append(list, following{func(r *Record) **float64 { return &r.RawMedianNS }, raw})
	}
	if len(r.CPUSamplesNS) == 1 {
		list = append(list, following{func(r *Record) **float64 { return &r.CPUMedianNS }, &r.CPUSamplesNS[0]})
	}
	if r.Launches != nil {
		list = append(list, following{func(r *Record) **float64 { return &r.WithinNS }, zero},
			following{func(r *Record) **float64 { return &r.BetweenNS }, zero})
	}
	return list
}

// listsOfOneSample returns the lists that follow from the only sample of the only launch.
func (r *Record) listsOfOneSample() []followingList {
	if r.Launches == nil {
		return nil
	}
	list := []followingList{{func(r *Record) *[]float64 { return &r.LaunchMediansNS }, r.SamplesNS}}
	if r.ReferenceNS != nil {
		list = append(list, followingList{func(r *Record) *[]float64 { return &r.LaunchReference },
			[]float64{*r.ReferenceNS}})
	}
	return list
}
