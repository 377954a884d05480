package runtimes

import (
	"cmp"

	"zonemark/invocations"
)

// Loaded returns the files that executors load for an invocation: what was built of its artifact, or else the artifact,
// and the files that either needs beside it. A file that cannot be read is named without those beside it.
func (t Table) Loaded(inv *invocations.Invocation) (paths []string) {
	row := t.Lookup(inv.Runtime)
	for _, a := range []*invocations.Artifact{&inv.Artifact, &inv.Verify.Of} {
		path := cmp.Or(a.Built, a.Path)
		if path == "" {
			continue
		}
		paths = append(paths, path)
		if row.Companions == nil {
			continue
		}
		if more, err := row.Companions(path); err == nil {
			paths = append(paths, more...)
		}
	}
	return paths
}
