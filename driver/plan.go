package driver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"zonemark/invocations"
	"zonemark/invocations/wire"
)

const (
	buildTimeout  = 10 * time.Minute
	buildPatience = 100 * time.Millisecond // a build that takes longer is announced, since it is not cached
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
	unnamed    bool // the user gave no name; the artifact's name is prefixed if there are several
}

// Plan lists what a run will do, in the order in which users expect the results.
type Plan struct {
	List     []Planned
	Warnings []string
	// Environment is that of the executor that described the artifacts.
	Environment map[string]string
}

// Planner turns the user's requests into invocations. It asks an executor what the artifacts hold, lets it build what
// must be built, and fills in what the user left open.
type Planner struct {
	Builder Starter // starts executors that may start compilers
	Build   string  // of zonemark, for the handshake
	Cache   string  // folder for built artifacts
	Say     func(format string, args ...any)
	// Group returns the group of a function whose request has none. Functions with the same group and parameters are
	// variants. Nil means that there are no such groups.
	Group func(invocations.Function) string
	// Content returns the options as ids count them. The name of a file is replaced by a hash, so that the file can be
	// moved. Content does not change its argument. Nil means that ids count options as they are.
	Content func(options map[string]string) map[string]string
	// Where returns the place in the user's files that sets a key of a request, by the request's position, for errors;
	// empty if there is none. table is that of a suite's keys. Nil: there are no such places.
	Where func(request int, table, name string) string
}

// settingError is an error about what a request sets: a key in a table of suites.
type settingError struct {
	table, name string
	err         error
}

func (e *settingError) Error() string { return e.err.Error() }
func (e *settingError) Unwrap() error { return e.err }

// located puts the place that sets what an error is about before it.
func (p *Planner) located(request int, err error) error {
	var setting *settingError
	if p.Where == nil || !errors.As(err, &setting) {
		return err
	}
	if place := p.Where(request, setting.table, setting.name); place != "" {
		return fmt.Errorf("%s: %w", place, err)
	}
	return err
}

// Describe asks an executor what an artifact holds.
func (p *Planner) Describe(
	ctx context.Context, runtime string, artifact invocations.Artifact,
) ([]invocations.Description, error) {
	s := &supervisor{starter: p.Builder, build: p.Build}
	defer s.close()
	return p.describe(ctx, s, runtime, artifact, buildTimeout)
}

func (p *Planner) describe(
	ctx context.Context, s *supervisor, runtime string, artifact invocations.Artifact, limit time.Duration,
) ([]invocations.Description, error) {
	path := artifact.Path
	say := time.AfterFunc(buildPatience, func() { p.Say("reading %s", path) })
	defer say.Stop()
	m := &wire.Describe{ID: path, Runtime: runtime, Path: path, Options: artifact.Options, Cache: p.Cache}
	reply, err := s.ask(ctx, m, path, limit)
	if err != nil {
		return nil, fmt.Errorf("%s: reading it did not end well: %w", path, late(err, limit))
	}
	d := reply.(*wire.Described) // the answer to a Describe is always Described
	if d.Error != "" {
		return nil, errors.New(d.Error)
	}
	for i := range d.Descriptions {
		if err := hashArtifact(&d.Descriptions[i].Artifact); err != nil {
			return nil, err
		}
	}
	return d.Descriptions, nil
}

// late adds the time limit to the error of a builder that did not answer in time.
func late(err error, limit time.Duration) error {
	if errors.Is(err, errTimeout) {
		return fmt.Errorf("%w: %v; --timeout allows more", err, limit)
	}
	return err
}

// buildLimits are how long reading, or building, artifacts may take, by describedKey: as long as the most patient
// invocation allows.
type buildLimits map[string]time.Duration

func (l buildLimits) add(inv *invocations.Invocation) {
	key := describedKey(inv)
	l[key] = max(l[key], cmp.Or(time.Duration(inv.Limits.BuildNS), buildTimeout))
}

