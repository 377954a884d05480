package driver

import (
	"testing"

	"zonemark/invocations"
)

// Artifacts of one name in several folders are told apart by as many folders as that takes.
func TestNamesApart(t *testing.T) {
	plan := &Plan{}
	for _, path := range []string{"/a/tiny.mlir", "/b/tiny.mlir", "/a/x/mlp.mlir", "/b/x/mlp.mlir", "/a/single.vmfb", "/tiny.mlir", "/a/tiny.vmfb"} {
		plan.List = append(plan.List, Planned{unnamed: true, Invocation: invocations.Invocation{Name: "f", Artifact: invocations.Artifact{Path: path}}})
	}
	plan.List = append(plan.List, Planned{Invocation: invocations.Invocation{Name: "chosen", Artifact: invocations.Artifact{Path: "/c.mlir"}}})
	plan.nameApart()
	for i, want := range []string{"/a/tiny/f", "b/tiny/f", "a/x/mlp/f", "b/x/mlp/f", "single/f", "/tiny/f", "/a/tiny/f", "chosen"} {
		if got := plan.List[i].Invocation.Name; got != want {
			t.Errorf("%s is called %q, want %q", plan.List[i].Invocation.Artifact.Path, got, want)
		}
	}
}
