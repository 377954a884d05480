package driver

import (
	"math"
	"slices"
	"strings"
	"time"

	"zonemark/driver/stats"
	"zonemark/invocations"
)

// Machine is what is known of the machine from runs before: the clock that it usually has, the best level of the canary, and how far runs have differed that measured
// the same. It is kept in a file, by the machine's fingerprint.
type Machine struct {
	path        string
	fingerprint string
	kept        machineRecord
	levels      []float64 // best levels of this run's launches
	began       int64     // when the file was read, in seconds since 1970
	clocks      []float64 // of this run's launches
}

// machineRecord is the JSON shape of one machine.
type machineRecord struct {
	ReferenceGHz float64               `json:"reference_clock_ghz"`
	QuietPorts   float64               `json:"quiet_ports"`     // cycles of a round of the canary's probe, when nothing disturbs it
	QuietMemory  float64               `json:"quiet_memory_ns"` // the same of its probe of shared caches and memory, in nanoseconds
	Confirmed    time.Time             `json:"confirmed"`       // when that level was last seen
	Missed       int                   `json:"missed"`          // runs since, that did not come near it
	Runs         map[string][]sameRuns `json:"runs"`            // by id of the invocation: the latest clean ones of each, oldest first
}

// sameRuns is one run of an invocation: its medians. Runs of one id measured the same code on the same machine in the same way, so that they should not differ.
type sameRuns struct {
	At          int64   `json:"at"` // seconds since 1970
	MedianNS    float64 `json:"median_ns"`
	ReferenceNS float64 `json:"reference_ns,omitempty"`
	Cycles      float64 `json:"cycles,omitempty"`
}

const (
	runsOfEach     = 12   // that are kept
	invocationsMax = 300  // of which runs are kept, the latest ones
	levelNear      = 1.05 // of the best level: a launch that stays above it was never quiet
	missedRuns     = 10   // after which, and after missedTime, a level that nobody sees any more is forgotten
	missedTime     = time.Hour
	referenceSteps = 10 // of the reference clock in a GHz
)

// fingerprintKeys are the entries of the environment that make a machine another one.
var fingerprintKeys = [...]string{"host", "cpu", "cpus", "caches", "kernel", "arch", "governor", "smt"}

// OpenMachine reads what the file at path knows of the machine with this environment; a file that is not there knows nothing. A damaged one is an error, and the
// machine is then unknown.
func OpenMachine(path string, environment map[string]string) (*Machine, error) {
	var parts []string
	for _, key := range fingerprintKeys {
		parts = append(parts, environment[key])
	}
	if strings.HasPrefix(environment["counters"], "none") { // then levels come from times
		parts = append(parts, "not counted")
	}
	m := &Machine{path: path, fingerprint: strings.Join(parts, "; "), began: time.Now().Unix()}
	all, err := readMachines(path)
	m.kept = all[m.fingerprint]
	return m, err
}

// QuietPorts is the best level of the canary; 0 when it is not known.
func (m *Machine) QuietPorts() float64 { return m.kept.QuietPorts }

// QuietMemory is the best level of its probe of shared caches and memory, in nanoseconds; 0 when it is not known.
func (m *Machine) QuietMemory() float64 { return m.kept.QuietMemory }

// ReferenceGHz is the clock that the machine usually has; 0 when it is not known. It is the first that was seen, in steps of 0.1 GHz, and stays: times at the reference
// clock are compared from run to run.
func (m *Machine) ReferenceGHz() float64 { return m.kept.ReferenceGHz }

// observe takes in what the canary of a launch has shown.
func (m *Machine) observe(c invocations.Canary) {
	if c.Batches == 0 || !(c.GHz > 0) || !sane(c.Ports) || !sane(c.GHz) || !(c.Memory >= 0) {
		return
	}
	m.clocks = append(m.clocks, c.GHz)
	if c.Memory > 0 && (m.kept.QuietMemory == 0 || c.Memory < m.kept.QuietMemory) {
		m.kept.QuietMemory = c.Memory
	}
	if c.Ports > 0 {
		m.levels = append(m.levels, c.Ports)
		if m.kept.QuietPorts == 0 || c.Ports < m.kept.QuietPorts {
			m.kept.QuietPorts = c.Ports
		}
	}
}

