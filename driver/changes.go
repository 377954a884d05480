package driver

import (
	"cmp"

	"zonemark/invocations"
)

// loadedBy returns the files that executors load for an invocation. Whole commands are no files of ours: what they build
// may be themselves.
func (r *run) loadedBy(inv *invocations.Invocation) []string {
	if r.Loaded == nil || len(inv.Command) > 0 || r.host != nil { // hosts have copies of their own
		return nil
	}
	key := [2]string{cmp.Or(inv.Artifact.Built, inv.Artifact.Path), cmp.Or(inv.Verify.Of.Built, inv.Verify.Of.Path)}
	paths, known := r.loaded[key]
	if !known {
		paths = r.Loaded(inv)
		r.loaded[key] = paths
	}
	return paths
}

// watchArtifact begins to watch the files of an invocation that is measured for the first time.
func (r *run) watchArtifact(inv *invocations.Invocation) { r.artifacts.Look(r.loadedBy(inv)...) }

// keptArtifact returns a result as it is, unless what was measured has changed since its first launch: launches of
// different code have nothing in common.
func (r *run) keptArtifact(inv *invocations.Invocation, result invocations.Result) invocations.Result {
	path := r.artifacts.Changed(r.loadedBy(inv)...)
	if path == "" {
		return result
	}
	return invocations.Result{
		ID: result.ID, Number: result.Number, Merged: result.Merged, Mode: result.Mode, Status: invocations.Failed,
		Layers: result.Layers, SandboxProfile: result.SandboxProfile, SandboxAllowed: result.SandboxAllowed,
		Error: "changed while it was measured: " + path + "; measure it again when it stays as it is",
	}
}
