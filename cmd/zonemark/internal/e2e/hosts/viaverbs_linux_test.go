package hosts

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/comparing"
	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/journal"
	"zonemark/driver/peaks"
	"zonemark/driver/setup"
	"zonemark/driver/setup/setuptest"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/testsize"
)

// runsAt is like runs, for verbs that measure over ssh. What they keep here is in a folder of its own.
func runsAt(t *testing.T, want int, variables []string, args ...string) string {
	t.Helper()
	cmd := e2e.Command(t, args...)
	cmd.Env = append(cmd.Env, variables...)
	out, _ := cmd.CombinedOutput() // the status tells
	if status := cmd.ProcessState.ExitCode(); status != want {
		t.Fatalf("%q: status %d, want %d:\n%s", args, status, want, out)
	}
	return string(out)
}

// measuredElsewhere returns the records of a journal, and checks that a host has measured each of them well.
func measuredElsewhere(t *testing.T, path string) []invocations.Record {
	t.Helper()
	j, err := journal.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range recordstest.All(t, j.Records) {
		if r.Status != invocations.OK || r.HostNames() == "" {
			t.Errorf("%s on %q: %s %s", r.Name, r.HostNames(), r.Status, r.Error)
		}
	}
	if j.Records.Len() == 0 {
		t.Errorf("%s has no results", path)
	}
	return recordstest.List(t, j.Records)
}

// Every verb that measures does so over ssh. Those of Halide, which compile much, do so in the large size.
func TestViaVerbs(t *testing.T) {
	t.Parallel()
	port, login := sshServer(t, "ZONEMARK_HOME="+t.TempDir())
	via := []string{"--via", login + strconv.Itoa(port)}
	short := []string{"--launches", "1", "--min-time", "1ms", "--max-time", "5ms", "-q"}
	elsewhere := func(args ...string) []string { return slices.Concat(args, short, via) }
	t.Run("hat", func(t *testing.T) {
		journal := filepath.Join(t.TempDir(), "j")
		runsAt(t, cli.ExitOK, nil, elsewhere("hat", e2e.Example(t, "matmul.hat"), "-o", journal)...)
		measuredElsewhere(t, journal)
	})
	t.Run("dispatches", func(t *testing.T) {
		e2e.NeedsIREE(t, setup.CAPIVariable)
		journal := filepath.Join(t.TempDir(), "j")
		runsAt(t, cli.ExitOK, nil, elsewhere("run", e2e.Example(t, "kernels.mlir"), "--provider", "capi",
			"--dispatches", "profile", "-o", journal)...)
		for _, r := range measuredElsewhere(t, journal) {
			if r.DispatchSource != invocations.ByProfiler || len(r.Dispatches) == 0 {
				t.Errorf("%s has %d dispatches by %q", r.Name, len(r.Dispatches), r.DispatchSource)
			}
		}
	})
	t.Run("captures", func(t *testing.T) {
		e2e.NeedsIREE(t, setup.CAPIVariable, setup.LibPythonVariable)
		folder := t.TempDir()
		journal, taken := filepath.Join(folder, "j"), filepath.Join(folder, "x.tracy")
		runsAt(t, cli.ExitOK, nil, elsewhere("run", e2e.Example(t, "kernels.mlir"), "-t", taken, "-o", journal)...)
		for _, r := range measuredElsewhere(t, journal) {
			if r.DispatchSource != invocations.ByTracy || len(r.Dispatches) == 0 {
				t.Errorf("%s has %d dispatches by %q: %q", r.Name, len(r.Dispatches), r.DispatchSource, r.Notes)
			}
		}
		if said := runsAt(t, cli.ExitOK, nil, "trace", "dispatches", taken); !strings.Contains(said, "perceptron_dispatch_1") {
			t.Errorf("the capture has:\n%s", said)
		}
	})
	t.Run("replay", func(t *testing.T) {
		bundle := filepath.Join(t.TempDir(), "b.zip")
		args := e2e.ViaKernel(t, t.TempDir())
		runsAt(t, cli.ExitOK, nil, slices.Concat(args[:4], short, via, []string{"--param", "n=64", "--bundle", bundle})...)
		said := runsAt(t, comparing.ExitUndecided, nil, append([]string{"replay", bundle}, via...)...)
		if !strings.Contains(said, "1 undecided") {
			t.Errorf("it says:\n%s", said)
		}
	})
	if !testsize.Large() {
		return
	}
	t.Run("sweep", func(t *testing.T) {
		setuptest.PJRTCPU(t)
		f := e2e.NewSweepFolder(t, e2e.SweptOperations)
		runsAt(t, cli.ExitOK, nil, append(f.Arguments("--op-name", "exp", "--skip-performance-model"), via...)...)
		if rows := f.Rows(t, "exp"); len(rows) != 4 {
			t.Errorf("%d rows, want 4", len(rows))
		}
		measuredElsewhere(t, f.In("data", "exp", "results.ndjson"))
	})
	t.Run("halide", func(t *testing.T) {
		setuptest.Halide(t)
		journal := filepath.Join(t.TempDir(), "j")
		runsAt(t, cli.ExitOK, nil, elsewhere("halide", "run", "blur3x3", "--schedulers", "none", "-o", journal)...)
		measuredElsewhere(t, journal)
	})
	t.Run("tuning", func(t *testing.T) {
		setuptest.Halide(t)
		folder := filepath.Join(t.TempDir(), "tuned")
		runsAt(t, cli.ExitOK, nil, append(e2e.TuneArguments(t, folder, "--batches", "1", "--samples", "2"), via...)...)
		statuses := e2e.SampleStatuses(t, folder, 1)
		for number, status := range statuses {
			if status != invocations.OK && status != invocations.Skipped { // two samples may be the same schedule
				t.Errorf("sample %s: %s", number, status)
			}
		}
		if len(statuses) != 2 {
			t.Errorf("samples %v", statuses)
		}
	})
}

