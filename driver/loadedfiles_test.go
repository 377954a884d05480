package driver

import (
	"fmt"
	"testing"

	"zonemark/invocations"
)

// The files of an invocation are asked for once for each artifact and reference. Whole commands have none, and hosts have
// copies of their own.
func TestLoadedFiles(t *testing.T) {
	asked := 0
	s := &session{Execution: Execution{Loaded: func(inv *invocations.Invocation) []string {
		asked++
		return []string{inv.Artifact.Path + ".so"}
	}}}
	here := newLoadedFiles(s)
	s.Hosts = []*Host{{}}
	elsewhere := newLoadedFiles(s)
	artifact := func(path, of string) (inv invocations.Invocation) {
		inv.Artifact.Path, inv.Verify.Of.Path = path, of
		return inv
	}
	command := artifact("a", "")
	command.Command = []string{"true"}
	for _, c := range []struct {
		files *loadedFiles
		inv   invocations.Invocation
		want  string
		asked int
	}{
		{here, artifact("a", ""), "[a.so]", 1}, {here, artifact("a", ""), "[a.so]", 1}, {here, artifact("a", "b"), "[a.so]", 2},
		{here, artifact("b", ""), "[b.so]", 3}, {here, command, "[]", 3}, {elsewhere, artifact("c", ""), "[]", 3},
	} {
		if got := fmt.Sprint(c.files.by(&c.inv)); got != c.want || asked != c.asked {
			t.Errorf("%+v: %s after %d questions, want %s after %d", c.inv.Artifact, got, asked, c.want, c.asked)
		}
	}
}