// Resolve expands requests to a plan. A request without a function stands for every function of its artifact. If only
// is not empty, the plan has only functions of these names.
func (p *Planner) Resolve(ctx context.Context, requests []invocations.Invocation, only []string) (*Plan, error) {
	s := &supervisor{starter: p.Builder, build: p.Build}
	defer s.close()
	plan := &Plan{List: make([]Planned, 0, len(requests))}
	found, limits := map[string][]invocations.Description{}, buildLimits{}
	for i := range requests {
		limits.add(&requests[i])
	}
	seen := map[string]bool{}
	var refused error // error of the first request that asks for something that its artifact lacks
	fits := false     // some request matched a function
	for i := range requests {
		r := &requests[i]
		key := describedKey(r)
		if found[key] == nil {
			ds, err := p.describe(ctx, s, r.Runtime, r.Artifact, limits[key])
			switch {
			case err != nil && (len(requests) == 1 || ctx.Err() != nil):
				return nil, err
			case err != nil: // one of several: the others are measured
				plan.List = append(plan.List, unreadable(r, err))
				continue
			}
			for d := range ds {
				plan.Warnings = append(plan.Warnings, ds[d].Warnings...)
			}
			found[key] = ds
		}
		before := len(plan.List)
		if err := p.add(plan, r, found[key], only, seen); err != nil {
			err = p.located(i, err)
			if len(requests) == 1 {
				return nil, err
			}
			plan.List = append(plan.List[:before], unreadable(r, err))
			if refused == nil {
				refused = err
			}
			continue
		}
		fits = fits || len(plan.List) > before
	}
	if refused != nil && !fits { // no request matched
		return nil, refused
	}
	if err := missing(only, seen, found); err != nil {
		return nil, err
	}
	if err := plan.missingParameters(found); err != nil {
		return nil, err
	}
	if err := p.buildAll(ctx, s, plan, found); err != nil {
		return nil, err
	}
	if s.current != nil && s.current.hello != nil {
		plan.Environment = s.current.hello.Environment
	}
	if severalArtifacts(found) {
		plan.nameApart()
	}
	return plan, plan.seal(p.Content)
}

// unreadable returns the failed entry of a request whose artifact cannot be read or lacks what the request asks for.
func unreadable(r *invocations.Invocation, err error) Planned {
	p := Planned{Invocation: *r, Verdict: invocations.Failed, Reason: err.Error(), unnamed: r.Name == ""}
	p.Invocation.Name = cmp.Or(r.Name, r.Function, "-")
	if strings.HasPrefix(r.Name, "/") { // see resolve
		p.Invocation.Name, p.unnamed = cmp.Or(r.Function, "-")+r.Name, true
	}
	return p
}

// describedKey returns a key that is equal for requests that need only one description.
func describedKey(r *invocations.Invocation) string {
	key := r.Runtime + "\x00" + r.Artifact.Path
	for _, k := range slices.Sorted(maps.Keys(r.Artifact.Options)) {
		key += "\x00" + k + "=" + r.Artifact.Options[k]
	}
	return key
}

// add appends to the plan the described functions that the request stands for.
func (p *Planner) add(
	plan *Plan, r *invocations.Invocation, ds []invocations.Description, only []string, seen map[string]bool,
) error {
	count := 0
	taken := takenParameters(r, ds, only)
	for _, d := range ds {
		for _, f := range d.Functions {
			if r.Function != "" && f.Name != r.Function || len(only) > 0 && !slices.Contains(only, f.Name) {
				continue
			}
			count++
			seen[f.Name] = true
			planned, err := p.resolve(r, d, f, taken)
			if err != nil {
				return fmt.Errorf("%s: function %s: %w", d.Artifact.Path, f.Name, err)
			}
			plan.List = append(plan.List, planned)
		}
	}
	if r.Function != "" && len(only) == 0 && count == 0 {
		return &settingError{"", "function", noSuchFunction(r.Artifact.Path, r.Function, ds)}
	}
	return checkReference(r, ds)
}

// resolve completes a request with the description of one function.
func (p *Planner) resolve(
	r *invocations.Invocation, d invocations.Description, f invocations.Function, taken map[string]bool,
) (Planned, error) {
	inv := *r
	inv.Artifact, inv.Function = d.Artifact, f.Name
	inv.Measure.CheckOnly = inv.Measure.CheckOnly || f.Emulated
	if inv.Artifact.Options == nil {
		inv.Artifact.Options = r.Artifact.Options
	}
	out := Planned{Lacks: f.Lacks, emulated: f.Emulated, comparable: d.Comparable}
	switch {
	case r.Name == "" || strings.HasPrefix(r.Name, "/"): // "/…" is the suffix of a point of a sweep
		inv.Name, out.unnamed = f.Name+r.Name, true
	case r.Function == "":
		inv.Name += "/" + f.Name
	}
	if f.Skip != "" {
		out.Verdict, out.Reason = invocations.Skipped, f.Skip
	}
	var err error
	if len(r.Command) == 0 { // the parameters of a command are in its words
		if inv.Parameters, err = parameters(r.Parameters, f, taken); err != nil {
			return out, err
		}
	}
	if inv.Group == "" && out.Verdict == "" && p.Group != nil {
		if inv.Group = p.Group(f); inv.Group != "" {
			inv.Group += parameterSuffix(inv.Parameters)
		}
	}
	if inv.Arguments, err = arguments(r.Arguments, f.Arguments); err != nil {
		return out, err
	}
	out.Note = joinNotes(f.Note, defaultsNote(r.Parameters, f))
	out.Invocation = inv
	return out, nil
}

