package runtimes

import (
	"errors"
	"strings"

	"zonemark/invocations"
)

// Dispatches describes how the dispatches of a runtime's functions can be timed.
type Dispatches struct {
	// Support returns the ways that an invocation has on this machine.
	Support func(inv *invocations.Invocation, getenv func(string) string) Support
	// ProfileBuild returns what must be built, beside what is measured, before an executor can profile an artifact;
	// false if nothing must be. The result is its Profiled. ProfileBuild may be nil.
	ProfileBuild func(invocations.Artifact) (artifact invocations.Artifact, needed bool)
	// Nodes returns of which nodes of a model the dispatches of an invocation were made, by their names. It may be nil.
	Nodes func(*invocations.Invocation) map[string]string
	// For people; empty if every invocation of the runtime can be timed.
	Artifacts string // whose functions issue dispatches: "IREE modules"
	Remedy    string // how to get the means to time them
	Profiler  string // how to get a profiler
}

// Support is the set of sources that can time the dispatches of an invocation on this machine.
type Support struct {
	Profiler bool // a profiler in the executor that measures
	Recorder bool // a tool of the runtime's own that profiles
	Tracy    bool // a client of Tracy in the runtime
	// Device is the device that runs the dispatches, if it is not the CPU. Captures hold its dispatches only if its
	// driver hands them to Tracy; the runtime's tool is preferred.
	Device string
}

// Tracing describes how invocations of a runtime are captured.
type Tracing struct {
	Needs string // the condition, for people; a participle: "run by the wheels"
	// Adapt changes an invocation to the form that a captured executor can load.
	Adapt       func(*invocations.Invocation)
	Environment []string                                  // NAME=VALUE entries of a captured executor
	Sites       func(getenv func(string) string) []string // site-packages folders that may hold a fitting capture tool
	// Brings returns what captured executors on other hosts need. It may be nil.
	Brings func(getenv func(string) string) (Brought, error)
}

// Brought is what captured executors of a runtime need on other hosts.
type Brought struct {
	Entries []string // NAME=VALUE, with paths of this machine
	Paths   []string // files, and folders that are brought as a whole
	Folders []string // folders of which only these files are brought
	Naming  []string // those of the files that name others by absolute paths, which Relocate of the row changes
}

// Source is the source from which the times of dispatches shall come.
type Source string

// The sources of the times of dispatches.
const (
	SourceAuto Source = "auto"
	// the runtime's own profiler, in the executor that measures or in a tool of the runtime
	SourceProfile Source = "profile"
	SourceTracy   Source = "tracy" // a Tracy capture of an executor of its own
	SourceOff     Source = "off"
)

// Sources returns all sources.
func Sources() []Source { return []Source{SourceAuto, SourceProfile, SourceTracy, SourceOff} }

// Pass is the way in which the dispatches of an invocation are timed, beside the measuring.
type Pass int

// The passes.
const (
	NoPass     Pass = iota
	InExecutor      // the profiler in the executor that measures is switched on after measuring
	Captured        // a separate run, in an executor that is captured
	Recorded        // a separate run, in a tool of the runtime
)

// Wish is what the user wants to know about dispatches.
type Wish struct {
	Source   Source
	EachCall bool // a row for each call, which only a capture can give; otherwise medians
}

// Choose returns the pass that serves a wish on a machine with certain sources: the profiler in the executor if there
// is one, else a capture, else a tool of the runtime, which records less than a capture. If the wish is for each call,
// a capture comes first. For a device, it comes last.
func (w Wish) Choose(s Support) Pass {
	profile := w.Source == SourceAuto || w.Source == SourceProfile
	tracy := (w.Source == SourceAuto || w.Source == SourceTracy) && s.Tracy
	switch {
	case profile && s.Profiler && !(w.EachCall && tracy):
		return InExecutor
	case profile && s.Recorder && s.Device != "":
		return Recorded
	case tracy:
		return Captured
	case profile && s.Recorder:
		return Recorded
	}
	return NoPass
}

// Pass returns the pass that serves a wish for an invocation.
func (t Table) Pass(w Wish, inv *invocations.Invocation, getenv func(string) string) Pass {
	return w.Choose(t.support(inv, getenv))
}

