package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/invocations/testneeds"

	"go.yaml.in/yaml/v4"
)

// actionFile returns the path of a file of the action for GitHub's workflows.
func actionFile(t *testing.T, name string) string {
	t.Helper()
	return e2e.Top(t, ".github", "actions", "measure", name)
}

// TestActionFile: every step of the action calls the script with what inputs hold, and no input is pasted into a shell
// line, where it could end a quotation.
func TestActionFile(t *testing.T) {
	var action struct {
		Name, Description string
		Inputs            map[string]struct {
			Description, Default string
			Required             bool
		}
		Outputs map[string]struct{ Description, Value string }
		Runs    struct {
			Using string
			Steps []struct {
				Name, ID, Shell, Run, If string
				Env                      map[string]string
			}
		}
	}
	text, err := os.ReadFile(actionFile(t, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Load(text, &action, yaml.WithKnownFields()); err != nil {
		t.Fatal(err)
	}
	if action.Runs.Using != "composite" || len(action.Runs.Steps) != 3 || len(action.Inputs) == 0 {
		t.Fatalf("the action is %+v", action)
	}
	ids := map[string]bool{}
	for _, step := range action.Runs.Steps {
		ids[step.ID] = true
		if step.Shell != "bash" || !strings.HasPrefix(step.Run, `"$GITHUB_ACTION_PATH/measure.sh" `) ||
			strings.Contains(step.Run, "${{") {
			t.Errorf("%s: in %q runs %s", step.Name, step.Shell, step.Run)
		}
		for _, name := range regexp.MustCompile(`\$([A-Z]+)\b`).FindAllStringSubmatch(step.Run, -1) {
			if step.Env[name[1]] == "" {
				t.Errorf("%s: nothing sets $%s", step.Name, name[1])
			}
		}
	}
	used := map[string]bool{}
	for _, name := range regexp.MustCompile(`inputs\.(\w+)`).FindAllStringSubmatch(string(text), -1) {
		used[name[1]] = true
		if _, found := action.Inputs[name[1]]; !found {
			t.Errorf("there is no input %s", name[1])
		}
	}
	for name, input := range action.Inputs {
		if input.Description == "" || !used[name] {
			t.Errorf("input %s: %+v, used: %v", name, input, used[name])
		}
	}
	for _, name := range regexp.MustCompile(`steps\.(\w+)`).FindAllStringSubmatch(string(text), -1) {
		if !ids[name[1]] {
			t.Errorf("no step has the id %s", name[1])
		}
	}
}

// actionRun is a job that calls the script of the action.
type actionRun struct {
	dir, bin string // the workspace; the folder of programs, first on PATH
}

// call runs a step and returns its exit status, its output, and what it wrote to GITHUB_PATH, GITHUB_OUTPUT and the
// summary.
func (a actionRun) call(t *testing.T, args ...string) (status int, out string, files map[string]string) {
	t.Helper()
	cmd := exec.Command(actionFile(t, "measure.sh"), args...)
	cmd.Dir = a.dir
	cmd.Env = append(e2e.Environment(), "PATH="+a.bin+string(os.PathListSeparator)+os.Getenv("PATH"),
		"ZONEMARK_HOME="+e2e.Cache(t))
	outputs := t.TempDir()
	names := []string{"GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"}
	for _, name := range names {
		cmd.Env = append(cmd.Env, name+"="+filepath.Join(outputs, name))
	}
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	files = map[string]string{}
	for _, name := range names {
		content, _ := os.ReadFile(filepath.Join(outputs, name)) // a step writes to few of them
		files[name] = string(content)
	}
	return cmd.ProcessState.ExitCode(), string(text), files
}

// newActionRun makes a workspace with the program and a suite.
func newActionRun(t *testing.T) actionRun {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the action runs on Linux and macOS")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		testneeds.Missing(t, err)
	}
	a := actionRun{t.TempDir(), t.TempDir()}
	wrapper := "#!/bin/sh\nexec '" + e2e.Program(t) + "' \"$@\"\n"
	for path, text := range map[string]string{
		filepath.Join(a.bin, "zonemark"): wrapper,
		filepath.Join(a.dir, "k.c"):      "void twice(long n, float x[n]) { for (long i = 0; i < n; i++) x[i] *= 2; }\n",
		filepath.Join(a.dir, "bad.c"):    "void bad(long n, float x[n]) { *(volatile int *)0 = 1; }\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// TestActionMeasures: the journal is an output, the summary shows the run, and arguments are words of their own.
func TestActionMeasures(t *testing.T) {
	t.Parallel()
	a := newActionRun(t)
	status, out, files := a.call(t, "run", "zm", "k.c", "--check --param n=64")
	if status != 0 || files["GITHUB_OUTPUT"] != "journal=zm/new.ndjson\n" ||
		!strings.Contains(files["GITHUB_STEP_SUMMARY"], "twice") {
		t.Fatalf("status %d, %v\n%s", status, files, out)
	}
	if text, err := os.ReadFile(filepath.Join(a.dir, "zm", "new.ndjson")); err != nil ||
		!strings.Contains(string(text), `"kind":"end"`) {
		t.Errorf("%v; the journal is\n%s", err, text)
	}
	status, out, files = a.call(t, "run", "zm2", "bad.c", "--check --param n=64")
	if status != 2 || !strings.Contains(out, "::error::") || files["GITHUB_OUTPUT"] != "journal=zm2/new.ndjson\n" {
		t.Errorf("a crash: status %d, %v\n%s", status, files, out)
	}
	status, out, files = a.call(t, "run", "zm3", "missing.toml", "")
	if status != 1 || !strings.Contains(out, "missing.toml") || files["GITHUB_OUTPUT"] != "" {
		t.Errorf("a missing suite: status %d, %v\n%s", status, files, out)
	}
}

// TestActionCompares: the status of a comparison is the step's, but undecided rows are a warning.
func TestActionCompares(t *testing.T) {
	t.Parallel()
	a := newActionRun(t)
	write := func(name string, nanoseconds ...string) {
		text := "op,median_ns\nf," + strings.Join(nanoseconds, "\nf,") + "\n"
		path := filepath.Join(a.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("base.csv", "100.1", "100.2", "100.0", "99.9", "100.1", "100.0")
	write("same/new.ndjson", "100.1", "100.2", "100.0", "99.9", "100.1", "100.0")
	write("slower/new.ndjson", "105.1", "105.2", "105.0", "104.9", "105.1", "105.0")
	write("noisy/new.ndjson", "90", "120", "110", "95", "140", "100")
	for _, c := range []struct {
		folder, baseline, margin string
		status                   int
		out, summary             string
	}{
		{"same", "base.csv", "1%", 0, "same", "1 same"},
		{"slower", "base.csv", "1%", 3, "::error::something is slower", "| op=f |"},
		{"slower", "base.csv", "20%", 0, "same", "1 same"},
		{"noisy", "base.csv", "1%", 0, "::warning::some rows are undecided", "undecided"},
		{"same", "nothing.ndjson", "1%", 1, "::error::baseline: there is no file nothing.ndjson", ""},
		{"same", "base.csv", "often", 1, "margin", ""},
	} {
		status, out, files := a.call(t, "compare", c.folder, c.baseline, c.margin)
		if status != c.status || !strings.Contains(out, c.out) ||
			!strings.Contains(files["GITHUB_STEP_SUMMARY"], c.summary) {
			t.Errorf("%+v: status %d, %v\n%s", c, status, files, out)
		}
		report, err := os.ReadFile(filepath.Join(a.dir, c.folder, "junit.xml"))
		named := files["GITHUB_OUTPUT"] == "junit="+c.folder+"/junit.xml\n"
		if c.summary != "" && (err != nil || !named || !strings.Contains(string(report), "<testsuite ")) {
			t.Errorf("%+v: %v, outputs %q, the report is\n%s", c, err, files["GITHUB_OUTPUT"], report)
		}
	}
}

// TestActionInstalls installs from an archive, and from a release whose files a stand-in for gh brings. A file that is
// not the one of the sums is refused.
func TestActionInstalls(t *testing.T) {
	t.Parallel()
	a := newActionRun(t)
	release := t.TempDir()
	name := "zonemark-v1.2.3-" + runtime.GOOS + "-" + runtime.GOARCH
	gh := "#!/bin/sh\n[ \"$1 $2 $3 $4 $5 $6\" = 'release download v1.2.3 --repo a/b --dir' ] && cp '" + release +
		"'/* \"$7\"\n"
	if err := os.WriteFile(filepath.Join(a.bin, "gh"), []byte(gh), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(a.dir, name), 0o755); err != nil {
		t.Fatal(err)
	}
	e2e.RunIn(t, a.dir, "cp", filepath.Join(a.bin, "zonemark"), name)
	e2e.RunIn(t, a.dir, "tar", "-czf", filepath.Join(release, name+".tar.gz"), name)
	sums := e2e.RunIn(t, release, "sh", "-c", "sha256sum *.tar.gz 2>/dev/null || shasum -a 256 *.tar.gz")
	if err := os.WriteFile(filepath.Join(release, "SHA256SUMS"), []byte(sums), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"tools1", filepath.Join(release, name+".tar.gz"), "", ""},
		{"tools2", "", "a/b", "v1.2.3"},
	} {
		status, out, files := a.call(t, slices.Concat([]string{"install"}, args)...)
		if status != 0 || !strings.Contains(out, "(protocol ") || files["GITHUB_PATH"] != args[0]+"\n" {
			t.Errorf("%v: status %d, %v\n%s", args, status, files, out)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"tools3", "", "a/b", "main"}, "no release main of a/b"},
		{[]string{"tools4", "none.tar.gz", "", ""}, "there is no file none.tar.gz"},
	} {
		if status, out, _ := a.call(t, slices.Concat([]string{"install"}, c.args)...); status != 1 ||
			!strings.Contains(out, "::error::") || !strings.Contains(out, c.want) {
			t.Errorf("%v: status %d\n%s", c.args, status, out)
		}
	}
	if err := os.WriteFile(filepath.Join(release, name+".tar.gz"), []byte("other"), 0o644); err != nil {
		t.Fatal(err)
	}
	if status, out, _ := a.call(t, "install", "tools5", "", "a/b", "v1.2.3"); status != 1 ||
		!strings.Contains(out, "is not the file that SHA256SUMS") {
		t.Errorf("another file: status %d\n%s", status, out)
	}
}
