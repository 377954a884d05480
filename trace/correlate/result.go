package correlate

import (
	"strings"

	"zonemark/invocations"
)

// Method says how zones were joined to invocations.
type Method string

// The methods, in the order in which they are tried.
const (
	ByBracket Method = "bracket" // zones with text inv=<id> around each invocation
	ByFile    Method = "file"    // source files inv://ID/…
	ByRule    Method = "rule"    // names, by the rules of Options
)

// Flags say what is wrong with, or worth knowing of, an iteration.
type Flags uint16

// The flags. All but those that say so make the iteration's trace partial.
const (
	Unfinished  Flags = 1 << iota // the bracket or a dispatch in it was open when the capture ended
	Partial                       // the source is incomplete
	Overlapping                   // brackets of another thread claim some of its time
	Straddled                     // a workgroup of another thread lies in it in part only
	Empty                         // no zone at all lies in it
	// the invoking thread waited, and no dispatch says for what, for more than the threshold
	Unexplained
	NoWorkgroups // a dispatch was issued and none of its workgroups is there
	// dispatches that most iterations have, or workgroups of issued ones, are missing, and there is time in which they
	// may have run
	Lacking
	Mixed // dispatches of several invocations in one call
	// harmless: another call than most, with other dispatches, or too short for those that most have; it may be empty
	Differs
	Nested    // harmless: other brackets lie in it; their time counts as its host overhead
	NoBracket // harmless: it has the extent of its dispatches, host overhead is not known
)

const harmless = Differs | Nested | NoBracket

var flagNames = [...]string{"unfinished", "partial", "overlapping", "straddled", "empty", "unexplained",
	"no-workgroups", "lacking", "mixed", "differs", "nested", "no-bracket"}

// String lists the flags, separated by blanks.
func (f Flags) String() string {
	var names []string
	for i, name := range flagNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// PartialTrace says whether the flags mean that zones are missing or not to be told apart.
func (f Flags) PartialTrace() bool { return f&^harmless != 0 }

// Result is a source's zones, joined to invocations.
type Result struct {
	Method      Method // empty: there was nothing to go by
	Invocations []Invocation
	Zones       int64    // in the source
	Outside     int64    // of them outside every bracket, brackets themselves included
	OrphanCount int64    // of those, workgroups
	Orphans     []Orphan // the first hundred
	Partial     bool     // the source is incomplete
	Warnings    []string
}

// Orphan is a workgroup zone that belongs to no invocation.
type Orphan struct {
	Name    string
	StartNS int64
	Why     string
}

// Invocation is what a source holds of one invocation.
type Invocation struct {
	ID, Name   string // Name is empty where it is not known
	Iterations []Iteration

	// The summary is over the iterations after warm-up.
	Dispatches    []invocations.Dispatch // times are wall times; workgroups and threads are medians over iterations
	HostNS, GapNS float64                // medians
	Flags         Flags                  // of any of them
	// Verdict is Clean, PartialTrace, or Contended: fewer than half of the iterations, of all or of those after warm-up,
	// have an unexplained wait and nothing else is wrong.
	Verdict invocations.Verdict
}

// Iteration is one bracket.
type Iteration struct {
	Number     int  // 0-based, in order of time
	Warmup     bool // one of the first, which summaries leave out; see Options.WarmupIterations
	Thread     int  // index of the invoking thread; -1: not known
	StartNS    int64
	Dispatches []Dispatch
	Conservation
	Zones int64 // that belong to it, on all threads and devices, without the bracket
	// DeviceNS is the time from the start of the first dispatch on a device to the end of the last, by the device's
	// clock; 0 if the CPU ran them all.
	DeviceNS int64
	Flags    Flags
}

// Dispatch is one dispatch of one iteration.
type Dispatch struct {
	Ordinal     int
	Name        string
	SourceFile  string
	SourceLine  uint32
	StartNS     int64
	WallNS      int64 // of the zone that issued it, else from the first workgroup's start to the last one's end
	TotalNS     int64 // summed over workgroups
	Workgroups  int   // workgroup zones; a zone may stand for a range of workgroups where the runtime hands them out so
	Threads     int   // that ran workgroups; 0 for a dispatch on a device, whose workgroups are not known either
	GapBeforeNS int64 // since the latest end of those before it; 0 for the first and for overlapping ones
	Issued      bool  // WallNS is that of an issuing zone
}

// EndNS is the end of the dispatch's wall time.
func (d *Dispatch) EndNS() int64 { return d.StartNS + d.WallNS }
