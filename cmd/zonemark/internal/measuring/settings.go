package measuring

import (
	"time"

	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/driver/report"
	"zonemark/executor/sandbox"
	"zonemark/invocations"
)

const (
	defaultMinTime       = 250 * time.Millisecond
	defaultMaxTime       = 2 * time.Second
	defaultMinIterations = 10
	defaultPrecision     = 0.01
	defaultTimeout       = 60 * time.Second
	groupLaunches        = 10 // of compared invocations, so that there are enough pairs of launches
)

// Settings say what a run measures, how, where, and what it keeps and shows. Flags fill them, as callers in Go do, who
// begin with DefaultSettings.
type Settings struct {
	// Base holds what is the same for each invocation: the runtime, how calls are measured, limits.
	Base invocations.Invocation
	Subject
	Racing
	Dispatching
	Confinement
	Hosts
	Division
	Keeping
	Showing
	Python   string // interpreter or virtual environment with what runtimes need
	Counters string // events of the processor that are counted, or one of hosting's words
	// Given are the names of the flags that the user has given: their values come before those of suites.
	Given map[string]bool
}

// Subject is what is measured of the paths of a run.
type Subject struct {
	Functions        []string          // that are measured; empty: all
	Parameters       []string          // NAME=VALUE[,VALUE…]
	Inputs, Expected []string          // in the words of --input and --expected-output
	ArtifactOptions  map[string]string // by the names of runtimes; see Task.SetOption
	Group            string            // see --group; empty: nothing is grouped
	Filter           string            // regular expression of names; empty: all
}

// Racing says whether the variants of groups race.
type Racing struct {
	Race Race
	Top  int64 // number of the best that a race looks for
}

// Dispatching says where the times of dispatches come from, and where they are kept.
type Dispatching struct {
	Dispatches   runtimes.Source
	TraceFile    string // of the capture; empty: it is not kept
	DispatchFile string // CSV; empty: there is none
}

// Confinement says what native code may do, beside the limits of each invocation.
type Confinement struct {
	Sandbox       sandbox.Mode
	SandboxRead   []string
	SandboxAllow  []string
	SandboxCache  string
	VariableNames []string // of the environment that are handed on
}

// Hosts are the machines that measure.
type Hosts struct {
	Via    []string // commands that lead to them; empty: this machine measures
	Spread bool     // every host measures every invocation
}

// Division says which part of a plan is measured.
type Division struct {
	Shards, Shard int64  // the number of parts, 0: the plan stays whole; the part that is measured
	Costs         string // journal by whose costs the plan is divided; empty: by limits of time
}

// Keeping says what of a run is kept. An empty name is no file.
type Keeping struct {
	Output            string // journal
	Resume, Overwrite bool
	PageFile          string
	BundleFile        string
	DryRun            bool // nothing is measured or kept
}

// Showing says what a run shows.
type Showing struct {
	Quiet, Verbose bool
	Format         string // of the report
	DispatchOrder  report.DispatchOrder
	DispatchLimit  int64
	Plot           bool
}

// DefaultSettings returns the settings of a command line without flags.
func DefaultSettings() Settings {
	return Settings{
		Base: invocations.Invocation{
			Measure: invocations.Measure{
				Mode: invocations.Warm, Restore: invocations.WhenAuto, Reorder: invocations.WhenAuto,
				Placement: invocations.Vary,
				Precision: defaultPrecision, MinTimeNS: int64(defaultMinTime),
				MaxTimeNS: int64(defaultMaxTime), MinIterations: defaultMinIterations, CPU: -1,
			},
			Limits: invocations.Limits{TimeoutNS: int64(defaultTimeout), Threads: invocations.DefaultThreads},
		},
		Racing:      Racing{Race: RaceAuto, Top: 1},
		Dispatching: Dispatching{Dispatches: runtimes.SourceAuto},
		Confinement: Confinement{Sandbox: sandbox.Auto},
		Showing:     Showing{Format: "text", DispatchOrder: report.AutoOrder, DispatchLimit: report.FewDispatches},
		Counters:    hosting.CountersAuto,
	}
}

// ReplaySettings returns the settings with which the plan of somebody else is measured.
func ReplaySettings() Settings {
	s := DefaultSettings()
	s.Dispatches = runtimes.SourceOff
	s.Base.Limits.Profile = string(sandbox.Plain) // whatever the plan asks for
	return s
}

// SearchSettings returns the settings of a verb that chooses what it measures, and says itself what races.
func SearchSettings() Settings {
	s := DefaultSettings()
	s.Dispatches, s.Race = runtimes.SourceOff, RaceOff
	return s
}

// LimitTime bounds the time that is measured in each launch, and adapts what depends on it: the least time, and the limit
// of an executor.
func (s *Settings) LimitTime(most time.Duration) {
	m := &s.Base.Measure
	m.MaxTimeNS = int64(most)
	m.MinTimeNS = min(m.MinTimeNS, m.MaxTimeNS)
	s.AllowTime()
}

// AllowTime gives an executor the time that a launch may take.
func (s *Settings) AllowTime() {
	if most, limits := s.Base.Measure.MaxTimeNS, &s.Base.Limits; limits.TimeoutNS < 2*most {
		limits.TimeoutNS = 2*most + int64(defaultTimeout)
	}
}