// Device returns the device that runs the dispatches of an invocation, "" if it is the CPU.
func (t Table) Device(inv *invocations.Invocation, getenv func(string) string) string {
	return t.support(inv, getenv).Device
}

func (t Table) support(inv *invocations.Invocation, getenv func(string) string) Support {
	row := t.Lookup(inv.Runtime)
	if row.Dispatches == nil {
		return Support{}
	}
	s := row.Dispatches.Support(inv, getenv)
	s.Tracy = s.Tracy && row.Tracing != nil
	return s
}

// Nodes returns of which nodes of a model the dispatches of an invocation were made, by their names; see Dispatches.
func (t Table) Nodes(inv *invocations.Invocation) map[string]string {
	row := t.Lookup(inv.Runtime)
	if row.Dispatches == nil || row.Dispatches.Nodes == nil {
		return nil
	}
	return row.Dispatches.Nodes(inv)
}

// ProfileBuild returns what must be built before an executor can profile an artifact of a runtime; see Dispatches.
func (t Table) ProfileBuild(runtime string, a invocations.Artifact) (artifact invocations.Artifact, needed bool) {
	row := t.Lookup(runtime)
	if row.Dispatches == nil || row.Dispatches.ProfileBuild == nil {
		return a, false
	}
	return row.Dispatches.ProfileBuild(a)
}

// Unserved returns the error for a wish that no invocation of a plan can serve; nil if the wish was for no source in
// particular.
func (t Table) Unserved(w Wish) error {
	var issuers, traced, remedies, profilers []string
	for _, row := range t {
		d := row.Dispatches
		if d == nil || d.Artifacts == "" {
			continue
		}
		issuers, remedies = append(issuers, d.Artifacts), append(remedies, d.Remedy)
		if d.Profiler != "" {
			profilers = append(profilers, "for "+d.Artifacts+", "+d.Profiler)
		}
		if row.Tracing != nil {
			traced = append(traced, d.Artifacts+" have dispatches with a Tracy client, "+row.Tracing.Needs)
		}
	}
	switch {
	case w.Source == SourceOff || w.Source == SourceAuto && !w.EachCall:
		return nil
	case w.Source == SourceAuto:
		return sentence("-d: nothing of this has dispatches that can be timed here: ",
			only(enumerated(issuers), "", " issue some"), strings.Join(remedies, "; "), "leave out -d")
	case w.Source == SourceProfile:
		return sentence(
			"",
			"--dispatches profile: nothing of this has a runtime with a profiler",
			strings.Join(profilers, "; "),
		)
	}
	return sentence(
		"nothing of this can be traced: ",
		only(traced, "; ", ""),
		"leave out -t, -d and --dispatches tracy",
	)
}

// enumerated returns a list as people write it, "A, B and C", as its only element; nothing for an empty list.
func enumerated(list []string) []string {
	if len(list) < 2 {
		return list
	}
	last := len(list) - 1
	return []string{strings.Join(list[:last], ", ") + " and " + list[last]}
}

// only returns "only A and B issue some", or "no runtime does" for an empty list.
func only(list []string, separator, does string) string {
	if len(list) == 0 {
		return "no runtime does"
	}
	return "only " + strings.Join(list, separator) + does
}

// sentence joins the parts that are not empty to an error.
func sentence(begin string, parts ...string) error {
	var list []string
	for _, part := range parts {
		if part != "" {
			list = append(list, part)
		}
	}
	return errors.New(begin + strings.Join(list, "; "))
}

// Adapt changes an invocation to the form that a captured executor of its runtime can load.
func (t Table) Adapt(inv *invocations.Invocation) {
	if row := t.Lookup(inv.Runtime); row.Tracing != nil && row.Tracing.Adapt != nil {
		row.Tracing.Adapt(inv)
	}
}

// Capturing returns what captured executors of certain runtimes need: entries of their environment, and the
// site-packages folders that may hold a fitting capture tool.
func (t Table) Capturing(getenv func(string) string, names ...string) (entries, sites []string) {
	for _, name := range names {
		row := t.Lookup(name)
		if row.Tracing == nil {
			continue
		}
		entries = append(entries, row.Tracing.Environment...)
		if row.Tracing.Sites != nil {
			sites = append(sites, row.Tracing.Sites(getenv)...)
		}
	}
	return entries, sites
}
