package measuring

import (
	"context"
	"fmt"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/executors"
	"zonemark/driver/filehash"
	"zonemark/driver/plan"
	"zonemark/driver/report"
	"zonemark/executor/values"
	"zonemark/invocations"
)

// Plan resolves the paths to a plan. It installs missing runtimes, and lets artifacts be built.
func (m *Measurement) Plan(ctx context.Context) (*plan.Plan, error) {
	asked, err := m.provided(ctx)
	if err != nil {
		return nil, err
	}
	cli.CollectFor(asked.Count)
	outline, err := m.outline(ctx, asked)
	if err != nil {
		return nil, err
	}
	return m.plan(ctx, outline)
}

// provided finds, or installs, what the requests need, and returns them with what their runtimes have completed.
func (m *Measurement) provided(ctx context.Context) (plan.Asked, error) {
	asked := plan.Asked{Patience: plan.Patience{}}
	requests, err := m.requests(ctx)
	if err != nil {
		return asked, err
	}
	place := map[string]int{} // of the first request that needs the same
	var list []invocations.Invocation
	needed := plan.Patience{} // by neededKey
	for r, err := range requests {
		if err != nil {
			return asked, err
		}
		asked.Count++
		key := neededKey(r)
		if _, known := place[key]; !known {
			place[key] = len(list)
			list = append(list, *r)
		}
		needed.Add(key, r)
	}
	if err := m.checkConfinement(list); err != nil {
		return asked, err
	}
	if err := m.Provide(ctx, list); err != nil {
		return asked, err
	}
	for key, i := range place {
		asked.Patience.Allow(plan.ArtifactKey(&list[i]), needed[key])
	}
	asked.Requests = func(yield func(*invocations.Invocation, error) bool) {
		for r, err := range requests {
			if err == nil {
				m.complete(r, &list[place[neededKey(r)]])
			}
			if !yield(r, err) {
				return
			}
		}
	}
	return asked, nil
}

// complete enters into a request what its runtime has completed in one that needs the same.
func (m *Measurement) complete(r, completed *invocations.Invocation) {
	r.Artifact.Path, r.Artifact.Options = completed.Artifact.Path, completed.Artifact.Options
	if len(r.Command) == 0 {
		r.Command = completed.Command
	}
	m.Runtimes.Confine(r)
	if m.Make == nil {
		r.Point = nil // there may be a million of them, and nobody asks
	}
}

// neededKey returns a key that is equal for requests that need the same of their runtime. A command needs its program.
func neededKey(r *invocations.Invocation) string {
	key := plan.ArtifactKey(r)
	if len(r.Command) > 0 {
		key += "\x00" + r.Folder + "\x00" + r.Command[0]
	}
	return key
}

// requests returns what shall be measured.
func (m *Measurement) requests(ctx context.Context) (plan.Requests, error) {
	if m.Make != nil {
		list, err := m.Make(ctx)
		return plan.RequestList(list), err
	}
	parts, err := m.parts(m.Paths)
	if err != nil {
		return nil, err
	}
	commands, err := m.commandRequests(m.Commands)
	if err != nil {
		return nil, err
	}
	return m.exported(ctx, m.join(append(parts, part{requests: plan.RequestList(commands)}))), nil
}

// Examine provides what an artifact's runtime needs, describes the artifact and builds it if it must be built. It
// returns the file to load: that of the artifact itself, or what was built.
func (m *Measurement) Examine(ctx context.Context, request invocations.Invocation) (
	list []invocations.Description, built string, err error,
) {
	requests := []invocations.Invocation{request}
	if err := m.Provide(ctx, requests); err != nil {
		return nil, "", err
	}
	builder := m.Executors.Builder(m.Hosting(m.variables, ""))
	defer builder.Close()
	planner, err := m.planner(builder)
	if err != nil {
		return nil, "", err
	}
	artifact := requests[0].Artifact
	if list, err = planner.Describe(ctx, request.Runtime, artifact); err != nil {
		return nil, "", err
	}
	paths, failures := planner.BuildAll(ctx, request.Runtime, []invocations.Artifact{artifact})
	return list, paths[0], failures[0]
}

// Resolve makes a plan of requests, and has artifacts built. Provide comes before it.
func (m *Measurement) Resolve(ctx context.Context, requests []invocations.Invocation) (*plan.Plan, error) {
	asked, err := plan.Ask(plan.RequestList(requests))
	if err != nil {
		return nil, err
	}
	outline, err := m.outline(ctx, asked)
	if err != nil {
		return nil, err
	}
	return m.plan(ctx, outline)
}

// outline has the artifacts of requests described and built.
func (m *Measurement) outline(ctx context.Context, asked plan.Asked) (*plan.Outline, error) {
	builder := m.Executors.Builder(m.Hosting(m.variables, ""))
	defer builder.Close()
	planner, err := m.planner(builder)
	if err != nil {
		return nil, err
	}
	return planner.Outline(ctx, asked, m.Functions)
}

// plan makes the invocations that --filter and --shard keep.
func (m *Measurement) plan(ctx context.Context, outline *plan.Outline) (*plan.Plan, error) {
	if m.Shards > 0 {
		return m.part(ctx, outline)
	}
	kept, err := m.filter()
	if err != nil {
		return nil, err
	}
	plan, err := outline.Plan()
	if err != nil {
		return nil, err
	}
	all := plan.Len()
	if plan.Filter(kept); all > 0 && plan.Len() == 0 {
		return nil, m.noneMatches(all)
	}
	check := m.checks()
	for _, p := range plan.All() {
		check.add(p)
	}
	if err := check.err(); err != nil {
		return nil, err
	}
	if len(check.groups) > 0 { // reading a million invocations takes time
		for i, p := range plan.All() {
			if check.settle(p) {
				plan.Set(i, p)
			}
		}
	}
	m.warn(plan.Warnings)
	return plan, nil
}

// noneMatches returns the error for a filter that keeps none of all invocations.
func (m *Measurement) noneMatches(all int) error {
	without := ""
	for _, v := range cli.ValuesOf("--filter", m.arguments) {
		without = "; without it:" + m.with(v)
	}
	return fmt.Errorf("--filter %s: none of %s has a name that matches%s",
		m.Filter, report.Counted(all, "invocation"), without)
}

func (m *Measurement) warn(warnings []string) {
	for _, w := range warnings {
		m.note("warning: %s", w)
	}
}

// planner returns what makes plans with the executors of a builder.
func (m *Measurement) planner(builder executors.Starter) (*plan.Planner, error) {
	cache, err := m.Cache().Folder("built")
	if err != nil {
		return nil, err
	}
	hashes, err := m.Cache().Folder("hashes")
	if err != nil {
		return nil, err
	}
	group, err := m.grouping()
	if err != nil {
		return nil, err
	}
	return &plan.Planner{
		Builder: builder, Build: cli.Version(), Words: m.Words, Cache: cache, Group: group, Say: m.working(),
		Content: m.Runtimes.Contents(filehash.New(hashes).SHA256), Where: m.where,
		Shape: values.ShapeFor,
	}, nil
}

// working returns Working or, without it, what prints messages.
func (m *Measurement) working() func(format string, args ...any) {
	if m.Working != nil {
		return m.Working
	}
	return m.note
}

// Provide finds, or installs, what the runtimes of the requests need.
func (m *Measurement) Provide(ctx context.Context, requests []invocations.Invocation) (err error) {
	installing := m.Installing(m.Quiet)
	defer installing.Line.Clear()
	m.variables, err = m.Runtimes.Provide(ctx, installing.Options(m.Python), requests)
	return err
}
