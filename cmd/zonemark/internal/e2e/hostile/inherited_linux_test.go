package hostile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
)

// lookingSource is a function that returns how many of its descriptors lead to a file that is called "inherited".
const lookingSource = `
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void inherited(float x[1]) {
	x[0] = 0;
	for (int fd = 3; fd < 4200; fd++) {
		char link[32], path[512];
		snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
		long n = readlink(link, path, sizeof path - 1);
		if (n > 0 && (path[n] = 0, strstr(path, "/inherited"))) x[0]++;
	}
}
`

// lookingCompiler is a compiler that fails if it has a descriptor that leads to such a file.
const lookingCompiler = `#!/bin/sh
for fd in /proc/$$/fd/*; do
	case $(readlink $fd) in */inherited) echo "$fd was inherited" >&2; exit 1;; esac
done
exec cc "$@"
`

// TestInheritedDescriptors starts zonemark with descriptors of a file, as a shell does that holds a lock, and looks for
// them in what zonemark starts: native code, its compiler, and commands.
func TestInheritedDescriptors(t *testing.T) {
	folder := t.TempDir()
	lock, err := os.Create(filepath.Join(folder, "inherited"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	for name, text := range map[string]string{"k.c": lookingSource, "looking-cc": lookingCompiler} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"run", "k.c", "--check", "-q", "--cc", filepath.Join(folder, "looking-cc"), "--expected-output", "1xf32=0"},
		{"run", "--max-time", "10ms", "-q", "--shell", "--", `! { for fd in /proc/$$/fd/*; do readlink $fd; done | grep -q /inherited$; }`},
	} {
		cmd := e2e.Command(t, args...)
		cmd.Dir = folder
		for range 20 { // the numbers of its own are among them
			cmd.ExtraFiles = append(cmd.ExtraFiles, lock)
		}
		if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "was inherited") {
			t.Errorf("%s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}
