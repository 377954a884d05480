package main

import (
	"os"

	"zonemark/invocations"
)

// ireeDispatches says how the dispatches of an IREE invocation can be timed with what is installed.
func ireeDispatches(inv *invocations.Invocation) dispatchSupport {
	provider := inv.Artifact.Options["provider"]
	if provider == dispatchProvider { // it is a dispatch itself
		return dispatchSupport{}
	}
	capi := os.Getenv("ZONEMARK_IREE_CAPI") != ""
	return dispatchSupport{
		profiler: capi && provider != "python",
		tracy:    os.Getenv("ZONEMARK_IREE_SITE") != "" && os.Getenv("ZONEMARK_IREE_LIBPYTHON") != "",
	}
}

// adaptToTracing changes an invocation to what a captured executor loads: the Tracy client is in the Python wheel.
func adaptToTracing(inv *invocations.Invocation) { inv.SetOption("provider", "python") }

// tracedIREE is what makes the wheel take its Tracy-enabled runtime.
func tracedIREE() []string { return []string{"IREE_PY_RUNTIME=tracy"} }

// captureSites are the folders in which a wheel with the capture tool may lie.
func captureSites() []string {
	if site := os.Getenv("ZONEMARK_IREE_SITE"); site != "" {
		return []string{site}
	}
	return nil
}
