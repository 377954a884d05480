package hosting

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/watching"
	"zonemark/executor/sandbox"
	"zonemark/invocations/building"
	"zonemark/invocations/environ"
	"zonemark/invocations/testneeds"
)

// workplace is where a program builds in a test, with a sentinel that it must not reach.
type workplace struct {
	source, output string // folders
	secret         string // file outside
	outside        string // folder outside
	memory         int64  // limit in bytes; 0: none
}

func newWorkplace(t *testing.T) workplace {
	w := workplace{source: t.TempDir(), output: t.TempDir(), outside: t.TempDir()}
	w.secret = filepath.Join(w.outside, "secret")
	if err := os.WriteFile(w.secret, []byte("tell nobody\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return w
}

// run runs a program, confined by what a machine offers, and returns what it printed.
func (w workplace) run(t *testing.T, s sandbox.Support, program string, args ...string) (string, error) {
	t.Helper()
	confine := confineBuilds(sandbox.Auto, watching.Limits{MemoryBytes: w.memory},
		Options{Variables: environ.OfProcess()}.guarding().reading, func() sandbox.Support { return s })
	asZonemark := building.Confine(func(cmd *exec.Cmd, a building.Access) (building.Confinement, error) {
		c, err := confine(cmd, a)
		cmd.Args[0] = "zonemark" // see TestMain
		return c, err
	})
	path, err := exec.LookPath(program)
	testneeds.Missing(t, err)
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Dir = w.output
	said := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = said, said
	err = asZonemark.Run(cmd, building.Access{Write: []string{w.output}, Read: []string{w.source}})
	return said.String(), err
}

// machines are what machines offer: this one, and those that lack a layer of it each.
func machines() map[string]sandbox.Support {
	all := sandbox.Probe()
	list := map[string]sandbox.Support{"all layers": all}
	for _, l := range []sandbox.Layer{
		sandbox.LayerUser, sandbox.LayerMount, sandbox.LayerPID, sandbox.LayerLandlock, sandbox.LayerSeccomp,
	} {
		if all.Has(l) {
			list["no "+string(l)] = all.Without(l, "taken away")
		}
	}
	return list
}

// A program that builds reads the system and the sources, writes its folder, and starts others, which end with it.
// It reaches nothing else, as long as there is a layer that keeps it from that.
func TestBuildersAreConfined(t *testing.T) {
	for name, s := range machines() {
		t.Run(name, func(t *testing.T) {
			w := newWorkplace(t)
			if err := os.WriteFile(filepath.Join(w.source, "near.h"), []byte("near\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			mark := fmt.Sprintf("600.%d", os.Getpid())
			script := fmt.Sprintf(`cat %[1]s/near.h && /bin/echo inside > made && cp made $TMPDIR/made && echo built
cat %[2]s
{ echo out > %[3]s/new; } && echo wrote outside
{ echo out > %[1]s/new; } && echo wrote source
sleep %[4]s > /dev/null 2>&1 &
kill -0 %[5]d && echo may signal
cat /proc/%[5]d/cmdline > /dev/null && echo knows others`, w.source, w.secret, w.outside, mark, os.Getpid())
			said, _ := w.run(t, s, "sh", "-c", script)
			if !strings.HasPrefix(said, "near\nbuilt\n") {
				t.Errorf("an honest build fails:\n%s", said)
			}
			if s.Has(sandbox.LayerLandlock) && strings.Contains(said, "tell nobody") {
				t.Errorf("it read a secret:\n%s", said)
			}
			if (s.Has(sandbox.LayerLandlock) || s.Has(sandbox.LayerMount)) && strings.Contains(said, "wrote") {
				t.Errorf("it wrote:\n%s", said)
			}
			if (s.Has(sandbox.LayerSeccomp) || s.Has(sandbox.LayerPID)) && strings.Contains(said, "may signal") {
				t.Errorf("it may signal others:\n%s", said)
			}
			if (s.Has(sandbox.LayerLandlock) || s.Has(sandbox.LayerPID)) && strings.Contains(said, "knows others") {
				t.Errorf("it knows what others were started with:\n%s", said)
			}
			if s.Has(sandbox.LayerPID) && runs("sleep\x00"+mark) {
				t.Error("what it has started goes on")
			}
			endAll(t, "sleep\x00"+mark)
			if left, err := os.ReadDir(w.output); err != nil || len(left) != 1 {
				t.Errorf("its folder holds %v, %v", left, err)
			}
		})
	}
}

// What a program that builds takes is watched, together with what it has started.
func TestBuildersAreWatched(t *testing.T) {
	for name, s := range machines() {
		t.Run(name, func(t *testing.T) {
			w := newWorkplace(t)
			w.memory = sandbox.LeastMemoryBytes
			_, err := w.run(t, s, "sh", "-c", "(x=01234567; while :; do x=$x$x; done); true")
			var killed *building.KilledError
			if !errors.As(err, &killed) || !strings.Contains(err.Error(), "256 MiB are allowed; --memory allows more") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// processesOf returns the folders in /proc of the processes with a command line.
func processesOf(words string) (folders []string) {
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range all {
		if text, err := os.ReadFile(filepath.Join(folder, "cmdline")); err == nil && string(text) == words+"\x00" {
			folders = append(folders, folder)
		}
	}
	return folders
}

func runs(words string) bool { return len(processesOf(words)) > 0 }

// endAll ends what a test has started and nothing else has.
func endAll(t *testing.T, words string) {
	for _, folder := range processesOf(words) {
		var pid int
		if _, err := fmt.Sscanf(filepath.Base(folder), "%d", &pid); err != nil {
			t.Fatal(err)
		}
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill()
		}
	}
}

// A compiler cannot take a file from outside into what it makes, nor write beside its output.
func TestCompilersReachNoSentinel(t *testing.T) {
	w := newWorkplace(t)
	source := filepath.Join(w.source, "k.c")
	for _, c := range []struct {
		name, text string
		flags      []string
		good       bool
	}{
		{"honest", "float f(float x) { return x; }\n", nil, true},
		{"incbin", "__asm__(\".incbin \\\"" + w.secret + "\\\"\");\n", nil, false},
		{"include", "#include \"" + w.secret + "\"\n", nil, false},
		{"dump", "float f(float x) { return x; }\n", []string{"-fopt-info-all=" + filepath.Join(w.outside, "dump")}, false},
		{"output", "float f(float x) { return x; }\n", []string{"-MD", "-MF", filepath.Join(w.outside, "d")}, false},
	} {
		if err := os.WriteFile(source, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		said, err := w.run(t, sandbox.Probe(), "cc",
			append([]string{"-O2", "-fPIC", "-shared", "-o", "k.so", source}, c.flags...)...)
		made, _ := os.ReadFile(filepath.Join(w.output, "k.so"))
		switch {
		case c.good && (err != nil || len(made) == 0):
			t.Errorf("%s: %v\n%s", c.name, err, said)
		case !sandbox.Probe().Has(sandbox.LayerLandlock):
		case !c.good && (err == nil || strings.Contains(said, "tell nobody")):
			t.Errorf("%s: it succeeds: %s", c.name, said)
		}
		_ = os.Remove(filepath.Join(w.output, "k.so")) // it may not be there
	}
	if entries, err := os.ReadDir(w.outside); err != nil || len(entries) != 1 {
		t.Errorf("outside there are %v, %v", entries, err)
	}
}

// Programs that write to /tmp, whatever the environment says, get one of their own.
func TestBuildersHaveTheirTemporaryFolder(t *testing.T) {
	if s := sandbox.Probe(); !s.Has(sandbox.LayerMount) {
		testneeds.Missing(t, fmt.Errorf("no mounts here: %s", s.Missing[sandbox.LayerMount]))
	}
	w := newWorkplace(t)
	confine := Options{Variables: environ.OfProcess()}.Building()
	name := filepath.Join("/tmp", filepath.Base(w.output)+filepath.Base(filepath.Dir(w.output)))
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", "echo a > "+name+" && cat "+name+" && ls /tmp/ && echo b > made")
	cmd.Dir = w.output
	said := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = said, said
	err := building.Confine(func(cmd *exec.Cmd, a building.Access) (building.Confinement, error) {
		c, err := confine(cmd, a)
		cmd.Args[0] = "zonemark" // see TestMain
		return c, err
	}).Run(cmd, building.Access{Write: []string{w.output}, Read: []string{w.source}, Temporary: true})
	if err != nil || !strings.HasPrefix(said.String(), "a\n") || strings.Contains(said.String(), "secret") {
		t.Errorf("%v\n%s", err, said)
	}
	if _, err := os.Stat(name); err == nil {
		t.Errorf("%s is in the machine's folder", name)
	}
	if _, err := os.Stat(filepath.Join(w.output, "made")); err != nil {
		t.Error(err)
	}
}
