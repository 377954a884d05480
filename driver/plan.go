package driver

import (
	"math/rand/v2"
	"regexp"
	"slices"

	"zonemark/invocations"
)

// Planned is an invocation that is ready to be sent, or the reason why it will not run.
type Planned struct {
	Invocation invocations.Invocation
	Lacks      string             // CPU features that explain a SIGILL
	Verdict    invocations.Status // Skipped or Failed if it shall not run, else empty
	Reason     string             // reason of that verdict
	Note       string
	// Former is the id that earlier versions of zonemark gave it, which hashed the paths of files in options; empty if
	// the id is the same.
	Former string

	follows    bool // the plan has chosen its reference for its group
	emulated   bool // an emulator makes the call
	comparable bool // its outputs can be compared with those of other artifacts
	unread     bool // the artifact could not be read, or lacks what the request asks for
	unnamed    bool // the user gave no name; the artifact's name is prefixed if there are several
}

// Plan lists what a run will do, in the order in which users expect the results.
type Plan struct {
	List     []Planned
	Warnings []string
	// Environment is that of the executor that described the artifacts.
	Environment map[string]string
}

// Adopt copies the results that a journal holds under former ids to the present ids. done holds the journal's records
// by id.
func (plan *Plan) Adopt(done map[string]*invocations.Record) {
	for _, p := range plan.List {
		if _, known := done[p.Invocation.ID]; known || p.Former == "" {
			continue
		}
		if r, ok := done[p.Former]; ok {
			done[p.Invocation.ID] = r
		}
	}
}

// Filter keeps the invocations whose names match. Nil keeps all.
func (plan *Plan) Filter(name *regexp.Regexp) {
	if name == nil {
		return
	}
	plan.List = slices.DeleteFunc(plan.List, func(p Planned) bool { return !name.MatchString(p.Invocation.Name) })
}

// blocks divides the plan into blocks that are measured together. The variants of a group that can run share a block;
// every other invocation has its own. The order of the blocks is random, from the seed, so that slow changes of the
// machine do not favour the first ones.
func (plan *Plan) blocks(seed uint64, done func(position int) bool) [][]int {
	var out [][]int
	at := map[string]int{}
	for i := range plan.List {
		if plan.List[i].Verdict != "" || done(i) {
			continue
		}
		group := plan.List[i].Invocation.Group
		if j, ok := at[group]; ok && group != "" {
			out[j] = append(out[j], i)
			continue
		}
		at[group] = len(out)
		out = append(out, []int{i})
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// Runtimes returns the names of the runtimes of a plan, each once.
func (plan *Plan) Runtimes() (names []string) {
	for _, p := range plan.List {
		if !slices.Contains(names, p.Invocation.Runtime) {
			names = append(names, p.Invocation.Runtime)
		}
	}
	return names
}