// settle fixes the reference clock where none is known yet, by the launches so far.
func (m *Machine) settle() {
	if m.kept.ReferenceGHz == 0 && len(m.clocks) > 0 {
		m.kept.ReferenceGHz = math.Round(stats.Median(m.clocks)*referenceSteps) / referenceSteps
	}
}

// floors are how far medians of two runs of the same differ here, as fractions: no interval is narrower.
type floors struct{ time, reference, cycles float64 }

const (
	floorUnknown = 0.003  // of times, as long as too few runs were made twice
	floorTime    = 0.001  // at least
	floorCycles  = 0.0002 // of counted cycles, at least
	floorMost    = 0.25
	fewestPairs  = 10  // of runs of one id, that a floor comes from
	floorShare   = 0.5 // of the pairs of runs that differ by less than the floor of all invocations
	driftShare   = 0.8 // the same of times, which move with the clock from run to run in a way that launches of one run do not see
	fewestOwn    = 4   // runs of an invocation before, that say how far its own differ
)

// floors are those of an invocation: what runs of the same differ by here as a rule, and how far its own runs have differed before, if that is more.
func (m *Machine) floors(id string) floors {
	return floors{
		time:      m.floor(id, func(r sameRuns) float64 { return r.MedianNS }, floorTime, floorUnknown, driftShare),
		reference: m.floor(id, func(r sameRuns) float64 { return r.ReferenceNS }, floorTime, floorUnknown, floorShare),
		cycles:    m.floor(id, func(r sameRuns) float64 { return r.Cycles }, floorCycles, floorCycles, floorShare),
	}
}

func (m *Machine) floor(id string, of func(sameRuns) float64, least, unknown, share float64) float64 {
	var differences []float64 // of neighbouring runs of one id
	for _, runs := range m.kept.Runs {
		for i := 1; i < len(runs); i++ {
			if a, b := of(runs[i-1]), of(runs[i]); a > 0 && b > 0 {
				differences = append(differences, math.Abs(math.Log(b/a)))
			}
		}
	}
	floor := unknown
	if len(differences) >= fewestPairs {
		slices.Sort(differences)
		floor = max(least, stats.Quantile(differences, share))
	}
	return min(floorMost, max(floor, ownSpread(m.kept.Runs[id], of)))
}

// ownSpread is how far another run of an invocation may be from this one, with 95 % confidence, by its runs so far; 0 when those are too few.
func ownSpread(runs []sameRuns, of func(sameRuns) float64) float64 {
	var logs []float64
	for _, r := range runs {
		if v := of(r); v > 0 {
			logs = append(logs, math.Log(v))
		}
	}
	if len(logs) < fewestOwn {
		return 0
	}
	return stats.NextDiffers(logs)
}

// remember keeps a clean row for the floors of later runs.
func (m *Machine) remember(id string, r *invocations.Result) {
	if r.Spread == nil || !slices.Equal(r.Verdicts, []invocations.Verdict{invocations.Clean}) {
		return
	}
	if m.kept.Runs == nil {
		m.kept.Runs = map[string][]sameRuns{}
	}
	s := r.Spread
	runs := append(m.kept.Runs[id], sameRuns{At: time.Now().Unix(), MedianNS: s.Time.Value, ReferenceNS: s.Reference.Value, Cycles: s.Cycles.Value})
	m.kept.Runs[id] = runs[max(0, len(runs)-runsOfEach):]
}

// Save writes what this run has learned beside what other machines have left in the file. A run whose canary said nothing writes nothing.
func (m *Machine) Save() error {
	if len(m.clocks) == 0 {
		return nil
	}
	m.settle()
	if len(m.levels) > 0 {
		if least := slices.Min(m.levels); least <= levelNear*m.kept.QuietPorts {
			m.kept.Confirmed, m.kept.Missed = time.Now(), 0
		} else if m.kept.Missed++; m.kept.Missed >= missedRuns && time.Since(m.kept.Confirmed) > missedTime {
			m.kept.QuietPorts, m.kept.QuietMemory, m.kept.Missed = least, 0, 0 // another host, perhaps: what was quiet there is not to be had here
		}
	}
	for len(m.kept.Runs) > invocationsMax {
		oldest, at := "", int64(math.MaxInt64)
		for id, runs := range m.kept.Runs {
			if last := runs[len(runs)-1].At; last < at {
				oldest, at = id, last
			}
		}
		delete(m.kept.Runs, oldest)
	}
	return m.write()
}