// defaultsNote returns a note that lists the parameters that have their default values.
func defaultsNote(given map[string]string, f invocations.Function) string {
	var chosen []string
	for _, q := range f.Parameters {
		if _, ok := given[q.Name]; !ok && q.Default != "" {
			chosen = append(chosen, q.Name+"="+q.Default)
		}
	}
	if len(chosen) == 0 {
		return ""
	}
	return "default sizes: " + strings.Join(chosen, ", ")
}

func joinNotes(notes ...string) string {
	return strings.Join(slices.DeleteFunc(notes, func(s string) bool { return s == "" }), "; ")
}

// parameters returns the given values, and the artifact's defaults for the other parameters. It may return given
// itself. Names in taken are those of parameters of other functions, which this one may lack.
func parameters(given map[string]string, f invocations.Function, taken map[string]bool) (map[string]string, error) {
	named := func(name string) func(invocations.Parameter) bool {
		return func(q invocations.Parameter) bool { return q.Name == name }
	}
	for name := range given {
		if !slices.ContainsFunc(f.Parameters, named(name)) && !taken[name] {
			if len(f.Parameters) == 0 {
				return nil, &settingError{"params", name,
					fmt.Errorf("parameter %q is given, but the function has none", name)}
			}
			var names []string
			for _, q := range f.Parameters {
				names = append(names, q.Name)
			}
			return nil, &settingError{"params", name,
				fmt.Errorf("it has no parameter %q; it has: %s", name, strings.Join(names, ", "))}
		}
	}
	open := func(q invocations.Parameter) bool { return given[q.Name] == "" }
	if len(given) == len(f.Parameters) && len(given) > 0 && !slices.ContainsFunc(f.Parameters, open) {
		return given, nil // a copy for each of a million points would take much memory
	}
	out := map[string]string{}
	for _, q := range f.Parameters {
		if value := cmp.Or(given[q.Name], q.Default); value != "" {
			out[q.Name] = value
		}
	}
	return out, nil
}

// buildAll lets the executor build the artifacts that the plan needs. If one cannot be built, its functions fail with
// the executor's error.
func (p *Planner) buildAll(
	ctx context.Context, s *supervisor, plan *Plan, found map[string][]invocations.Description,
) error {
	needs := map[string]bool{}
	for _, ds := range found {
		for _, d := range ds {
			needs[d.Artifact.Path] = needs[d.Artifact.Path] || d.NeedsBuild
		}
	}
	limits := buildLimits{}
	for i := range plan.List {
		limits.add(&plan.List[i].Invocation)
	}
	built := map[string]*wire.Built{} // by describedKey: one file may be built with several options
	for i := range plan.List {
		planned := &plan.List[i]
		inv := &planned.Invocation
		if planned.Verdict != "" || !needs[inv.Artifact.Path] {
			continue
		}
		key := describedKey(inv)
		b := built[key]
		if b == nil {
			var err error
			b, err = p.build(ctx, s, inv.Runtime, inv.Artifact, limits[key])
			switch {
			case err != nil && (len(found) == 1 || ctx.Err() != nil):
				return err
			case err != nil: // one of several: the others are measured
				b = &wire.Built{Error: err.Error()}
			}
			built[key] = b
		}
		if b.Error != "" {
			planned.Verdict, planned.Reason = invocations.Failed, b.Error
			continue
		}
		inv.Artifact.Built = b.Path
	}
	return nil
}

