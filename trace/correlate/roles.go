package correlate

import (
	"cmp"
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

// ParseRule makes a rule of an expression with the named groups of tracerule.Parse: what they capture are the
// invocation and the dispatch.
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
	invoked  string // name of the invocation, from a rule
	dispatch string // name of the dispatch; empty: the zone's name
}

// kind is what the zones of a location with one name have in common.
type kind struct {
	role
	location *trace.Location
	name     string // of the zones
	number   int    // in kinds.list; -1: it is in none
}

// kinds finds the kind of zones, and remembers it: captures have millions of zones and few names.
type kinds struct {
	bracketName string
	names       Names
	rules       []Rule
	byName      map[namedLocation]*kind
	list        []*kind         // the first ones, by their numbers
	last        *trace.Location // whose kind, without a dynamic name, is lastKind: zones come in runs
	lastKind    *kind
}

type namedLocation struct {
	location *trace.Location
	dynamic  string // name
}

// mostKinds bounds how many kinds are remembered: dynamic names may be as many as zones.
const mostKinds = 1 << 15

func newKinds(o *Options) *kinds {
	r := &kinds{bracketName: o.BracketName, names: o.Names, rules: o.Rules, byName: map[namedLocation]*kind{}}
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

// of returns the kind of the zones of a location with a name of their own, which may be empty.
func (r *kinds) of(location *trace.Location, dynamic string) *kind {
	if dynamic == "" && location == r.last {
		return r.lastKind
	}
	key := namedLocation{location, dynamic}
	known, ok := r.byName[key]
	if !ok {
		name := cmp.Or(dynamic, location.Label())
		known = &kind{r.find(location, name), location, name, -1}
		if len(r.list) < mostKinds {
			known.number = len(r.list)
			r.list = append(r.list, known)
		}
		if len(r.byName) >= mostKinds {
			clear(r.byName)
		}
		r.byName[key] = known
	}
	if dynamic == "" {
		r.last, r.lastKind = location, known
	}
	return known
}

// find returns the role of the zones of a location with a name.
func (r *kinds) find(location *trace.Location, name string) role {
	label := location.Label()
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
		found.ruled, found.id, found.invoked, found.dispatch = true, expand(rule.Invocation), expand(rule.Name),
			expand(rule.Dispatch)
		if found.dispatch != "" {
			found.workgroup, found.issue = true, false
		}
		return found
	}
	if id, ok := fileID(location.File); ok {
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
