package cli

import (
	"runtime/debug"
	"testing"
)

// TestVersion: what Go puts into binaries at a tag, behind one, without one, and without a repository.
func TestVersion(t *testing.T) {
	const revision = "1a5a47c6b3a2d9f80c11"
	for stamped, want := range map[string]string{
		"v1.2.3":      "v1.2.3",
		"v1.2.3-rc.1": "v1.2.3-rc.1",
		"v1.2.4-0.20261122150000-1a5a47c6b3a2+dirty": "v1.2.4-0.20261122150000-1a5a47c6b3a2+dirty",
		"v0.0.0-20261122150000-1a5a47c6b3a2":         "devel 1a5a47c6b3a2",
		"v0.0.0-20261122150000-1a5a47c6b3a2+dirty":   "devel 1a5a47c6b3a2+dirty",
		"(devel)": "devel 1a5a47c6b3a2",
		"":        "devel 1a5a47c6b3a2",
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: stamped},
			Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: revision}}}
		if got := version(info); got != want {
			t.Errorf("%q: %q, want %q", stamped, got, want)
		}
	}
	if got := version(&debug.BuildInfo{}); got != "devel" {
		t.Errorf("without a repository: %q", got)
	}
}