// What is not measured elsewhere is refused, by name and with a remedy, before anything connects.
func TestViaRefused(t *testing.T) {
	t.Parallel()
	kernel := slices.Clip(e2e.ViaKernel(t, t.TempDir())[:4])
	via := []string{"--via", "false"}
	for _, c := range []struct {
		args []string
		want string
	}{
		{append(kernel, "-t", "x.tracy", "--via", "env"), "a capture is of one host; give --via once"},
		{append(kernel, "--dispatches", "tracy", "--via", "env"), "a capture is of one host; give --via once"},
		{append(kernel, "--sandbox-cache", t.TempDir()), "the folder is on this machine; leave out one of them"},
		{append(kernel, "--param", "n=1", "--spread"), "give --via for each of them"},
		{[]string{"bench", "-m", "bert", "--spread"}, "give --via for each of them"},
		{[]string{"bench", "-m", "bert", "--via", "env"}, "--spread measures it on each of them"},
		{[]string{"bench", "-m", "bert", "--sandbox-cache", t.TempDir()}, "the folder is on this machine; leave out one"},
		{[]string{"bench", "-m", "bert", "--via", "env '"}, "a quote (') is not closed"},
		{[]string{"replay", "x.zip", "--spread"}, "give --via once, for one host after the other"},
		{[]string{"halide", "pretrain", "--spread"}, "zonemark halide run --spread"},
		{[]string{"peaks", "--spread"}, "for each host of --via anyway"},
		{[]string{"compare", "--measure", "a.c", "b.c", "--spread"}, "pair by pair on one host"},
		{[]string{"sweep", "--spread"}, "give --via for each of them"},
		{[]string{"farm", "sbatch", "s.toml", "--shards", "2", "--spread"}, "each shard measured on one node"},
		{[]string{"farm", "sbatch", "s.toml", "--shards", "2"}, "leave out via and spread"},
	} {
		if said := runsAt(t, 1, nil, append(c.args, via...)...); !strings.Contains(said, c.want) {
			t.Errorf("%q says:\n%s\nwant %q", c.args, said, c.want)
		}
	}
	// Which CPUs there are, only the host knows.
	said := runsAt(t, cli.ExitNotOK, nil, append(kernel, "--param", "n=1", "--cpu", "100000", "--via", "env", "-q")...)
	if !strings.Contains(said, "no such CPU") {
		t.Errorf("a CPU that is not there:\n%s", said)
	}
	said = runsAt(t, 1, nil, "run", "--via", "false", "--", "true")
	if !strings.Contains(said, "start it by the command itself: -- ssh HOST") {
		t.Errorf("a whole command says:\n%s", said)
	}
}

// With --spread, each of several hosts measures everything, and the report has the host, the CSV the slowest one.
func TestViaSpread(t *testing.T) {
	t.Parallel()
	args := e2e.ViaKernel(t, t.TempDir())[:4]
	journal := filepath.Join(t.TempDir(), "j")
	variables := []string{sharedHome(t)}
	said := runsAt(t, cli.ExitOK, variables, append(args, "--param", "n=64,128", "--launches", "3", "--min-time", "3ms", "--max-time", "9ms", "--spread", "--via", "env", "--via", "nice -n 1", "-q", "-o", journal,
		"--format", "csv")...)
	header, _, _ := strings.Cut(said, "\n")
	if !strings.HasSuffix(header, ",host,between_hosts_ns,slowest_host,slowest_ratio") || strings.Count(said, "\n") != 3 {
		t.Errorf("it says:\n%s", said)
	}
	for _, r := range measuredElsewhere(t, journal) {
		if len(r.Hosts) != 2 || r.Hosts[1].Host != r.Hosts[0].Host+"-2" || *r.Launches != 6 || r.BetweenHostsNS == nil {
			t.Errorf("%s: hosts %+v", r.Name, r.Hosts)
		}
	}
}

