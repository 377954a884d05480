package compare

import (
	"fmt"
	"math"
	"slices"
	"time"

	"zonemark/invocations"
)

// Set is what one file, or several, have measured.
type Set struct {
	Source       string            // the path, for people
	Environment  map[string]string // fingerprint of the machine; nil if the format has none
	Version      string            // of the zonemark that measured; empty if another tool did
	Started      time.Time         // of the run; zero if it is not known
	Commit       string            // that was measured; empty if it is not known
	Measurements []Measurement
	Notes        []string // what a reader of the comparison should know of the set

	why string // it has no results, for the end of a sentence
}

// Measurement is one row of a set.
type Measurement struct {
	ID         string // of the invocation; empty if the format has none
	Name       string
	Parameters string
	Status     invocations.Status
	Error      string // why the status is not ok; empty if nothing is known
	Verdicts   []invocations.Verdict

	Time      Values // nanoseconds
	Reference Values // nanoseconds at the machine's usual clock
	// ReferenceGHz is that clock; 0 if it is not known.
	ReferenceGHz float64
	// OwnClock is what the function does to the clock of its core, as a multiple of that of scalar code; 0: not known.
	OwnClock float64
	Cycles   Values // counted
	// Instructions is the number of instructions of a call, if it was equal in all launches; else 0.
	Instructions      float64
	Dispatches        []invocations.DispatchRecord
	invocations.Fresh // what calls found in their arguments
	// FirstNS is the CPU time of the first call if later ones take less than half of it; 0: they do not, or it is not known.
	FirstNS float64
}

// Values are what launches have measured, a figure each.
type Values struct {
	Launches []float64
	Half     float64 // relative: how far a second run would differ, as the run itself says; 0 if it does not
}

// processFloor is the relative difference that two runs of one program may have if each is known only by repetitions
// inside one process, which share layout and placement. Medians of processes of one program differ by so much.
const processFloor = 0.02

// FromRecords returns the set of records of a journal. Source names it for people. The error tells that a record cannot
// be read.
func FromRecords(source string, environment map[string]string, records *invocations.Records) (*Set, error) {
	s := &Set{Source: source, Environment: environment, Measurements: make([]Measurement, 0, records.Len())}
	for r, err := range records.All() {
		if err != nil {
			return nil, err
		}
		s.Measurements = append(s.Measurements, fromRecord(r))
	}
	return s, nil
}

// Unmeasured returns what is known of an invocation that the other side lacks and that was therefore not measured. Status
// is how it would have ended at best.
func Unmeasured(inv *invocations.Invocation, status invocations.Status) Measurement {
	return Measurement{Name: inv.Name, Parameters: invocations.ParametersText(inv.Parameters), Status: status}
}

// fromRecord returns the measurement in a record of a journal.
func fromRecord(r *invocations.Record) Measurement {
	m := Measurement{
		ID: r.ID, Name: r.Name, Parameters: invocations.ParametersText(r.Parameters), Status: r.Status, Verdicts: r.Verdicts,
		Dispatches: r.Dispatches, Fresh: invocations.Fresh{Restored: r.Restored, Reordered: r.Reordered},
		Error: r.Error, FirstNS: orZero(r.FirstCallNS),
	}
	if !r.Timed() {
		return m
	}
	m.Time = Values{r.LaunchMediansNS, relativeHalf(r.CILowNS, r.CIHighNS, r.MedianNS)}
	if len(r.LaunchMediansNS) == 0 { // before launches, or a single one
		m.Time = Values{[]float64{*r.MedianNS}, max(m.Time.Half, processFloor)}
	}
	m.Reference = Values{
		r.LaunchReference, max(relativeHalf(r.ReferenceLo, r.ReferenceHi, r.ReferenceNS), orZero(r.ReferenceFloor)),
	}
	if r.ReferenceAt != nil {
		m.ReferenceGHz = *r.ReferenceAt
	}
	if r.OwnClock != nil {
		m.OwnClock = *r.OwnClock
	}
	if cycles := r.Cycles(); cycles.Known() && cycles.Value > 0 {
		m.Cycles = Values{r.LaunchCycles,
			max(relativeHalf(&cycles.Low, &cycles.High, &cycles.Value), orZero(r.CyclesFloor))}
	}
	for _, name := range r.Exact {
		if name == "instructions" {
			m.Instructions = r.Counters[name]
		}
	}
	return m
}

// smaller makes measurements take less room, which counts if there are millions: lists have no room to grow, as decoders
// leave some, and words that many have in common are there once.
type smaller struct {
	words    map[invocations.Status]invocations.Status
	verdicts map[string][]invocations.Verdict // by their text
}

func newSmaller() smaller {
	return smaller{map[invocations.Status]invocations.Status{}, map[string][]invocations.Verdict{}}
}

func (s smaller) of(m Measurement) Measurement {
	for _, v := range []*Values{&m.Time, &m.Reference, &m.Cycles} {
		v.Launches = slices.Clone(v.Launches)
	}
	if word, known := s.words[m.Status]; known {
		m.Status = word
	} else {
		s.words[m.Status] = m.Status
	}
	if len(m.Verdicts) > 0 {
		text := fmt.Sprintf("%q", m.Verdicts)
		list, known := s.verdicts[text]
		if !known {
			list = slices.Clone(m.Verdicts)
			s.verdicts[text] = list
		}
		m.Verdicts = list
	}
	return m
}

// bad returns a value that no ratio can be made of, since it is not a positive, finite number. It reports whether there is
// one.
func (v Values) bad() (float64, bool) {
	at := slices.IndexFunc(v.Launches, func(x float64) bool { return !(x > 0) || math.IsInf(x, 0) })
	if at < 0 {
		return 0, false
	}
	return v.Launches[at], true
}

// orZero returns a number that may not be known.
func orZero(v *float64) float64 {
	if v == nil || !(*v > 0) {
		return 0
	}
	return *v
}

func relativeHalf(low, high, at *float64) float64 {
	if low == nil || high == nil || at == nil || !(*at > 0) || !(*high >= *low) {
		return 0
	}
	return (*high - *low) / 2 / *at
}
