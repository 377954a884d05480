package invocations

import (
	"iter"
	"strings"
	"testing"
)

// listed yields invocations.
func listed(list ...Invocation) iter.Seq[*Invocation] {
	return func(yield func(*Invocation) bool) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

func TestCheckDuplicates(t *testing.T) {
	a, b := Invocation{Name: "a", Artifact: Artifact{Path: "x.hat"}}, Invocation{Name: "b", Function: "f",
		Artifact: Artifact{Path: "y.hat"}}
	if err := CheckDuplicates(listed(a, b)); err != nil {
		t.Error(err)
	}
	b.Name = "a"
	want := `invocation 1 ("a" of x.hat) and invocation 2 ("a" of y.hat, function f) have the same name`
	if err := CheckDuplicates(listed(a, b)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	a.Seal()
	b.Seal()
	if err := CheckDuplicates(listed(a, b)); err != nil { // sealed ones differ by the rest of their content
		t.Error(err)
	}
	if err := CheckDuplicates(listed(a, b, a)); err == nil || !strings.Contains(err.Error(),
		"the same id "+a.ID) {
		t.Error(err)
	}
}
