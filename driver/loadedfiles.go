package driver

import (
	"cmp"

	"zonemark/driver/filehash"
	"zonemark/invocations"
)

// loadedFiles notices when files change that executors on this machine load while an invocation is measured.
type loadedFiles struct {
	of    func(*invocations.Invocation) []string // see Execution.Loaded; nil: nobody watches them
	known map[[2]string][]string                 // by the paths of artifact and reference
	files filehash.Watch                         // of all that is measured
}

// newLoadedFiles watches no file yet. Hosts have copies of their own.
func newLoadedFiles(s *session) *loadedFiles {
	l := &loadedFiles{known: map[[2]string][]string{}}
	if len(s.Hosts) == 0 {
		l.of = s.Loaded
	}
	return l
}

// by returns the files that executors load for an invocation. Whole commands are no files of ours: what they build may
// be themselves.
func (l *loadedFiles) by(inv *invocations.Invocation) []string {
	if l.of == nil || len(inv.Command) > 0 {
		return nil
	}
	key := [2]string{cmp.Or(inv.Artifact.Built, inv.Artifact.Path), cmp.Or(inv.Verify.Of.Built, inv.Verify.Of.Path)}
	paths, known := l.known[key]
	if !known {
		paths = l.of(inv)
		l.known[key] = paths
	}
	return paths
}

// watch begins to watch the files of an invocation that is measured for the first time.
func (l *loadedFiles) watch(inv *invocations.Invocation) { l.files.Look(l.by(inv)...) }

// kept returns a result as it is, unless what was measured has changed since its first launch: launches of different
// code have nothing in common.
func (l *loadedFiles) kept(inv *invocations.Invocation, result invocations.Result) invocations.Result {
	path := l.files.Changed(l.by(inv)...)
	if path == "" {
		return result
	}
	return invocations.Result{
		ID: result.ID, Number: result.Number, Merged: result.Merged, Calling: invocations.Calling{Mode: result.Mode},
		Status: invocations.Failed,
		Layers: result.Layers, Sandboxing: result.Sandboxing,
		Error: "changed while it was measured: " + path + "; measure it again when it stays as it is",
	}
}
