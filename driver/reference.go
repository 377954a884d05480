package driver

import (
	"context"
	"fmt"
	"strings"

	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// phaseReference is the phase in which an executor calls the reference, whose outputs are taken as correct.
const phaseReference = "reference"

// execute makes one launch or round of an invocation. If the reference of the group crashes, that tells nothing about
// the invocation. Then the next variant of the group becomes the reference, also for later invocations, and the launch
// is repeated.
func (r *run) execute(ctx context.Context, i int, m *wire.Execute) (invocations.Result, error) {
	p := r.plan.List[i]
	executor := r.serving(&p)
	for {
		reference, note := r.reference(i)
		m.Verify.Reference = reference
		result, err := executor.believed(ctx, p, m)
		if err != nil {
			return result, err
		}
		if p.follows && reference != "" && executor.phase == phaseReference && endedBadly(result.Status) {
			r.setUnusable(i, reference, result.Error)
			executor.renew()
			continue
		}
		if note != "" && !m.Trusted && !endedBadly(result.Status) {
			addNew(&result.Notes, []string{note})
		}
		return result, nil
	}
}

// endedBadly reports whether a call did not finish.
func endedBadly(s invocations.Status) bool { return s != invocations.OK && s != invocations.Mismatch }

// referenceKey identifies a variant of a group, as a candidate for its reference.
type referenceKey struct{ group, artifact, function string }

func keyOf(inv *invocations.Invocation, function string) referenceKey {
	return referenceKey{inv.Group, inv.Artifact.Path, function}
}

// setUnusable records why a function cannot be the reference of an invocation's group.
func (r *run) setUnusable(i int, function, why string) {
	if r.unusable == nil {
		r.unusable = map[referenceKey]string{}
	}
	r.unusable[keyOf(&r.plan.List[i].Invocation, function)] = why
}

// reference returns the function that an invocation is checked against, "" if there is none, and a note if it is not
// the planned one. It replaces only a reference that the plan has chosen, not one of the user's choice. The id depends
// on the planned reference, so that a resumed run finds its results.
func (r *run) reference(i int) (function, note string) {
	p := &r.plan.List[i]
	planned := p.Invocation.Verify.Reference
	if _, unusable := r.unusable[keyOf(&p.Invocation, planned)]; !p.follows || planned == "" || !unusable {
		return planned, ""
	}
	var failed []string
	for _, candidate := range r.variants(i) {
		why, unusable := r.unusable[keyOf(&p.Invocation, candidate)]
		switch {
		case unusable:
			failed = append(failed, fmt.Sprintf("%s does not work as the reference (%s)", candidate, why))
		case candidate == p.Invocation.Function:
			return "", "it is the reference of its group and was compared with nothing: " + strings.Join(failed, "; ")
		default:
			return candidate, fmt.Sprintf("its outputs were compared with those of %s: %s",
				candidate, strings.Join(failed, "; "))
		}
	}
	return "", "its outputs were compared with nothing: " + strings.Join(failed, "; ")
}

// variants returns the functions that can be the reference of an invocation: the planned one, then the variants of its
// group in the order of the plan. It leaves out variants that are known to fail, but not the invocation itself.
func (r *run) variants(i int) []string {
	inv := &r.plan.List[i].Invocation
	list := []string{inv.Verify.Reference}
	for j, p := range r.plan.List {
		other := &p.Invocation
		if p.Verdict != "" || other.Group != inv.Group || other.Artifact.Path != inv.Artifact.Path ||
			other.Function == inv.Verify.Reference {
			continue
		}
		if i == j || !r.isFinished(j) || r.records[j].Status == invocations.OK {
			list = append(list, other.Function)
		}
	}
	return list
}
