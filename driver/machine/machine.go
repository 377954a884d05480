// Package machine keeps in a file what runs have learned about the machines on which they measured: the usual clock, the
// quiet level of the canary, how much equal runs differ. It knows results and nothing of how they are measured.
package machine

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// Knowledge is what earlier runs learned about the machine: its usual clock, the best level of the canary, and how much
// runs differ that measure the same. It is kept in a file under the machine's fingerprint.
type Knowledge struct {
	path        string
	fingerprint string
	kept        record
	levels      []float64 // best levels of this run's launches
	before      float64   // the best level when they began
	began       int64     // when the file was read, in seconds since 1970
	clocks      []float64 // of this run's launches
	scalar      []float64 // of scalar code in these launches
	used        bool      // the reference clock: it does not change in this run
	forgot      bool      // the levels of earlier runs, which no run reaches any more
	usual       *Floors   // of whatever is measured, by the runs that were known when they were asked for first
}

// record is the JSON shape of one machine.
type record struct {
	ReferenceGHz float64 `json:"reference_clock_ghz"`
	// OfScalar says that the reference clock is that of scalar code. Files of before have that of the code that was
	// measured first.
	OfScalar bool `json:"reference_of_scalar,omitempty"`
	// QuietPorts is the number of cycles of a round of the canary's probe if nothing disturbs it.
	QuietPorts float64 `json:"quiet_ports"`
	// LonePorts is a lower one that only one launch of the latest run has shown.
	LonePorts float64 `json:"lone_ports,omitempty"`
	// QuietMemory is the same for the probe of shared caches and memory, in nanoseconds.
	QuietMemory float64   `json:"quiet_memory_ns"`
	Confirmed   time.Time `json:"confirmed"` // when that level was last seen
	Missed      int       `json:"missed"`    // runs since then that did not come near it
	// Runs are the latest clean runs of each invocation, by id, oldest first.
	Runs map[string][]sameRuns `json:"runs"`
	// Trial is the latest trial of equal runs.
	Trial *Trial `json:"trial,omitempty"`
}

// sameRuns holds the medians of one run of an invocation. Runs with the same id measure the same code on the same
// machine in the same way, so that they should not differ.
type sameRuns struct {
	At          int64   `json:"at"` // seconds since 1970
	MedianNS    float64 `json:"median_ns"`
	ReferenceNS float64 `json:"reference_ns,omitempty"`
	Cycles      float64 `json:"cycles,omitempty"`
}

const (
	runsOfEach     = 12   // runs of an invocation that are kept
	maxInvocations = 300  // invocations whose runs are kept, the latest ones
	LevelNear      = 1.05 // times the best level; a launch that stays above it was never quiet
	levelAgrees    = 1.01 // times a level; two launches that are this near show the same one
	levelReached   = 1.03 // times the best level; a run that stays above it has not reached it
	missedRuns     = 10   // after so many runs, and missedTime, a level that no run reaches is forgotten
	missedTime     = time.Hour
	referenceSteps = 100 // per GHz of the reference clock: at a clock near it, times stay as they are
)

// fingerprintKeys are the entries of the environment that identify a machine.
var fingerprintKeys = [...]string{"host", "cpu", "cpus", "caches", "kernel", "arch", "governor", "smt"}

// Fingerprint returns a text that is equal for environments of one machine.
func Fingerprint(environment map[string]string) string {
	var parts []string
	for _, key := range fingerprintKeys {
		parts = append(parts, environment[key])
	}
	return strings.Join(parts, "; ")
}

// Class returns a text that is equal for environments of machines whose results may be compared: all of Fingerprint but
// the name of the host.
func Class(environment map[string]string) string {
	_, class, _ := strings.Cut(Fingerprint(environment), "; ")
	return class
}

// Open reads what the file at path knows about the machine with this environment. A missing file is like an
// empty one. If the file is damaged, Open returns an error and a machine about which nothing is known.
func Open(path string, environment map[string]string) (*Knowledge, error) {
	fingerprint := Fingerprint(environment)
	if strings.HasPrefix(environment["counters"], "none") { // levels come from times if cycles are not counted
		fingerprint += "; not counted"
	}
	m := &Knowledge{path: path, fingerprint: fingerprint, began: time.Now().Unix()}
	all, err := readAll(path)
	m.kept = all[m.fingerprint]
	return m, err
}

// QuietPorts returns the best level of the canary; 0 if it is not known.
func (m *Knowledge) QuietPorts() float64 { return m.kept.QuietPorts }

// QuietMemory returns the best level of the probe of shared caches and memory, in nanoseconds; 0 if it is not known.
func (m *Knowledge) QuietMemory() float64 { return m.kept.QuietMemory }

