package main

import (
	"slices"
	"strings"
	"testing"
)

// mayOpenItself lists the files outside of executors that may open files with package os: what they open was made by
// zonemark or by the system, or is written under a name of its own. Others open files with package files: users may name
// pipes, whose other end may never be opened. A name that ends in a slash stands for a folder.
var mayOpenItself = []string{
	"invocations/files/", // where it is done
	// Files of the system:
	"invocations/cgroups/", "invocations/cpuinfo/", "trace/capture/", "driver/executors/", "cmd/zonemark/internal/watching/",
	// What was installed, stored, or unpacked:
	"driver/setup/", "driver/remote/shell.go", "driver/remote/store.go", "driver/bundle/open.go",
	"driver/filehash/check.go", "cmd/zonemark/internal/cachedir/", "cmd/zonemark/internal/remoting/captures.go",
	"cmd/zonemark/internal/remoting/serve.go", "cmd/zonemark/internal/halidecases/",
	"cmd/zonemark/internal/slurmtest/", // for tests
}

// TestFilesAreOpenedInOnePlace looks for functions of package os that open files.
func TestFilesAreOpenedInOnePlace(t *testing.T) {
	functions := []string{"Open", "OpenFile", "ReadFile", "Create"}
	used := map[string]bool{}
	forSources(t, func(name, path string) {
		if strings.HasPrefix(name, "executor/") {
			return
		}
		for _, function := range usesOf(t, path, "os", functions) {
			at := slices.IndexFunc(mayOpenItself, func(rule string) bool {
				return rule == name || strings.HasSuffix(rule, "/") && strings.HasPrefix(name, rule)
			})
			if at < 0 {
				t.Errorf("%s uses os.%s; files.%s does not wait for ever", name, function, strings.TrimSuffix(function, "File"))
			} else {
				used[mayOpenItself[at]] = true
			}
		}
	})
	for _, rule := range mayOpenItself {
		if !used[rule] {
			t.Errorf("a rule for files that need none: %s", rule)
		}
	}
}
