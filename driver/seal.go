package driver

import (
	"maps"
	"path/filepath"
	"strings"
)

// seal sets the id of an invocation, and its former id if that differs. content may be nil; see Planner.
func (p *Planned) seal(content func(options map[string]string) map[string]string) {
	p.Invocation.Seal()
	options := p.Invocation.Artifact.Options
	if content == nil || len(options) == 0 {
		return
	}
	byContent := p.Invocation
	if byContent.Artifact.Options = content(options); maps.Equal(byContent.Artifact.Options, options) {
		return
	}
	byContent.Seal()
	p.Former, p.Invocation.ID = p.Invocation.ID, byContent.ID
}

// references are the first functions that can run of groups, by the groups.
type references map[string]reference

// reference is the function of an artifact that the variants of its group are compared with.
type reference struct{ path, function string }

// set sets the reference of an invocation. It must be called for the invocations of a plan in their order. Variants in
// other artifacts and those with a reference of the user's choice keep their reference.
func (all references) set(p *Planned) {
	inv := &p.Invocation
	if inv.Group == "" || p.Verdict != "" {
		return
	}
	ref, known := all[inv.Group]
	switch {
	case !known:
		all[inv.Group] = reference{inv.Artifact.Path, inv.Function}
	case inv.Verify.Reference == "" && ref.path == inv.Artifact.Path && ref.function != inv.Function:
		inv.Verify.Reference, p.follows = ref.function, true
	}
}

// shortestNames returns names for artifacts by their paths: the artifact's name, with as many of its folders as are
// needed to make it unique.
func shortestNames(paths map[string]bool) map[string]string {
	names := make(map[string]string, len(paths))
	for path := range paths {
		names[path] = shortestName(path, paths)
	}
	return names
}

// shortestName returns the shortest end of a path, without extension, that no other path has.
func shortestName(path string, paths map[string]bool) string {
	parts := strings.Split(filepath.ToSlash(strings.TrimSuffix(path, filepath.Ext(path))), "/")
	for n := 1; n < len(parts); n++ {
		name := strings.Join(parts[len(parts)-n:], "/")
		alone := true
		for other := range paths {
			stem := filepath.ToSlash(strings.TrimSuffix(other, filepath.Ext(other)))
			alone = alone && (other == path || stem != name && !strings.HasSuffix(stem, "/"+name))
		}
		if alone {
			return name
		}
	}
	return strings.Join(parts, "/")
}
