package hostile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/executor/sandbox"
	"zonemark/invocations"
	"zonemark/invocations/testneeds"
)

// TestPluginProfile runs a plugin that starts a compiler and one that asks the network, in both profiles, and one that
// fails outside of the sandbox. A failure tells what the plugin printed, which call was refused and what allows it; every
// result tells its profile.
func TestPluginProfile(t *testing.T) {
	if support := sandbox.Probe(); len(support.Missing) > 0 {
		testneeds.Missing(t, fmt.Errorf("this machine lacks layers: %v", support.Missing))
	}
	plugin, dir := e2e.PretendPlugin(t), t.TempDir()
	output := filepath.Join(dir, "r.ndjson")
	program := func(says string) string {
		path := filepath.Join(dir, says+".mlir")
		text := "// " + says + "\nfunc.func @main(%a: tensor<8xf32>) -> tensor<8xf32>\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		says, profile string
		flags         []string
		status        invocations.Status
		told          []string // in the error
	}{
		{"starts a compiler", "device", nil, invocations.OK, nil},
		{"starts a compiler", "plain", []string{"--sandbox-profile", "plain"}, invocations.Failed, []string{
			"PJRT_Client_Compile: INVALID_ARGUMENT", "the sandbox refused", ": --sandbox-profile device allows processes",
			"; it wrote:\n  the compiler does not start"}},
		{"asks the network", "device", nil, invocations.Failed, []string{
			"PJRT_Client_Compile: INVALID_ARGUMENT", "; the sandbox refused socket: --sandbox off allows that",
			"; it wrote:\n  the network does not answer"}},
		{"complains", "", []string{"--sandbox", "off"}, invocations.Failed, []string{
			"PJRT_Client_Compile: INVALID_ARGUMENT", "; it wrote:\n  the driver is too old"}},
	} {
		if err := os.Remove(output); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		status := map[invocations.Status]int{invocations.OK: 0, invocations.Failed: cli.ExitNotOK}[c.status]
		e2e.Runs(t, status, slices.Concat([]string{"run", program(c.says), "--runtime", "tt", "--plugin", plugin, "--check",
			"-q", "-o", output}, c.flags)...)
		r := e2e.Journal(t, output)["main"]
		inside := slices.Contains(r.Layers, "pid")
		if r.Status != c.status || r.SandboxProfile != c.profile || inside != (c.profile == "device") {
			t.Errorf("%s in profile %s: %s %q, profile %q, layers %v", c.says, c.profile, r.Status, r.Error, r.SandboxProfile,
				r.Layers)
		}
		for _, text := range c.told {
			if !strings.Contains(r.Error, text) {
				t.Errorf("%s in profile %s: the error does not tell %q:\n%s", c.says, c.profile, text, r.Error)
			}
		}
	}
}

// Verbs that make what they measure take the profile of the sandbox, too, and refuse one that there is not.
func TestSandboxProfileFlag(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"run", "hat", "bench", "sweep", "peaks", "compare", "replay", "halide run", "halide pretrain"} {
		words := strings.Fields(verb)
		if help := e2e.Runs(t, cli.ExitOK, append(words, "--help", "all")...); !strings.Contains(help, "--sandbox-profile") {
			t.Errorf("%s has no --sandbox-profile", verb)
		}
	}
	said := e2e.Runs(t, cli.ExitError, "bench", "-m", "bert", "--sandbox-profile", "loose")
	if !strings.Contains(said, "--sandbox-profile") || !strings.Contains(said, "plain") {
		t.Errorf("an unknown profile: %s", said)
	}
}
