package hostile

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/e2e"
)

// seesSource is a function that tells which variables it sees.
const seesSource = `
#include <stdlib.h>

void sees(float x[3]) {
	x[0] = getenv("TEST_TOKEN") != 0;
	x[1] = getenv("TEST_ASKED_FOR") != 0;
	x[2] = getenv("OMP_NUM_THREADS") != 0;
}
`

// TestEnvironment checks that native code sees variables of runtimes and those of --env, here and on hosts, and no
// others. Journals have those that change what is measured.
func TestEnvironment(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "k.c"), []byte(seesSource), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TEST_TOKEN", "secret")
	t.Setenv("TEST_ASKED_FOR", "asked for")
	t.Setenv("OMP_NUM_THREADS", "3")
	variable := regexp.MustCompile(`"variables":"([^"]*; )?OMP_NUM_THREADS=3[;"]`) // the tests' own may be beside it
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{nil, "0,0,1"},
		{[]string{"--env", "TEST_ASKED_FOR"}, "0,1,1"},
		{[]string{"--env", "TEST_ASKED_FOR", "--via", "env -u TEST_ASKED_FOR"}, "0,1,1"},
		{[]string{"--sandbox", "off"}, "0,0,1"},
	} {
		args := append([]string{"run", "k.c", "--check", "-q", "-o", "j.ndjson", "--overwrite", "--expected-output",
			"3xf32=" + c.want}, c.flags...)
		if out, status := e2e.RunsIn(t, folder, args...); status != cli.ExitOK {
			t.Errorf("%q: status %d\n%s", c.flags, status, out)
		}
		journal, err := os.ReadFile(filepath.Join(folder, "j.ndjson"))
		if err != nil || !variable.Match(journal) {
			t.Errorf("%q: the journal does not name the variable: %v\n%s", c.flags, err, journal)
		}
		if bytes.Contains(journal, []byte("secret")) || bytes.Contains(journal, []byte("asked for")) {
			t.Errorf("%q: the journal has values of others:\n%s", c.flags, journal)
		}
	}
	for name, says := range map[string]string{"TEST_NOT_SET": "is not set", "OMP_NUM_THREADS=4": "give its name"} {
		if out := e2e.Runs(t, cli.ExitError, "run", "k.c", "--env", name); !strings.Contains(out, says) {
			t.Errorf("--env %s: %s", name, out)
		}
	}
}
