package plan

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"zonemark/driver/executors"
	"zonemark/invocations"
	"zonemark/invocations/repeats"
	"zonemark/invocations/wire"
)

// Requests yields what a user asks for, in order. It can be ranged over several times and yields the same each time.
// After an error it yields nothing more. Each request is valid until the next one, and who ranges over them may change
// it: there may be a million, and copying them at each step took a third of the time of planning.
type Requests = iter.Seq2[*invocations.Invocation, error]

// Asked is what a user asks for, with what is known of all requests together before the first artifact is read.
type Asked struct {
	Requests Requests
	Count    int      // of the requests
	Patience Patience // for reading
}

// Ask walks over requests to find out what is known of all of them together.
func Ask(requests Requests) (Asked, error) {
	a := Asked{Requests: requests, Patience: Patience{}}
	for r, err := range requests {
		if err != nil {
			return a, err
		}
		a.Count++
		a.Patience.Add(ArtifactKey(r), r)
	}
	return a, nil
}

// RequestList yields the requests of a list.
func RequestList(list []invocations.Invocation) Requests {
	return func(yield func(*invocations.Invocation, error) bool) {
		for _, one := range list {
			if !yield(&one, nil) {
				return
			}
		}
	}
}

// Outline is a plan that holds no invocations. It makes them from the requests each time that they are needed, since a
// million of them take much memory. Its artifacts are described and built.
type Outline struct {
	Warnings []string
	// Environment is that of the executor that described the artifacts.
	Environment map[string]string

	planner  *Planner
	requests Requests
	only     []string               // names of functions; empty: all
	seen     map[string]bool        // names of functions that requests stand for
	found    map[string]described   // by ArtifactKey of requests
	needs    map[string]bool        // paths of artifacts that must be built
	built    map[string]*wire.Built // by ArtifactKey of invocations
	names    map[string]string      // of artifacts by their paths, if there are several
	count    int                    // of the invocations
}

// described is what an executor says of an artifact, or why it cannot be read.
type described struct {
	list []invocations.Description
	err  error
}

// Outline describes and builds the artifacts of requests, and checks each request. A request without a function stands
// for every function of its artifact. If only is not empty, the plan has only functions of these names.
func (p *Planner) Outline(ctx context.Context, asked Asked, only []string) (*Outline, error) {
	s := &executors.Supervisor{Starter: p.Builder, Build: p.Build, Words: p.Words}
	defer s.Close()
	o := &Outline{
		planner: p, requests: asked.Requests, only: only, seen: map[string]bool{},
		found: map[string]described{}, needs: map[string]bool{}, built: map[string]*wire.Built{},
	}
	look := newSurvey(o, asked)
	if err := look.all(ctx, s); err != nil {
		return nil, err
	}
	if err := look.build(ctx, s); err != nil {
		return nil, err
	}
	o.Environment = s.Environment()
	if look.descriptions > 1 {
		o.names = shortestNames(look.paths)
	}
	return o, nil
}

// Len returns the number of the invocations.
func (o *Outline) Len() int { return o.count }

// Part makes an empty plan for a part of the invocations.
func (o *Outline) Part(shard invocations.Shard) *Plan {
	return &Plan{Warnings: o.Warnings, Environment: o.Environment, Shard: &shard}
}

// Plan makes all invocations. It returns an error for two with the same id.
func (o *Outline) Plan() (*Plan, error) {
	plan := &Plan{Warnings: o.Warnings, Environment: o.Environment}
	var ids repeats.Finder
	for p, err := range o.All() {
		if err != nil {
			return nil, err
		}
		o.Seal(p)
		ids.Add(p.Invocation.ID)
		plan.add(p)
	}
	if ids.Suspect() == nil {
		return plan, nil
	}
	return plan, checkDuplicates(plan.invocations()) // it names the two
}

// All yields the invocations in the order in which users expect the results. Each is valid until the next one. They
// have no ids yet, which take as much time as all the rest; Seal sets them.
func (o *Outline) All() iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		leaders, position := newLeaders(), 0
		var list []Entry
		for r, err := range o.requests {
			if err != nil {
				yield(nil, err)
				return
			}
			list = o.entries(list[:0], r, position)
			position++
			for i := range list {
				p := &list[i]
				o.complete(p)
				leaders.refer(p)
				if !yield(p, nil) {
					return
				}
			}
		}
	}
}

// Seal sets the id of an invocation, and its former id if that differs.
func (o *Outline) Seal(p *Entry) { p.seal(o.planner.Content) }

// complete enters into an invocation what was built, and names it apart from those of other artifacts unless the user
// has named it.
func (o *Outline) complete(p *Entry) {
	inv := &p.Invocation
	if p.Verdict == "" && o.needs[inv.Artifact.Path] {
		b := o.built[ArtifactKey(inv)]
		if inv.Artifact.Built = b.Path; b.Error != "" {
			p.Verdict, p.Reason = invocations.Failed, b.Error
		}
	}
	if p.Unnamed && o.names != nil {
		inv.Name = o.names[inv.Artifact.Path] + "/" + inv.Name
	}
}

// entries appends the entries of a request to a list: the functions that it stands for, or one that says why there are
// none. position is that of the request.
func (o *Outline) entries(list []Entry, r *invocations.Invocation, position int) []Entry {
	planned, err := o.planned(list, r)
	if err != nil {
		return append(list, unreadable(r, o.planner.located(position, err)))
	}
	return planned
}

// planned appends the described functions that a request stands for to a list.
func (o *Outline) planned(list []Entry, r *invocations.Invocation) ([]Entry, error) {
	ds := o.found[ArtifactKey(r)]
	if ds.err != nil {
		return nil, ds.err
	}
	before, taken := len(list), takenParameters(r, ds.list, o.only)
	for i := range ds.list {
		d := &ds.list[i]
		for j := range d.Functions {
			f := &d.Functions[j]
			if r.Function != "" && f.Name != r.Function || len(o.only) > 0 && !slices.Contains(o.only, f.Name) {
				continue
			}
			o.seen[f.Name] = true
			planned, err := o.planner.resolve(r, d, f, taken)
			if err != nil {
				return nil, fmt.Errorf("%s: function %s: %w", d.Artifact.Path, f.Name, err)
			}
			list = append(list, planned)
		}
	}
	if r.Function != "" && len(o.only) == 0 && len(list) == before {
		return nil, &settingError{"", "function", noSuchFunction(r.Artifact.Path, r.Function, ds.list)}
	}
	return list, checkReference(r, ds.list)
}

// ArtifactKey returns a key that is equal for invocations of one artifact with the same options, which need only one
// description and one build.
func ArtifactKey(r *invocations.Invocation) string {
	key := r.Runtime + "\x00" + r.Artifact.Path
	if len(r.Artifact.Options) == 0 {
		return key
	}
	for _, k := range slices.Sorted(maps.Keys(r.Artifact.Options)) {
		key += "\x00" + k + "=" + r.Artifact.Options[k]
	}
	return key
}
