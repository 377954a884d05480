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
	requests, count, err := m.provided(ctx)
	if err != nil {
		return nil, err
	}
	cli.CollectFor(count)
	outline, err := m.outline(ctx, requests)
	if err != nil {
		return nil, err
	}
	return m.plan(ctx, outline)
}

// provided finds, or installs, what the requests need, and returns them with what their runtimes have completed, and
// their number.
func (m *Measurement) provided(ctx context.Context) (requests plan.Requests, count int, err error) {
	asked, err := m.requests(ctx)
	if err != nil {
		return nil, 0, err
	}
	place := map[string]int{} // of the first request that needs the same
	var list []invocations.Invocation
	for r, err := range asked {
		if err != nil {
			return nil, 0, err
		}
		count++
		key := neededKey(r)
		if _, known := place[key]; !known {
			place[key] = len(list)
			list = append(list, *r)
		}
	}
	if err := m.checkConfinement(list); err != nil {
		return nil, 0, err
	}
	if err := m.Provide(ctx, list); err != nil {
		return nil, 0, err
	}
	return func(yield func(*invocations.Invocation, error) bool) {
		for r, err := range asked {
			if err == nil {
				complete := &list[place[neededKey(r)]]
				r.Artifact.Path, r.Artifact.Options = complete.Artifact.Path, complete.Artifact.Options
				if len(r.Command) == 0 {
					r.Command = complete.Command
				}
				m.Runtimes.Confine(r)
				if m.Make == nil {
					r.Point = nil // there may be a million of them, and nobody asks
				}
			}
			if !yield(r, err) {
				return
			}
		}
	}, count, nil
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
	outline, err := m.outline(ctx, plan.RequestList(requests))
	if err != nil {
		return nil, err
	}
	return m.plan(ctx, outline)
}

// outline has the artifacts of requests described and built.
func (m *Measurement) outline(ctx context.Context, requests plan.Requests) (*plan.Outline, error) {
	builder := m.Executors.Builder(m.Hosting(m.variables, ""))
	defer builder.Close()
	planner, err := m.planner(builder)
	if err != nil {
		return nil, err
	}
	return planner.Outline(ctx, requests, m.Functions)
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
	for i, p := range plan.All() {
		if check.settle(p) {
			plan.Set(i, p)
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
