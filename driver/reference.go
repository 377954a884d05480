package driver

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"zonemark/driver/combine"
	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// phaseReference is the phase in which an executor calls the reference, whose outputs are taken as correct.
const phaseReference = "reference"

// execute makes one launch or round of an invocation. If the reference of the group crashes, that tells nothing about
// the invocation. Then the next variant of the group becomes the reference, also for later invocations, and the launch
// is repeated.
func (r *run) execute(ctx context.Context, i int, m *wire.Execute) (invocations.Result, error) {
	p := r.plan.At(i)
	executor := r.serving(p)
	for {
		reference, note := r.reference(i)
		m.Verify.Reference, m.Verify.Of = reference.function, reference.of
		var result invocations.Result
		var err error
		r.current = i
		r.wait(func() { result, err = executor.Execute(ctx, m, p.Lacks) })
		if err != nil {
			return result, err
		}
		r.current = -1
		if p.Follows && reference.function != "" && executor.Phase == phaseReference && endedBadly(result.Status) {
			r.setUnusable(i, reference, result.Error)
			executor.Renew()
			continue
		}
		if note != "" && !m.Trusted && !endedBadly(result.Status) {
			combine.AddNew(&result.Notes, []string{note})
		}
		return result, nil
	}
}

// endedBadly reports whether a call did not finish.
func endedBadly(s invocations.Status) bool { return s != invocations.OK && s != invocations.Mismatch }

// referenceKey identifies a variant of a group, as a candidate for its reference.
type referenceKey struct{ group, artifact, function string }

// reference is a function that others are checked against. The path of of is empty if it is of the same artifact.
type reference struct {
	function string
	of       invocations.Artifact
}

func keyOf(inv *invocations.Invocation, r reference) referenceKey {
	return referenceKey{inv.Group, cmp.Or(r.of.Path, inv.Artifact.Path), r.function}
}

// setUnusable records why a function cannot be the reference of an invocation's group.
func (r *run) setUnusable(i int, which reference, why string) {
	if r.unusable == nil {
		r.unusable = map[referenceKey]string{}
	}
	r.unusable[keyOf(&r.plan.At(i).Invocation, which)] = why
}

// reference returns the function that an invocation is checked against, "" if there is none, and a note if it is not
// the planned one. It replaces only a reference that the plan has chosen, not one of the user's choice. The id depends
// on the planned reference, so that a resumed run finds its results.
func (r *run) reference(i int) (which reference, note string) {
	p := r.plan.At(i)
	planned := reference{p.Invocation.Verify.Reference, p.Invocation.Verify.Of}
	if _, unusable := r.unusable[keyOf(&p.Invocation, planned)]; !p.Follows || planned.function == "" || !unusable {
		return planned, ""
	}
	own := reference{function: p.Invocation.Function}
	var failed []string
	for _, candidate := range r.variants(i) {
		key := keyOf(&p.Invocation, candidate)
		why, unusable := r.unusable[key]
		switch {
		case unusable:
			failed = append(failed, fmt.Sprintf("%s does not work as the reference (%s)", candidate, why))
		case key == keyOf(&p.Invocation, own):
			return reference{}, "it is the reference of its group and was compared with nothing: " +
				strings.Join(failed, "; ")
		default:
			return candidate, fmt.Sprintf("its outputs were compared with those of %s: %s",
				candidate, strings.Join(failed, "; "))
		}
	}
	return reference{}, "its outputs were compared with nothing: " + strings.Join(failed, "; ")
}

// variants returns the functions that can be the reference of an invocation: the planned one, then the variants of its
// group in the order of the plan. It leaves out variants that are known to fail, but not the invocation itself.
func (r *run) variants(i int) []reference {
	own := r.plan.At(i)
	inv := &own.Invocation
	planned := reference{inv.Verify.Reference, inv.Verify.Of}
	list := []reference{planned}
	for j, p := range r.plan.All() {
		if p.Verdict != "" || p.Invocation.Group != inv.Group || !own.CanCompare(p) {
			continue
		}
		other := reference{p.Invocation.Function, plan.OtherArtifact(inv, &p.Invocation)}
		if keyOf(inv, other) == keyOf(inv, planned) {
			continue
		}
		if i == j || !r.isFinished(j) || r.records.Status(j) == invocations.OK {
			list = append(list, other)
		}
	}
	return list
}

// String returns the function, with the file if it is of another artifact.
func (r reference) String() string {
	if r.of.Path == "" {
		return r.function
	}
	return r.function + " of " + r.of.Path
}