// The hosts of a suite measure it, unless the user names others. A suite that names none takes those of the other one.
func TestViaSuite(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	kernel := e2e.ViaKernel(t, folder)[1]
	suite := func(name, via string) string {
		path := filepath.Join(folder, name+".toml")
		text := fmt.Sprintf("%s\n[[invocation]]\nname = %q\nartifact = %q\nprototype = %q\nlaunches = 1\n"+
			"max_time = \"5ms\"\nparams = { n = 64 }\n", via, name, kernel, "void scale(long n, float x[n])")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	variables := []string{sharedHome(t)}
	one, broken := suite("one", `via = ["env"]`), suite("broken", `via = ["sh -c 'exit 7'"]`)
	journal := filepath.Join(folder, "j")
	runsAt(t, cli.ExitOK, variables, "run", one, suite("none", ""), "-q", "-o", journal)
	if list := measuredElsewhere(t, journal); len(list) != 2 {
		t.Errorf("%d results", len(list))
	}
	if said := runsAt(t, 1, variables, "run", broken); !strings.Contains(said, "ended with exit status 7") {
		t.Errorf("it says:\n%s", said)
	}
	runsAt(t, cli.ExitOK, variables, "run", broken, "-q", "--via", "env")
	if said := runsAt(t, 1, variables, "run", one, broken); !strings.Contains(said, "name different hosts; give those") {
		t.Errorf("it says:\n%s", said)
	}
	said := runsAt(t, 1, variables, "run", suite("quote", `via = ["'"]`))
	if !strings.Contains(said, "quote.toml: via: ") {
		t.Errorf("it says:\n%s", said)
	}
}

// A suite may have each of its hosts measure everything. The flag takes precedence, and tasks of Slurm do not share hosts.
func TestViaSuiteSpread(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	kernel := e2e.ViaKernel(t, folder)[1]
	suite := filepath.Join(folder, "spread.toml")
	text := fmt.Sprintf("via = [\"env\", \"nice -n 1\"]\nspread = true\n[[invocation]]\nartifact = %q\n"+
		"prototype = %q\nlaunches = 2\nmax_time = \"5ms\"\nparams = { n = 64 }\n", kernel, "void scale(long n, float x[n])")
	if err := os.WriteFile(suite, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	variables := []string{sharedHome(t)}
	journal := filepath.Join(folder, "j")
	for _, c := range []struct {
		args  []string
		hosts int
	}{
		{nil, 2}, {[]string{"--spread=false"}, 0}, {[]string{"--spread=false", "--via", "env"}, 0},
	} {
		runsAt(t, cli.ExitOK, variables, append([]string{"run", suite, "-q", "-o", journal, "--overwrite"}, c.args...)...)
		if list := measuredElsewhere(t, journal); len(list) != 1 || len(list[0].Hosts) != c.hosts {
			t.Errorf("%q: %d results, hosts %+v", c.args, len(list), list[0].Hosts)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"run --via env", "spread.toml: spread measures on several hosts and compares them"},
		{"farm sbatch --shards 1 --folder " + filepath.Join(folder, "shards"), "leave out via and spread"},
	} {
		if said := runsAt(t, 1, variables, append(strings.Fields(c.args), suite)...); !strings.Contains(said, c.want) {
			t.Errorf("%s says:\n%s", c.args, said)
		}
	}
	runsAt(t, comparing.ExitUndecided, variables, "compare", "--measure", suite, suite, "--via", "env", "--max-time",
		"50ms")
}

// Each of several hosts measures every row of a sweep. Rows and the table of several runtimes say how hosts differ.
// Without the flag, such a sweep is not continued. The operation copies its argument, as the stand-in for a plugin does.
func TestViaSweepSpread(t *testing.T) {
	t.Parallel()
	f := e2e.NewSweepFolder(t, `[{"op_type": "unary", "op_name": "nop", "config_overrides": {"unary_type": ["nop"],
		"output_mb_r": [1], "output_mb_c": [1, 2], "output_ub_r": [1], "output_ub_c": [1]}}]`)
	both := []string{"--plugin", e2e.PretendPlugin(t), "--skip-performance-model", "--via", "env", "--via", "nice -n 1"}
	said := runsAt(t, cli.ExitOK, nil, f.Arguments(append(both, "--spread", "--launches", "2")...)...)
	if !strings.Contains(said, "; hosts differ by ") {
		t.Errorf("it says:\n%s", said)
	}
	text, err := os.ReadFile(f.In("data", "nop", "perf_sweep_summary.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows := e2e.ComparedRows(t, string(text))
	for _, row := range rows {
		ns, err := strconv.ParseFloat(row["between-hosts-ns"], 64)
		if err != nil || !(ns >= 0) || row["slowest-host"] == "" {
			t.Errorf("%v", row)
		}
	}
	records := measuredElsewhere(t, f.In("data", "nop", "results.ndjson"))
	if len(rows) != 2 || len(records) != 2 || len(records[0].Hosts) != 2 {
		t.Errorf("%d rows, %d results, hosts %+v", len(rows), len(records), records[0].Hosts)
	}
	said = runsAt(t, 1, nil, f.Arguments(append(both, "--continue-run")...)...)
	if !strings.Contains(said, "it was measured with --spread; continue it so") {
		t.Errorf("it says:\n%s", said)
	}
	runsAt(t, cli.ExitOK, nil, f.Arguments(append(both, "--spread", "--continue-run")...)...)
}

// The peaks of several hosts are kept for each of them.
func TestViaPeaks(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	runsAt(t, cli.ExitOK, []string{"ZONEMARK_HOME=" + home}, "peaks", "--quick", "-q", "--filter", `^read\.L1$`,
		"--via", "env", "--via", "nice -n 1")
	text, err := os.ReadFile(filepath.Join(home, peaks.File))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string][]peaks.Peak
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for machine, list := range all {
		if strings.Contains(machine, "|") || len(list) != 1 || !(list[0].PerS > 0) {
			t.Errorf("%s: %+v", machine, list)
		}
	}
	if len(all) != 2 {
		t.Errorf("peaks of %d machines", len(all))
	}
}

// A doctor is brought to another host and looks at it. What equal runs there tell is kept here for comparisons of its
// results: they are made in the large size.
func TestViaDoctor(t *testing.T) {
	t.Parallel()
	kernel := e2e.ViaKernel(t, t.TempDir())[:4]
	far := t.TempDir()
	port, login := sshServer(t, "ZONEMARK_HOME="+far)
	variables := []string{"ZONEMARK_HOME=" + t.TempDir()}
	elsewhere := func(args ...string) string {
		t.Helper()
		return runsAt(t, cli.ExitOK, variables, append(args, "--via", login+strconv.Itoa(port), "-q")...)
	}
	trial := []string{"0", "2s"}[testsize.Of(0, 1)]
	said := elsewhere("doctor", "--trial", trial, "--watch", "100ms", "--format", "ndjson")
	if strings.Count(said, `{"kind":"finding"`) < 10 || strings.Count(said, `{"kind":"trial"`) != testsize.Of(0, 1) {
		t.Errorf("it says:\n%s", said)
	}
	if list, err := os.ReadDir(filepath.Join(far, "remote", "bin")); err != nil || len(list) != 1 {
		t.Errorf("zonemark was not brought there: %v, %v", list, err)
	}
	if testsize.Large() {
		comparesTrial(t, variables, func(journal string) {
			elsewhere(append(kernel, "--param", "n=64", "--launches", "1", "--max-time", "5ms", "-o", journal)...)
		})
	}
	for via, want := range map[string]string{
		"false": "false ended with exit status 1",
		"env '": "a quote (') is not closed",
	} {
		if said := runsAt(t, 1, variables, "doctor", "--time", "0", "-q", "--via", via); !strings.Contains(said, want) {
			t.Errorf("--via %s says:\n%s\nwant %q", via, said, want)
		}
	}
	said = runsAt(t, 1, variables, "doctor", "--via", "env", "--via", "nice")
	if !strings.Contains(said, "start it once for each") {
		t.Errorf("two hosts:\n%s", said)
	}
}

// comparesTrial has equal runs measured into two journals. What compare says of them quotes a trial.
func comparesTrial(t *testing.T, variables []string, measure func(journal string)) {
	t.Helper()
	folder := t.TempDir()
	journals := []string{filepath.Join(folder, "old"), filepath.Join(folder, "new")}
	for _, journal := range journals {
		measure(journal)
	}
	cmd := e2e.Command(t, append([]string{"compare"}, journals...)...)
	cmd.Env = append(cmd.Env, variables...)
	out, _ := cmd.CombinedOutput() // whether the two differ does not matter
	if !strings.Contains(string(out), "(zonemark doctor, ") {
		t.Errorf("compare says:\n%s", out)
	}
}
