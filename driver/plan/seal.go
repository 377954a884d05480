package plan

import (
	"maps"
	"path/filepath"
	"strings"

	"zonemark/invocations"
)

// seal sets the id of an invocation, and its former id if that differs. content may be nil; see Planner.
func (p *Entry) seal(content func(options map[string]string) map[string]string) {
	if p.Unread { // only the path tells what it would be
		known := p.Invocation
		known.Name += "\x00" + known.Artifact.Path
		known.Seal()
		p.Invocation.ID = known.ID
		return
	}
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

// leaders are the first functions that can run of groups, with which the others are compared.
type leaders struct {
	groups    map[string]leader
	artifacts map[string]*Entry // by ArtifactKey: the first leader of each
}

// leader is a function of an artifact. There may be as many leaders as invocations, so they share what is known of the
// artifact.
type leader struct {
	function string
	artifact *Entry // an invocation of it
}

func newLeaders() *leaders { return &leaders{map[string]leader{}, map[string]*Entry{}} }

// refer sets the reference of an invocation. It must be called for the invocations of a plan in their order, and after
// their artifacts were built. Variants with a reference of the user's choice keep it, and so do those in other
// artifacts if their runtime compares functions of one artifact only.
func (l *leaders) refer(p *Entry) {
	inv := &p.Invocation
	if inv.Group == "" || p.Verdict != "" {
		return
	}
	first, known := l.groups[inv.Group]
	if !known {
		l.groups[inv.Group] = leader{inv.Function, l.shared(p)}
		return
	}
	path := first.artifact.Invocation.Artifact.Path
	if inv.Verify.Reference == "" && first.artifact.CanCompare(p) &&
		(first.function != inv.Function || path != inv.Artifact.Path) {
		of := OtherArtifact(inv, &first.artifact.Invocation)
		inv.Verify.Reference, inv.Verify.Of, p.Follows = first.function, of, true
	}
}

// CanCompare reports whether a runtime can compare the outputs of two invocations.
func (p *Entry) CanCompare(q *Entry) bool {
	return p.Invocation.Artifact.Path == q.Invocation.Artifact.Path ||
		p.Comparable && q.Comparable && p.Invocation.Runtime == q.Invocation.Runtime
}

// OtherArtifact returns the artifact of an invocation to which inv refers; it is empty if that is its own.
func OtherArtifact(inv, to *invocations.Invocation) (of invocations.Artifact) {
	if to.Artifact.Path != inv.Artifact.Path {
		of = to.Artifact
	}
	return of
}

// shared returns an invocation of the same artifact that stands for all of them.
func (l *leaders) shared(p *Entry) *Entry {
	key := ArtifactKey(&p.Invocation)
	if l.artifacts[key] == nil {
		one := *p
		l.artifacts[key] = &one
	}
	return l.artifacts[key]
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