// ReferenceGHz returns the machine's usual clock; 0 if it is not known. It is the first clock of scalar code that was
// seen, in steps of 0.01 GHz. It does not change, since times at the reference clock are compared from run to run.
func (m *Knowledge) ReferenceGHz() float64 { return m.kept.ReferenceGHz }

// Observe records what the canary of a launch has measured.
func (m *Knowledge) Observe(c invocations.Canary) {
	if c.Batches == 0 || !(c.GHz > 0) || !sane(c.Ports) || !sane(c.GHz) || !(c.Memory >= 0) {
		return
	}
	m.clocks = append(m.clocks, c.GHz)
	if c.ScalarGHz > 0 && sane(c.ScalarGHz) {
		m.scalar = append(m.scalar, c.ScalarGHz)
	}
	if c.Memory > 0 && (m.kept.QuietMemory == 0 || c.Memory < m.kept.QuietMemory) {
		m.kept.QuietMemory = c.Memory
	}
	if c.Ports > 0 {
		if len(m.levels) == 0 {
			m.before = m.kept.QuietPorts
		}
		m.levels = append(m.levels, c.Ports)
		m.kept.QuietPorts = m.bestLevel()
	}
}

// bestLevel returns the lowest level on which two launches agree, be it those of this run or the one that earlier runs
// have left. A probe subtracts what reading the clock takes, which each executor finds out for itself, at times wrongly:
// one launch of about a hundred showed a level 4 % too low, against which all others would be disturbed.
func (m *Knowledge) bestLevel() float64 {
	levels := slices.Sorted(slices.Values(m.levels))
	if m.kept.LonePorts > 0 {
		levels = append(levels, m.kept.LonePorts)
		slices.Sort(levels)
	}
	for i := 1; i < len(levels); i++ {
		if levels[i] <= levelAgrees*levels[i-1] {
			return lower(m.before, levels[i])
		}
	}
	if m.before > 0 {
		return m.before
	}
	return slices.Min(m.levels)
}

// Settle sets the reference clock by the launches so far if it is not known yet, or if it is that of any code and now
// that of scalar code is known. All times of a run are at one clock.
func (m *Knowledge) Settle() {
	if m.used {
		return
	}
	switch {
	case !m.kept.OfScalar && len(m.scalar) > 0:
		m.setReference(stats.Median(m.scalar))
		m.kept.OfScalar = true
	case m.kept.ReferenceGHz == 0 && len(m.clocks) > 0:
		m.setReference(stats.Median(m.clocks))
	}
	m.used = m.kept.ReferenceGHz > 0
}

// setReference sets the reference clock. The times of earlier runs at another one are forgotten.
func (m *Knowledge) setReference(ghz float64) {
	before := m.kept.ReferenceGHz
	m.kept.ReferenceGHz = math.Round(ghz*referenceSteps) / referenceSteps
	if before == m.kept.ReferenceGHz {
		return
	}
	for _, runs := range m.kept.Runs {
		for i := range runs {
			runs[i].ReferenceNS = 0
		}
	}
	m.usual = nil
}

// Floors tell how much the medians of two equal runs differ on this machine.
type Floors struct{ Time, Reference, Cycles Floor }

// Floor tells how much one figure of two equal runs differs.
type Floor struct {
	Machine float64   // usually on this machine, whatever is measured; a fraction
	Earlier []float64 // the figure in earlier runs of this invocation
}

// Own returns how far another run of the invocation may be from one that found value, as a fraction, by that and by its
// earlier runs: with 95 % confidence, or, by few runs, as far as the farthest was. It returns 0 if there were none.
func (f Floor) Own(value float64) float64 {
	if value <= 0 {
		return 0
	}
	logs, farthest := []float64{math.Log(value)}, 0.0
	for _, v := range f.Earlier {
		logs, farthest = append(logs, math.Log(v)), max(farthest, math.Abs(v-value)/value)
	}
	if len(logs) < fewestOwn {
		return min(maxFloor, farthest)
	}
	return min(maxFloor, stats.NextDiffers(logs))
}

// Drift returns how far a second run may be from one that found value although their launches do not show it, as a
// fraction: by the invocation's own runs, else by those of others.
func (f Floor) Drift(value float64) float64 {
	own := f.Own(value)
	if own > 0 && len(f.Earlier)+1 >= fewestOwn {
		return own
	}
	return max(f.Machine, own)
}

const (
	floorUnknown = 0.003  // for times, until enough runs were repeated
	floorTime    = 0.001  // least floor of times
	floorCycles  = 0.0002 // least floor of counted cycles
	maxFloor     = 0.25
	fewestPairs  = 10  // pairs of runs with one id that a floor needs
	floorShare   = 0.5 // share of the pairs of runs that differ by less than the floor
	// driftShare is floorShare for times. They change with the clock from run to run, which launches of one run do not
	// show.
	driftShare = 0.8
	fewestOwn  = 4 // runs of an invocation that tell how much they scatter
)

