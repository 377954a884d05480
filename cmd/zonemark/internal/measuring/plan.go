package measuring

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/driver"
	"zonemark/driver/filehash"
	"zonemark/driver/report"
	"zonemark/executor/platform"
	"zonemark/invocations"
)

// Plan resolves the paths to a plan. It installs missing runtimes, and lets artifacts be built.
func (m *Measurement) Plan(ctx context.Context) (*driver.Plan, error) {
	requests, err := m.requests(ctx)
	if err != nil {
		return nil, err
	}
	cli.CollectFor(len(requests))
	if err := m.Provide(ctx, requests); err != nil {
		return nil, err
	}
	return m.Resolve(ctx, requests)
}

// requests returns what shall be measured.
func (m *Measurement) requests(ctx context.Context) ([]invocations.Invocation, error) {
	if m.Make != nil {
		return m.Make(ctx)
	}
	list, err := m.Requests(m.Paths)
	if err != nil {
		return nil, err
	}
	commands, err := m.commandRequests(m.Commands)
	if err != nil {
		return nil, err
	}
	list = append(list, commands...)
	return list, m.checkConfinement(list)
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
	builder := hosting.NewBuilder(m.hosting(m.variables, ""))
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
func (m *Measurement) Resolve(ctx context.Context, requests []invocations.Invocation) (*driver.Plan, error) {
	builder := hosting.NewBuilder(m.hosting(m.variables, ""))
	defer builder.Close()
	planner, err := m.planner(builder)
	if err != nil {
		return nil, err
	}
	plan, err := planner.Resolve(ctx, requests, m.Functions)
	if err != nil {
		return nil, err
	}
	all := len(plan.List)
	if plan.Filter(m.filterRE); all > 0 && len(plan.List) == 0 {
		return nil, fmt.Errorf("--filter %s: none of %s has a name that matches; \"zonemark list\" shows them",
			m.filter, report.Counted(all, "invocation"))
	}
	if err := m.checkGroups(plan); err != nil {
		return nil, err
	}
	if err := m.checkCPUs(plan); err != nil {
		return nil, err
	}
	defaultLaunches(plan)
	for _, w := range plan.Warnings {
		m.note("warning: %s", w)
	}
	return plan, nil
}

// planner returns what makes plans with the executors of a builder.
func (m *Measurement) planner(builder driver.Starter) (*driver.Planner, error) {
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
	return &driver.Planner{
		Builder: builder, Build: cli.Version(), Cache: cache, Group: group, Say: m.working(),
		Content: m.Runtimes.Contents(filehash.New(hashes).SHA256), Where: m.where,
	}, nil
}

// checkCPUs returns an error if an invocation shall be measured on a CPU on which this process may not run.
func (m *Measurement) checkCPUs(plan *driver.Plan) error {
	tried := map[int]bool{}
	for i := range plan.List {
		inv := &plan.List[i].Invocation
		if cpu := inv.Measure.CPU; cpu >= 0 && !tried[cpu] {
			tried[cpu] = true
			if err := platform.CheckPin(cpu); err != nil {
				what := report.Printable(inv.Name)
				if m.Set.Changed("cpu") {
					what = "--cpu"
				}
				return fmt.Errorf("%s: %w", what, err)
			}
		}
	}
	return nil
}

// checkGroups returns an error if --group makes no group, and says so if it makes none that can be compared.
func (m *Measurement) checkGroups(plan *driver.Plan) error {
	if m.group == "" || len(plan.List) == 0 {
		return nil
	}
	size, most, names := map[string]int{}, 0, []string{}
	for i := range plan.List {
		p := &plan.List[i]
		if p.Verdict == "" && p.Invocation.Group != "" {
			size[p.Invocation.Group]++
			most = max(most, size[p.Invocation.Group])
		}
		if !slices.Contains(names, p.Invocation.Function) {
			names = append(names, p.Invocation.Function)
		}
	}
	switch {
	case most > 1:
	case most == 0 && m.groupedBySignature():
		m.note("--group: nothing is compared: no function that can run tells its signature; --group RE groups by name")
	case m.groupedBySignature():
		m.note("--group: nothing is compared: no two functions have the same signature; --group RE groups by name")
	case most == 0:
		return fmt.Errorf("--group %s: no function has a name that matches; there are %s", m.group,
			report.Printable(few(names)))
	default:
		m.note("--group %s: nothing is compared: no two functions have the same match", m.group)
	}
	return nil
}

// few joins the first names of a list.
func few(names []string) string {
	const most = 8
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
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
	m.variables, err = m.Runtimes.Provide(ctx, installing.Options(m.Python), requests, false)
	return err
}

// defaultLaunches sets the number of launches of each group's variants to what a comparison by pairs needs, if the user
// gave no number.
func defaultLaunches(plan *driver.Plan) {
	size := map[string]int{}
	for _, p := range plan.List {
		size[p.Invocation.Group]++
	}
	for i := range plan.List {
		inv := &plan.List[i].Invocation
		if inv.Measure.Launches == 0 && inv.Group != "" && size[inv.Group] > 1 {
			inv.Measure.Launches = groupLaunches
		}
	}
}

// launchesText returns the number of launches of an invocation as a plan shows it.
func launchesText(m invocations.Measure) string {
	switch {
	case m.CheckOnly:
		return "1"
	case m.Launches > 0:
		return fmt.Sprint(m.Launches)
	}
	return fmt.Sprintf("%d or more", driver.LeastLaunches)
}

// planTitles are the titles of the columns that ShowPlan writes. The last column, the reason why an invocation will not
// run, has no title.
func planTitles() []string {
	return []string{"id", "name", "runtime", "function", "mode", "launches", "group"}
}

// planRow returns the cells of an invocation in the columns of planTitles.
func planRow(inv *invocations.Invocation) [7]string {
	return [7]string{inv.ID, report.Printable(inv.Name), inv.Runtime, report.Printable(inv.Function),
		string(inv.Measure.Mode), launchesText(inv.Measure), report.Printable(inv.Group)}
}

// ShowPlan lists what would be measured, in aligned columns. It makes each row twice, for the widths and for the text,
// since the rows of a million invocations would take much memory.
func ShowPlan(w io.Writer, plan *driver.Plan) error {
	titles := planTitles()
	var widths [7]int
	for i, title := range titles {
		widths[i] = len(title)
	}
	for i := range plan.List {
		for k, cell := range planRow(&plan.List[i].Invocation) {
			widths[k] = max(widths[k], utf8.RuneCountInString(cell))
		}
	}
	out := bufio.NewWriter(w)
	line := func(cells []string, end string) {
		for k, cell := range cells {
			_, _ = out.WriteString(cell) // Flush returns the error
			for range widths[k] + 2 - utf8.RuneCountInString(cell) {
				_ = out.WriteByte(' ')
			}
		}
		_, _ = out.WriteString(end)
		_ = out.WriteByte('\n')
	}
	line(titles, "")
	for i := range plan.List {
		p, end := &plan.List[i], ""
		if p.Verdict != "" {
			end = report.Printable(fmt.Sprintf("%s: %s", p.Verdict, p.Reason))
		}
		row := planRow(&p.Invocation)
		line(row[:], end)
	}
	return out.Flush()
}

// showPlan lists the plan instead of carrying it out. It returns the exit status that measuring would have at best.
func (m *Measurement) showPlan(plan *driver.Plan) int {
	if err := ShowPlan(m.Out, plan); err != nil {
		return m.Fail("%v", err)
	}
	failing := 0
	for i := range plan.List {
		if plan.List[i].Verdict == invocations.Failed {
			failing++
		}
	}
	if failing > 0 {
		m.note("%d invocations, of which %d will fail; nothing was measured (--dry-run)", len(plan.List), failing)
		return cli.ExitNotOK
	}
	m.note("%d invocations; nothing was measured (--dry-run)", len(plan.List))
	return cli.ExitOK
}
