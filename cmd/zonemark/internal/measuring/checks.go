package measuring

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/driver/plan"
	"zonemark/driver/report"
	"zonemark/executor/platform"
	"zonemark/executor/sandbox"
	"zonemark/invocations"
)

// planChecks looks at the invocations of a plan, one after the other, for what only the whole plan tells.
type planChecks struct {
	*Measurement
	count     int
	groups    groupSizes
	most      int      // functions of the largest group that can run
	functions []string // the first few names
	cpus      map[int]bool
	cpuErr    error // of the first CPU on which this process may not run
	limitErr  error // of the first limit that no executor can keep
}

func (m *Measurement) checks() *planChecks {
	return &planChecks{Measurement: m, groups: groupSizes{}, cpus: map[int]bool{}}
}

func (c *planChecks) add(p *plan.Entry) {
	c.count++
	c.most = max(c.most, c.groups.add(p))
	if name := p.Invocation.Function; len(c.functions) <= fewNames && !slices.Contains(c.functions, name) {
		c.functions = append(c.functions, name)
	}
	c.addCPU(&p.Invocation)
	c.addLimits(&p.Invocation)
}

func (c *planChecks) addLimits(inv *invocations.Invocation) {
	mode := c.Sandbox
	if len(inv.Command) > 0 {
		mode = sandbox.Auto // a command is limited without a sandbox
	}
	if _, err := sandbox.ParseProfile(inv.Limits.Profile); err != nil && c.limitErr == nil {
		c.limitErr = fmt.Errorf("%s: %w", inv.Name, err)
	}
	if err := hosting.CheckMemory(mode, inv.Limits.MemoryBytes); err != nil && c.limitErr == nil {
		c.limitErr = fmt.Errorf("%s: %w", report.Printable(inv.Name), err)
	}
}

func (c *planChecks) addCPU(inv *invocations.Invocation) {
	cpu := inv.Measure.CPU
	if cpu < 0 || c.cpus[cpu] || c.cpuErr != nil || len(c.Via) > 0 { // of hosts, the executors tell
		return
	}
	c.cpus[cpu] = true
	if err := platform.CheckPin(cpu); err != nil {
		what := report.Printable(inv.Name)
		if c.Given["cpu"] {
			c.cpuErr = fmt.Errorf("--cpu: %w%s", err, c.onAnyCPU())
			return
		}
		c.cpuErr = fmt.Errorf("%s: %w", what, err)
	}
}

// err returns an error if --group makes no group, if an invocation shall be measured on a CPU on which this process may
// not run, or if it has a limit that no executor can keep. It says so if no group can be compared.
func (c *planChecks) err() error {
	switch {
	case c.Group == "" || c.count == 0 || c.most > 1:
	case c.most == 0 && c.groupedBySignature():
		c.note("--group: nothing is compared: no function that can run tells its signature; --group RE groups by name")
	case c.groupedBySignature():
		c.note("--group: nothing is compared: no two functions have the same signature; --group RE groups by name")
	case c.most == 0:
		return fmt.Errorf("--group %s: no function has a name that matches; there are %s", c.Group,
			report.Printable(few(c.functions)))
	default:
		c.note("--group %s: nothing is compared: no two functions have the same match", c.Group)
	}
	return cmp.Or(c.cpuErr, c.limitErr)
}

// fewNames is the number of names that a message lists.
const fewNames = 8

// few joins the first names of a list.
func few(names []string) string {
	if len(names) > fewNames {
		return strings.Join(names[:fewNames], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// groupSizes are the numbers of invocations of groups.
type groupSizes map[string]groupSize

type groupSize struct {
	all, runnable int32
	open          bool // some invocation has as many launches as it needs
}

// add counts an invocation, and returns how many of its group can run.
func (g groupSizes) add(p *plan.Entry) int {
	if p.Invocation.Group == "" {
		return 0
	}
	size := g[p.Invocation.Group]
	size.all++
	if p.Verdict == "" {
		size.runnable++
	}
	size.open = size.open || p.Invocation.Measure.Launches == 0 && !p.Invocation.Measure.CheckOnly
	g[p.Invocation.Group] = size
	return int(size.runnable)
}

// anyAlone reports whether an invocation whose launches nobody has set is alone in its group.
func (g groupSizes) anyAlone() bool {
	for _, size := range g {
		if size.all == 1 && size.open {
			return true
		}
	}
	return false
}
