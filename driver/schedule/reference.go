package schedule

import (
	"cmp"
	"fmt"
	"strings"

	"zonemark/driver/plan"
	"zonemark/invocations"
)

// References choose the function that an invocation is checked against. If the reference of a group crashes, that
// tells nothing about the invocation that was checked. Then the next variant of the group becomes the reference, also
// for later invocations.
type References struct {
	Plan *plan.Plan
	// Failed reports whether the invocation at a position has a result, and has not ended well.
	Failed func(position int) bool

	unusable map[referenceKey]string // functions that cannot be the reference of their group, and why
}

// Reference is a function that others are checked against. The path of Of is empty if it is of the same artifact.
type Reference struct {
	Function string
	Of       invocations.Artifact
}

// referenceKey identifies a variant of a group, as a candidate for its reference.
type referenceKey struct{ group, artifact, function string }

func keyOf(inv *invocations.Invocation, r Reference) referenceKey {
	return referenceKey{inv.Group, cmp.Or(r.Of.Path, inv.Artifact.Path), r.Function}
}

// Fails records why a function cannot be the reference of an invocation's group. It reports whether the plan has chosen
// that function, so that another one can take its place.
func (r *References) Fails(p *plan.Entry, which Reference, why string) bool {
	if !p.Follows || which.Function == "" {
		return false
	}
	if r.unusable == nil {
		r.unusable = map[referenceKey]string{}
	}
	r.unusable[keyOf(&p.Invocation, which)] = why
	return true
}

// Of returns the function that an invocation is checked against, "" if there is none, and a note if it is not the
// planned one. It replaces only a reference that the plan has chosen, not one of the user's choice. The id depends on
// the planned reference, so that a resumed run finds its results.
func (r *References) Of(position int, p *plan.Entry) (which Reference, note string) {
	planned := Reference{p.Invocation.Verify.Reference, p.Invocation.Verify.Of}
	if _, unusable := r.unusable[keyOf(&p.Invocation, planned)]; !p.Follows || planned.Function == "" || !unusable {
		return planned, ""
	}
	own := Reference{Function: p.Invocation.Function}
	var failed []string
	for _, candidate := range r.variants(position, p) {
		key := keyOf(&p.Invocation, candidate)
		why, unusable := r.unusable[key]
		switch {
		case unusable:
			failed = append(failed, fmt.Sprintf("%s does not work as the reference (%s)", candidate, why))
		case key == keyOf(&p.Invocation, own):
			return Reference{}, "it is the reference of its group and was compared with nothing: " +
				strings.Join(failed, "; ")
		default:
			return candidate, fmt.Sprintf("its outputs were compared with those of %s: %s",
				candidate, strings.Join(failed, "; "))
		}
	}
	return Reference{}, "its outputs were compared with nothing: " + strings.Join(failed, "; ")
}

// variants returns the functions that can be the reference of an invocation: the planned one, then the variants of its
// group in the order of the plan. It leaves out variants that are known to fail, but not the invocation itself.
func (r *References) variants(position int, own *plan.Entry) []Reference {
	inv := &own.Invocation
	planned := Reference{inv.Verify.Reference, inv.Verify.Of}
	list := []Reference{planned}
	for j, p := range r.Plan.All() {
		if p.Verdict != "" || p.Invocation.Group != inv.Group || !own.CanCompare(p) {
			continue
		}
		other := Reference{p.Invocation.Function, plan.OtherArtifact(inv, &p.Invocation)}
		if keyOf(inv, other) == keyOf(inv, planned) {
			continue
		}
		if position == j || !r.Failed(j) {
			list = append(list, other)
		}
	}
	return list
}

// String returns the function, with the file if it is of another artifact.
func (r Reference) String() string {
	if r.Of.Path == "" {
		return r.Function
	}
	return r.Function + " of " + r.Of.Path
}
