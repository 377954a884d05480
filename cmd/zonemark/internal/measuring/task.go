package measuring

import (
	"maps"
	"regexp"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/driver/report"
	"zonemark/invocations/building"
	"zonemark/invocations/environ"
)

// Task is what a run was asked for: settings, and the program that carries them out.
type Task struct {
	program.Program
	Settings

	verb      string   // "run"; empty if no command line asks; see AskedBy
	arguments []string // of the command line behind the verb; nil: there is none, or it is not read yet
	origins   []origin // of the requests that join has yielded last
	viaOf     string   // the suite that names the hosts; empty: the settings do
	spreadOf  string   // the suite that says so; empty: the settings do
}

// NewTask returns what a caller in Go asks for.
func NewTask(p program.Program, s Settings) *Task { return &Task{Program: p, Settings: s} }

// AskedBy notes the command line that asks: its verb, and the arguments behind that; nil if they are not read yet.
// Errors then show what to change of it.
func (t *Task) AskedBy(verb string, arguments []string) { t.verb, t.arguments = verb, arguments }

// Hosting returns the options for starting executors that see certain variables and may write to the folder scratch.
func (t *Task) Hosting(v environ.Variables, scratch string) hosting.Options {
	return hosting.Options{
		Counters: t.Counters, Sandbox: t.Sandbox, MemoryBytes: t.Base.Limits.MemoryBytes,
		Threads: t.Base.Limits.Threads, Scratch: scratch, Variables: v,
		Environment: t.VariableNames, Read: t.SandboxRead, Allow: t.SandboxAllow, Home: t.SandboxCache,
	}
}

// Building returns what confines programs that build something in this process.
func (t *Task) Building(v environ.Variables) building.Confine { return t.Hosting(v, "").Building() }

// Options returns a copy of the options of artifacts.
func (t *Task) Options() map[string]string { return maps.Clone(t.ArtifactOptions) }

// SetOption keeps an option of artifacts; an empty value is as if nothing had been said.
func (t *Task) SetOption(name, value string) {
	if t.ArtifactOptions == nil {
		t.ArtifactOptions = map[string]string{}
	}
	if t.ArtifactOptions[name] = value; value == "" {
		delete(t.ArtifactOptions, name)
	}
}

// filter returns the expression of the names that are kept; nil if all are.
func (t *Task) filter() (*regexp.Regexp, error) { return cli.Compile("--filter", t.Filter) }

// shownDispatches returns how the report shows dispatches.
func (t *Task) shownDispatches() report.DispatchOptions {
	o := report.DispatchOptions{Order: t.DispatchOrder}
	if t.Given["dispatch-limit"] {
		if o.Limit = int(t.DispatchLimit); o.Limit == 0 {
			o.Limit = -1 // all
		}
	}
	return o
}