// build lets the executor build an artifact.
func (p *Planner) build(
	ctx context.Context, s *supervisor, runtime string, artifact invocations.Artifact, limit time.Duration,
) (*wire.Built, error) {
	path := artifact.Path
	say := time.AfterFunc(buildPatience, func() { p.Say("building %s", path) })
	defer say.Stop()
	m := &wire.Build{ID: path, Runtime: runtime, Artifact: artifact, Cache: p.Cache}
	reply, err := s.ask(ctx, m, path, limit)
	if err != nil {
		return nil, fmt.Errorf("%s: building it did not end well: %w", path, late(err, limit))
	}
	return reply.(*wire.Built), nil // the answer to a Build is always Built
}

// BuildAll lets an executor of a runtime build artifacts, and returns the file and the error of each, in their order.
func (p *Planner) BuildAll(
	ctx context.Context, runtime string, list []invocations.Artifact,
) (paths []string, failures []error) {
	s := &supervisor{starter: p.Builder, build: p.Build}
	defer s.close()
	for _, a := range list {
		b, err := p.build(ctx, s, runtime, a, buildTimeout)
		switch {
		case err != nil:
			b = &wire.Built{}
		case b.Error != "":
			err = errors.New(b.Error)
		}
		paths, failures = append(paths, b.Path), append(failures, err)
	}
	return paths, failures
}

func severalArtifacts(found map[string][]invocations.Description) bool {
	n := 0
	for _, ds := range found {
		n += len(ds)
	}
	return n > 1
}

// parameterSuffix returns a text such as "/K=64/M=128"; "" without parameters.
func parameterSuffix(ps map[string]string) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(ps)) {
		fmt.Fprintf(&b, "/%s=%s", k, ps[k])
	}
	return b.String()
}

// nameApart prefixes names that the user did not choose with the artifact's name, with as many of its folders as are
// needed to make it unique.
func (plan *Plan) nameApart() {
	paths := map[string]bool{}
	for _, p := range plan.List {
		paths[p.Invocation.Artifact.Path] = true
	}
	for i := range plan.List {
		if p := &plan.List[i]; p.unnamed {
			p.Invocation.Name = shortestName(p.Invocation.Artifact.Path, paths) + "/" + p.Invocation.Name
		}
	}
}

// shortestName returns the shortest end of a path that no other path has, without its extension unless another path
// differs in nothing else.
func shortestName(path string, paths map[string]bool) string {
	stem := func(path string) string { return filepath.ToSlash(strings.TrimSuffix(path, filepath.Ext(path))) }
	whole := filepath.ToSlash
	for other := range paths {
		if other != path && stem(other) == stem(path) { // only the extension tells them apart
			stem = whole
		}
	}
	parts := strings.Split(stem(path), "/")
	for n := 1; n < len(parts); n++ {
		name := strings.Join(parts[len(parts)-n:], "/")
		alone := true
		for other := range paths {
			alone = alone && (other == path || stem(other) != name && !strings.HasSuffix(stem(other), "/"+name))
		}
		if alone {
			return name
		}
	}
	return strings.Join(parts, "/")
}

// seal sets references and ids and returns an error for duplicates. The reference of a group is its first function that
// can run. Variants with a reference of the user's choice
// keep it, and so do those in other artifacts if their runtime compares functions of one artifact only. content
// may be nil; see Planner.
func (plan *Plan) seal(content func(map[string]string) map[string]string) error {
	references := map[string]*Planned{}
	for i := range plan.List {
		p := &plan.List[i]
		if inv := &p.Invocation; inv.Group != "" && p.Verdict == "" {
			ref := references[inv.Group]
			if ref == nil {
				references[inv.Group] = p
			} else if other := &ref.Invocation; inv.Verify.Reference == "" && canCompare(ref, p) &&
				(other.Function != inv.Function || other.Artifact.Path != inv.Artifact.Path) {
				r := referenceTo(inv, other)
				inv.Verify.Reference, inv.Verify.Of, p.follows = r.function, r.of, true
			}
		}
		p.seal(content)
	}
	return invocations.CheckDuplicatesOf(len(plan.List), func(i int) *invocations.Invocation {
		return &plan.List[i].Invocation
	})
}

// seal sets the id of an invocation, and its former id if that differs.
func (p *Planned) seal(content func(map[string]string) map[string]string) {
	p.Invocation.Seal()
	if content == nil {
		return
	}
	byContent := p.Invocation
	byContent.Artifact.Options = content(p.Invocation.Artifact.Options)
	byContent.Seal()
	if byContent.ID != p.Invocation.ID {
		p.Former, p.Invocation.ID = p.Invocation.ID, byContent.ID
	}
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
