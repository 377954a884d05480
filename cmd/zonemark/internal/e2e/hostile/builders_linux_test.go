package hostile

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/setup/setuptest"
)

// list runs zonemark list as the user of the place, which builds what must be built, and returns what it says.
func (h *hostilePlace) list(t *testing.T, path string) (said string, err error) {
	t.Helper()
	cmd := exec.Command(h.program, "list", path)
	cmd.Args[0] = "zonemark"
	cmd.Env, cmd.Dir = h.environment, filepath.Dir(h.outside)
	h.as(cmd)
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// put writes a file of a stranger's and returns its path.
func (h *hostilePlace) put(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(filepath.Dir(h.outside), "package", name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// What builds a stranger's sources reads the system and the sources, and writes nothing but its own folder.
func TestBuildersReachNothing(t *testing.T) {
	e2e.NeedsCompiler(t)
	for _, uid := range hostileUsers(t) {
		t.Run(fmt.Sprintf("user %d", uid), func(t *testing.T) {
			t.Parallel()
			h := newHostilePlace(t, uid)
			key := filepath.Join(filepath.Dir(h.outside), "home", ".ssh", "id_rsa")
			h.put(t, "near.h", "#define STEP 2\n")
			const function = "void f(long n, float x[n]) { x[0] += STEP; }\n"
			for _, c := range []struct{ name, text, want string }{
				{"honest.c", "#include \"near.h\"\n" + function, ""},
				{"take.c", fmt.Sprintf("#include \"near.h\"\n__asm__(\".incbin \\\"%s\\\"\");\n%s", key, function), "id_rsa"},
				{"include.c", fmt.Sprintf("#include \"near.h\"\n#include %q\n%s", key, function), "Permission denied"},
				{"sentinel.c", fmt.Sprintf("#include \"near.h\"\n__asm__(\".incbin \\\"%s/sentinel\\\"\");\n%s", h.outside,
					function), "sentinel"},
			} {
				said, err := h.list(t, h.put(t, c.name, c.text))
				if (err == nil) != (c.want == "") || !strings.Contains(said, c.want) || strings.Contains(said, "secret") {
					t.Errorf("%s: %v\n%s", c.name, err, said)
				}
			}
			h.check(t)
		})
	}
}

// A generator of Halide's is a program: also one that is only described may do nothing but generate.
func TestGeneratorsReachNothing(t *testing.T) {
	h := newHostilePlace(t, hostileUsers(t)[0])
	h.environment = append(h.environment, setuptest.Halide(t).Environment()...)
	path := h.put(t, "generator.py", fmt.Sprintf(`
import os, signal, socket, subprocess
import halide as hl

reached = []
def attempt(name, f):
    try:
        f()
        reached.append(name)
    except (OSError, ValueError):
        pass

attempt("read", lambda: open(%[1]q).read())
attempt("list", lambda: os.listdir(%[2]q).index(".ssh"))
attempt("write", lambda: open(%[3]q, "w"))
attempt("write beside", lambda: open(__file__ + ".new", "w"))
attempt("kill", lambda: os.kill(%[4]d, signal.SIGKILL))
attempt("socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM))
attempt("unix", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
subprocess.run(["true"], check=True)
if reached:
    raise RuntimeError("reached: " + ", ".join(reached))

x = hl.Var("x")

@hl.generator(name="honest")
class Honest:
    src = hl.InputBuffer(hl.UInt(8), 1)
    dst = hl.OutputBuffer(hl.UInt(8), 1)

    def generate(self):
        self.dst[x] = self.src[x] + 1
`, filepath.Join(filepath.Dir(h.outside), "home", ".ssh", "id_rsa"), filepath.Join(filepath.Dir(h.outside), "home"),
		filepath.Join(h.outside, "new"), h.victim.Process.Pid))
	said, err := h.list(t, path)
	if err != nil || !strings.Contains(said, "honest") {
		t.Errorf("%v\n%s", err, said)
	}
	if _, err := os.Stat(path + ".new"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it wrote beside its source: %v", err)
	}
	h.check(t)
}
