// Package plan makes of what a user asks for the invocations of a run. It asks an executor what artifacts hold, and fills
// in what was left open. It parses no file of any runtime, and knows nothing of how invocations are measured.
package plan

import (
	"iter"
	"math/rand/v2"
	"regexp"
	"slices"

	"zonemark/driver/journal"
	"zonemark/invocations"
	"zonemark/invocations/packed"
)

// Entry is an invocation that is ready to be sent, or the reason why it will not run.
type Entry struct {
	Invocation invocations.Invocation
	Lacks      string             // CPU features that explain a SIGILL
	Verdict    invocations.Status // Skipped or Failed if it shall not run, else empty
	Reason     string             // reason of that verdict
	Note       string
	// Former is the id that earlier versions of zonemark gave it, which hashed the paths of files in options; empty if
	// the id is the same.
	Former string

	Follows    bool // the plan has chosen its reference for its group
	Emulated   bool // an emulator makes the call
	Comparable bool // its outputs can be compared with those of other artifacts
	Unread     bool // the artifact could not be read, or lacks what the request asks for
	// MostLaunches is how many launches it may have at most in a race of its group, if they are needed to decide it; 0:
	// there is no race.
	MostLaunches int
	Unnamed      bool // the user gave no name; the artifact's name is prefixed if there are several
}

// Plan lists what a run will do, in the order in which users expect the results. It keeps the invocations packed, since
// there may be many.
type Plan struct {
	list     packed.List[Entry]
	Warnings []string
	// Environment is that of the executor that described the artifacts.
	Environment map[string]string
	// Shard tells which part of a larger plan this is; nil: it is a whole plan.
	Shard *invocations.Shard

	places []int32 // of the invocations of a part, in the larger plan
	former bool    // some invocation has a former id
}

// NewPlan makes a plan of a list.
func NewPlan(list ...Entry) *Plan {
	plan := &Plan{}
	plan.Add(list...)
	return plan
}

// Add appends to the plan.
func (plan *Plan) Add(list ...Entry) {
	for i := range list {
		plan.add(&list[i])
	}
}

func (plan *Plan) add(p *Entry) {
	plan.list.Add(p)
	plan.former = plan.former || p.Former != ""
}

// AddPart appends an invocation of a part, with its place in the larger plan.
func (plan *Plan) AddPart(place int, p *Entry) {
	plan.add(p)
	plan.places = append(plan.places, int32(place))
}

// Place returns the place of the invocation at a position: in the larger plan if this is a part.
func (plan *Plan) Place(i int) int {
	if plan.Shard == nil {
		return i
	}
	return int(plan.places[i])
}

// Len returns the number of invocations.
func (plan *Plan) Len() int { return plan.list.Len() }

// At returns a copy of the invocation at a position. Set puts a changed one into the plan.
func (plan *Plan) At(i int) *Entry { return plan.list.At(i) }

// Set replaces the invocation at a position.
func (plan *Plan) Set(i int, p *Entry) { plan.list.Set(i, p) }

// All yields copies of the invocations with their positions. A copy is valid until the next one.
func (plan *Plan) All() iter.Seq2[int, *Entry] { return plan.list.All() }

// invocations yields the invocations. Each is valid until the next one.
func (plan *Plan) invocations() iter.Seq[*invocations.Invocation] {
	return func(yield func(*invocations.Invocation) bool) {
		for inv := range plan.Verdicts() {
			if !yield(inv) {
				return
			}
		}
	}
}

// Verdicts yields the invocations with the verdicts of the plan.
func (plan *Plan) Verdicts() iter.Seq2[*invocations.Invocation, invocations.Status] {
	return func(yield func(*invocations.Invocation, invocations.Status) bool) {
		for _, p := range plan.All() {
			if !yield(&p.Invocation, p.Verdict) {
				return
			}
		}
	}
}

// IDs yields the ids of the invocations.
func (plan *Plan) IDs() iter.Seq[string] {
	return func(yield func(string) bool) {
		for inv := range plan.invocations() {
			if !yield(inv.ID) {
				return
			}
		}
	}
}

// Adopt gives the results that a journal holds under former ids to the present ids.
func (plan *Plan) Adopt(done *journal.Done) {
	if !plan.former {
		return
	}
	for _, p := range plan.All() {
		done.Adopt(p.Invocation.ID, p.Former)
	}
}

// Filter keeps the invocations of a whole plan whose names match. Nil keeps all, as the empty expression does.
func (plan *Plan) Filter(name *regexp.Regexp) {
	if name == nil || name.String() == "" {
		return
	}
	plan.list.Compact(func(p *Entry) bool { return !name.MatchString(p.Invocation.Name) })
}

// Blocks divides the plan into blocks that are measured together. The variants of a group that can run share a block;
// every other invocation has its own. The order of the blocks is random, from the seed, so that slow changes of the
// machine do not favour the first ones.
func (plan *Plan) Blocks(seed uint64, done func(position int) bool) [][]int {
	var out [][]int
	at := map[string]int{}
	for i, p := range plan.All() {
		if p.Verdict != "" || done(i) {
			continue
		}
		group := p.Invocation.Group
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
	for _, p := range plan.All() {
		if !slices.Contains(names, p.Invocation.Runtime) {
			names = append(names, p.Invocation.Runtime)
		}
	}
	return names
}
