package correlate

import (
	"regexp"
	"strings"

	"zonemark/invocations/tracerule"
	"zonemark/trace"
)

// Rule joins zones to invocations and dispatches by name, for captures without brackets. Its expression is searched in
// the zone's name; the three strings may use what it captured, as $1 or ${name}. The first rule that matches a zone
// counts.
type Rule struct {
	Zone       *regexp.Regexp
	Invocation string // id; without Dispatch, the zone is a bracket of that invocation
	Name       string // of the invocation, for people; may be empty
	// the zone is a workgroup of that dispatch, of Invocation or, when that is empty, of the invocation around it
	Dispatch string
}

// ParseRule makes a rule of an expression with the named groups of tracerule.Parse: what they capture are the invocation
// and the dispatch.
func ParseRule(text string) (Rule, error) {
	expression, err := tracerule.Parse(text)
	if err != nil {
		return Rule{}, err
	}
	rule := Rule{Zone: expression}
	if expression.SubexpIndex(tracerule.Invocation) >= 0 {
		rule.Invocation = "${" + tracerule.Invocation + "}"
	}
	if expression.SubexpIndex(tracerule.Dispatch) >= 0 {
		rule.Dispatch = "${" + tracerule.Dispatch + "}"
	}
	return rule, nil
}

// Names tells a runtime's zones apart. An expression that is nil stands for the one of DefaultNames.
type Names struct {
	// location: runs one dispatch to its end on the invoking thread; the zones below it are workgroups
	Issue     *regexp.Regexp
	Workgroup *regexp.Regexp // location or zone name: part of a dispatch, which has the zone's name
	Wait      *regexp.Regexp // location: the invoking thread waits for others
	Invoke    *regexp.Regexp // location: one call of a function, in captures without brackets
}

// DefaultNames are those of IREE 3.x: local-sync names workgroup zones after the exported function, local-task gives
// that name to its tile zones.
func DefaultNames() Names {
	return Names{
		Issue:     regexp.MustCompile(`^iree_hal_.*issue_dispatch`),
		Workgroup: regexp.MustCompile(`^iree_hal_cmd_execute_dispatch_tiles$|_dispatch_[0-9]+`),
		Wait:      regexp.MustCompile(`(^|_)(a?wait|join)(_|$)`),
		Invoke:    regexp.MustCompile(`^iree_vm_invoke$`),
	}
}

// role is what a zone means for correlation. Everything of it follows from the location and the dynamic name.
type role struct {
	bracket, issue, workgroup, wait, invoke bool

	ruled    bool   // a rule made it a bracket or a workgroup
	id       string // of the invocation, from a source file or a rule
	idByFile bool
	name     string // of the invocation, from a rule
	dispatch string // name of the dispatch; empty: the zone's name
}

// roles finds the role of zones, and remembers it: captures have millions of zones and few names.
type roles struct {
	bracketName string
	names       Names
	rules       []Rule
	byLocation  map[*trace.Location]role
	byName      map[namedLocation]role
	last        *trace.Location // whose role, without a dynamic name, is lastRole: zones come in runs
	lastRole    role
}

type namedLocation struct {
	location *trace.Location
	name     string
}

// rememberedRoles bounds each of the two maps: dynamic names may be as many as zones.
const rememberedRoles = 1 << 15

func newRoles(o *Options) *roles {
	r := &roles{bracketName: o.BracketName, names: o.Names, rules: o.Rules, byLocation: map[*trace.Location]role{},
		byName: map[namedLocation]role{}}
	byDefault := DefaultNames()
	for _, e := range []struct{ at, otherwise **regexp.Regexp }{
		{&r.names.Issue, &byDefault.Issue}, {&r.names.Workgroup, &byDefault.Workgroup},
		{&r.names.Wait, &byDefault.Wait}, {&r.names.Invoke, &byDefault.Invoke},
	} {
		if *e.at == nil {
			*e.at = *e.otherwise
		}
	}
	return r
}

func (r *roles) of(z *trace.Zone) role {
	if z.DynamicName == "" {
		if z.Location == r.last {
			return r.lastRole
		}
		known, ok := r.byLocation[z.Location]
		if !ok {
			known = r.find(z)
			if len(r.byLocation) >= rememberedRoles {
				clear(r.byLocation)
			}
			r.byLocation[z.Location] = known
		}
		r.last, r.lastRole = z.Location, known
		return known
	}
	key := namedLocation{z.Location, z.DynamicName}
	known, ok := r.byName[key]
	if !ok {
		known = r.find(z)
		if len(r.byName) >= rememberedRoles {
			clear(r.byName)
		}
		r.byName[key] = known
	}
	return known
}

func (r *roles) find(z *trace.Zone) role {
	label, name := z.Location.Label(), z.Name()
	if label == r.bracketName || name == r.bracketName {
		return role{bracket: true}
	}
	found := role{
		issue:  r.names.Issue.MatchString(label),
		wait:   r.names.Wait.MatchString(label),
		invoke: r.names.Invoke.MatchString(label),
	}
	found.workgroup = !found.issue && (r.names.Workgroup.MatchString(label) || r.names.Workgroup.MatchString(name))
	for i := range r.rules {
		rule := &r.rules[i]
		match := rule.Zone.FindStringSubmatchIndex(name)
		if match == nil {
			continue
		}
		expand := func(template string) string { return string(rule.Zone.ExpandString(nil, template, name, match)) }
		found.ruled, found.id, found.name, found.dispatch = true, expand(rule.Invocation), expand(rule.Name),
			expand(rule.Dispatch)
		if found.dispatch != "" {
			found.workgroup, found.issue = true, false
		}
		return found
	}
	if id, ok := fileID(z.Location.File); ok {
		found.id, found.idByFile = id, true
		found.workgroup = !found.issue
	}
	return found
}

// fileID is the id in a source file of the form inv://ID/….
func fileID(file string) (string, bool) {
	rest, ok := strings.CutPrefix(file, "inv://")
	if !ok {
		return "", false
	}
	id, _, _ := strings.Cut(rest, "/")
	return id, id != ""
}

// bracketName is the name of an invocation in the text of a bracket, name=<name> on a line of its own; empty without
// one.
func bracketName(text string) string {
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(line, "name="); ok {
			return strings.TrimSpace(name)
		}
	}
	return ""
}

// bracketID is the id in the text of a bracket, inv=<id> on a line of its own.
func bracketID(text string) (string, bool) {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "inv="); ok {
			if fields := strings.Fields(rest); len(fields) > 0 {
				return fields[0], true
			}
		}
	}
	return "", false
}
