package cli

import (
	"runtime/debug"
	"strings"
)

// Version names this build: "v1.2.3" for the revision of that tag, "v1.2.4-0.DATE-HASH" for one behind it, and "devel
// HASH" if no tag stands before it. It ends in "+dirty" if files were changed. Builds that did not see a repository are
// "devel".
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return version(info)
}

// version returns the version in the information that Go's linker puts into a binary. Go makes a version of v0.0.0 for
// revisions without a tag.
func version(info *debug.BuildInfo) string {
	if untagged, found := strings.CutPrefix(info.Main.Version, "v0.0.0-"); found {
		if _, hash, found := strings.Cut(untagged, "-"); found {
			return "devel " + hash
		}
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel " + s.Value[:12]
		}
	}
	return "devel"
}
