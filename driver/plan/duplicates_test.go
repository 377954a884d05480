package plan

import (
	"iter"
	"strings"
	"testing"

	"zonemark/invocations"
)

// listed yields invocations.
func listed(list ...invocations.Invocation) iter.Seq[*invocations.Invocation] {
	return func(yield func(*invocations.Invocation) bool) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

func TestCheckDuplicates(t *testing.T) {
	a := invocations.Invocation{Name: "a", Artifact: invocations.Artifact{Path: "x.hat"}}
	b := invocations.Invocation{Name: "b", Function: "f", Artifact: invocations.Artifact{Path: "y.hat"}}
	if err := checkDuplicates(listed(a, b)); err != nil {
		t.Error(err)
	}
	b.Name = "a"
	want := `invocation 1 ("a" of x.hat) and invocation 2 ("a" of y.hat, function f) have the same name`
	if err := checkDuplicates(listed(a, b)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	a.Seal()
	b.Seal()
	if err := checkDuplicates(listed(a, b)); err != nil { // sealed ones differ by the rest of their content
		t.Error(err)
	}
	if err := checkDuplicates(listed(a, b, a)); err == nil || !strings.Contains(err.Error(),
		"the same id "+a.ID) {
		t.Error(err)
	}
}