// UnknownFloors are those of a machine of which nothing is known.
var UnknownFloors = Floors{Floor{Machine: floorUnknown}, Floor{Machine: floorUnknown}, Floor{Machine: floorCycles}}

// rule says how a floor is found: of which figure of a run, and by which share of the pairs of runs; with the least floor, and
// that of a machine of which too little is known.
type rule struct {
	of                    func(sameRuns) float64
	share, least, unknown float64
}

// rules are those of the floors, in the order of each.
var rules = [...]rule{
	{func(r sameRuns) float64 { return r.MedianNS }, driftShare, floorTime, floorUnknown},
	{func(r sameRuns) float64 { return r.ReferenceNS }, floorShare, floorTime, floorUnknown},
	{func(r sameRuns) float64 { return r.Cycles }, floorShare, floorCycles, floorCycles},
}

func (f *Floors) each() [len(rules)]*Floor { return [...]*Floor{&f.Time, &f.Reference, &f.Cycles} }

// Floors returns the floors of an invocation.
func (m *Knowledge) Floors(id string) Floors {
	if m.usual == nil {
		m.usual = &Floors{}
		for i, f := range m.usual.each() {
			f.Machine = m.usually(rules[i])
		}
	}
	floors := *m.usual
	for i, f := range floors.each() {
		for _, run := range m.kept.Runs[id] {
			if v := rules[i].of(run); v > 0 {
				f.Earlier = append(f.Earlier, v)
			}
		}
	}
	return floors
}

// usually returns how much a figure usually differs between runs.
func (m *Knowledge) usually(r rule) float64 {
	var differences []float64 // between consecutive runs with one id
	for _, runs := range m.kept.Runs {
		for i := 1; i < len(runs); i++ {
			if a, b := r.of(runs[i-1]), r.of(runs[i]); a > 0 && b > 0 {
				differences = append(differences, math.Abs(math.Log(b/a)))
			}
		}
	}
	if len(differences) < fewestPairs {
		return r.unknown
	}
	slices.Sort(differences)
	return min(maxFloor, max(r.least, stats.Quantile(differences, r.share)))
}

// Remember keeps the medians of a result for the floors of later runs: of a clean one, or of one whose launches agree and
// whose earlier runs do not, or that could never be clean again.
func (m *Knowledge) Remember(id string, r *invocations.Result) {
	clean := slices.Equal(r.Verdicts, []invocations.Verdict{invocations.Clean})
	apart := slices.Equal(r.Verdicts, []invocations.Verdict{invocations.NotConverged})
	if r.Spread == nil || !clean && !(apart && r.Spread.Agree) {
		return
	}
	if m.kept.Runs == nil {
		m.kept.Runs = map[string][]sameRuns{}
	}
	s := r.Spread
	runs := append(m.kept.Runs[id], sameRuns{
		At:          time.Now().Unix(),
		MedianNS:    s.Time.Value,
		ReferenceNS: s.Reference.Value,
		Cycles:      s.Cycles.Value,
	})
	m.kept.Runs[id] = runs[max(0, len(runs)-runsOfEach):]
}

// Save writes what this run has learned into the file, which may hold other machines as well. If the canary gave no
// clock, Save writes nothing.
func (m *Knowledge) Save() error {
	if len(m.clocks) == 0 {
		return nil
	}
	if m.Settle(); !m.kept.OfScalar && len(m.scalar) > 0 { // for the next run
		m.used = false
		m.Settle()
	}
	if len(m.levels) > 0 {
		least := slices.Min(m.levels)
		if m.kept.LonePorts = 0; least < m.kept.QuietPorts {
			m.kept.LonePorts = least
		}
		if least <= levelReached*m.kept.QuietPorts {
			m.kept.Confirmed, m.kept.Missed = time.Now(), 0
		} else if m.kept.Missed++; m.kept.Missed >= missedRuns && time.Since(m.kept.Confirmed) > missedTime {
			// it may be another host, which cannot reach the old level
			m.kept.QuietPorts, m.kept.QuietMemory, m.kept.Missed, m.forgot = least, 0, 0, true
			m.before = least
		}
	}
	for len(m.kept.Runs) > maxInvocations {
		oldest, at := "", int64(math.MaxInt64)
		for id, runs := range m.kept.Runs {
			if last := runs[len(runs)-1].At; last < at {
				oldest, at = id, last
			}
		}
		delete(m.kept.Runs, oldest)
	}
	return m.write(context.Background())
}
