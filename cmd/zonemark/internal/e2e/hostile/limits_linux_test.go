package hostile

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/testsize"
)

// Each invocation of a suite has limits of its own. The executors that serve it are started with them. Those that take
// memory, which takes time, are only called in the small size, and measured in the large one.
func TestLimitsOfInvocations(t *testing.T) {
	users := hostileUsers(t)
	h := newHostilePlace(t, users[len(users)-1])
	functions := []string{"threads_asleep", "take_private", "fill_file", "ok"}
	path := h.artifact(t, functions)
	entries := []struct {
		function, keys string
		status         invocations.Status
		reason         string
	}{
		{"threads_asleep", "threads = 64", invocations.Crashed, ` threads, and 64 are allowed; killed`},
		{"threads_asleep", "threads = 200", invocations.Crashed, ` threads, and 200 are allowed; killed`},
		{"take_private", "memory = '256MiB'", invocations.OutOfMemory, ` and 256 MiB are allowed; killed`},
		{"take_private", "memory = '400MiB'", invocations.OutOfMemory, ` and 400 MiB are allowed; killed`},
		{"fill_file", "memory = '300MiB'", invocations.OutOfMemory, ` and 300 MiB are allowed; killed`},
		{"ok", "memory = '300MiB'\nthreads = 64", invocations.OK, ``},
		{"ok", "", invocations.OK, ``},
	}
	var suite strings.Builder
	suite.WriteString("[defaults]\nmemory = '1GiB'\nthreads = 300\n")
	for i, e := range entries {
		fmt.Fprintf(&suite, "[[invocation]]\nartifact = %q\nfunction = %q\nname = \"entry %d\"\n%s\n", path, e.function, i,
			e.keys)
	}
	file := filepath.Join(filepath.Dir(path), "limits.toml")
	if err := os.WriteFile(file, []byte(suite.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, mode := range [][]string{{"--check"}, {"--launches", "1", "--max-time", "4ms", "--min-time", "1ms"}} {
		args := append([]string{"run", "-q", "--format", "ndjson", "--timeout", "60s", file}, mode...)
		fewer := mode[0] != "--check" && !testsize.Large()
		if fewer {
			args = append(args, "--filter", "^entry [0156]$")
		}
		records := h.runNamed(t, args...)
		for i, e := range entries {
			if fewer && e.status == invocations.OutOfMemory {
				continue
			}
			r := records[fmt.Sprintf("entry %d", i)]
			if r.Status != e.status || !regexp.MustCompile(e.reason).MatchString(r.Error) {
				t.Errorf("%s: %s with %q: %q, error %q; want %q, error %q", mode[0], e.function, e.keys, r.Status,
					r.Error, e.status, e.reason)
			}
		}
	}
	h.check(t)
}
