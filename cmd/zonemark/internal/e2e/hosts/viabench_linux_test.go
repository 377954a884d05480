package hosts

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/bench"
	"zonemark/driver/setup"
	"zonemark/invocations/testsize"
)

// on returns records of hosts, and checks that each has figures and knows its host.
func on(t *testing.T, list []bench.RunRecord, modules int, hosts ...string) {
	t.Helper()
	if len(list) != len(hosts) {
		t.Fatalf("%d records of hosts %q", len(list), hosts)
	}
	for i, r := range list {
		e2e.CheckRecord(t, r, modules)
		if r.MachineName != hosts[i] || r.Zonemark.Environment["host"] != hosts[i] {
			t.Errorf("record %d is of %q and %q, want %q", i, r.MachineName, r.Zonemark.Environment["host"], hosts[i])
		}
		for _, m := range r.Zonemark.Modules {
			if m.Host != hosts[i] || !strings.HasPrefix(m.Machine, hosts[i]+"; ") {
				t.Errorf("%s is of %q, %q", m.Name, m.Host, m.Machine)
			}
		}
	}
}

// thisHost returns what hosts on this machine are called.
func thisHost(t *testing.T) string {
	t.Helper()
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	name, _, _ = strings.Cut(name, ".")
	return name
}

// A model is exported here and measured over ssh. The plugin, which lies where only this machine looks, and the export
// are brought there; variables of --env are set there; the record, the report and the exit status are those of bench.
func TestViaBench(t *testing.T) {
	e2e.PretendBench(t)
	home := t.TempDir()
	port, login := sshServer(t, "ZONEMARK_HOME="+home)
	via := []string{"--via", login + strconv.Itoa(port)}
	file := filepath.Join(t.TempDir(), "perf.json")
	out := e2e.Benchmarks(t, cli.ExitOK, append(via, "-m", "good", "-o", file, "--trace", "verbose")...)
	host := thisHost(t)
	for _, want := range []string{"1 of 3 chips; host " + host, "end to end: 5 repetitions of 5 iterations",
		"start bench on the host itself", "trace by modules", "the record is in " + file} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	on(t, e2e.Performance(t, file), 2, host)
	if list, err := filepath.Glob(filepath.Join(home, "remote", "files", "*", "*")); err != nil || len(list) < 6 {
		t.Errorf("the host keeps %q, %v", list, err)
	}
	if out := e2e.Benchmarks(t, cli.ExitNotOK, append(via, "-m", "wrong", "-q", "-o", file)...); !strings.Contains(out, "module cpu-pre") {
		t.Errorf("wrong outputs:\n%s", out)
	}
	if out := e2e.Benchmarks(t, cli.ExitNotOK, append(via, "-m", "crashing", "-q", "-o", file)...); !strings.Contains(out, "crashed") {
		t.Errorf("a crash:\n%s", out)
	}
	for _, r := range e2e.Performance(t, file)[1:] {
		if r.Error == "" || r.TotalTime != 0 || r.MachineName != host {
			t.Errorf("%q on %q: %v s", r.Error, r.MachineName, r.TotalTime)
		}
	}
}

// Each of several hosts measures the whole model: there is a record for each, and what they say of their difference.
func TestViaBenchSpread(t *testing.T) {
	e2e.PretendBench(t)
	both := []string{"--via", "env", "--via", "nice -n 1", "--spread", "-m", "good", "--repetitions", "3", "-q"}
	file := filepath.Join(t.TempDir(), "perf.json")
	out := e2e.Benchmarks(t, cli.ExitOK, append(both, "-o", file)...)
	host := thisHost(t)
	for _, want := range []string{"end to end, on each host: from the first input", "the hosts differ by",
		"3 chips; host " + host + "-2"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	list := e2e.Performance(t, file)
	on(t, list, 2, host, host+"-2")
	for _, r := range list {
		h := r.Zonemark.Hosts
		if h == nil || h.BetweenHostsNS == nil || len(h.Names) != 2 || r.Args.Repetitions != 3 {
			t.Fatalf("%d repetitions, hosts %+v", r.Args.Repetitions, h)
		}
		if i := r.Zonemark.Iteration; i.CILowNS < h.LowNS || i.CIHighNS > h.HighNS {
			t.Errorf("%+v is not within %+v", i, h)
		}
	}
	csv := e2e.Benchmarks(t, cli.ExitOK, append(both, "--format", "csv")...)
	if strings.Count(csv, "\n") != 3 || !strings.Contains(csv, host+" "+host+"-2") {
		t.Errorf("the modules are\n%s", csv)
	}
	if !testsize.Large() { // the list in JSON is that of the file
		return
	}
	var records []bench.RunRecord
	if err := json.Unmarshal([]byte(e2e.Benchmarks(t, cli.ExitOK, append(both, "--format", "json")...)), &records); err != nil {
		t.Fatal(err)
	}
	on(t, records, 2, host, host+"-2")
}

// A host that is not reached, and a plugin that is not there, leave a record with the reason, of no machine.
func TestViaBenchFails(t *testing.T) {
	plugin := e2e.PretendBench(t)
	file := filepath.Join(t.TempDir(), "perf.json")
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"--via", "sh -c 'echo no such host >&2; exit 7'"}, cli.ExitError, "no such host"},
		{[]string{"--via", "env", "--via", "false", "--spread"}, cli.ExitError, "false ended with exit status 1"},
		{[]string{"--via", "env", "--plugin", plugin + ".not"}, cli.ExitError, "there is no such file"},
		{[]string{"--via", "env", "--cpu", "100000"}, cli.ExitNotOK, "no such CPU"},
	} {
		out := e2e.Benchmarks(t, c.status, append(c.args, "-m", "good", "-q", "-o", file)...)
		if !strings.Contains(out, c.want) {
			t.Errorf("%q says:\n%s\nwant %q", c.args, out, c.want)
		}
	}
	list := e2e.Performance(t, file)
	if len(list) != 5 || list[0].MachineName != "" || list[0].Error == "" || list[3].MachineName != thisHost(t) {
		t.Errorf("%+v", list)
	}
}

// cutBench is a benchmark over a cable, in progress.
type cutBench struct {
	t     *testing.T
	cable *cable
	file  string // of its records
	cmd   *exec.Cmd
	said  string // a file
	ended chan struct{}
}

func startCutBench(t *testing.T, c *cable, login string, args ...string) *cutBench {
	t.Helper()
	b := &cutBench{t: t, cable: c, file: filepath.Join(t.TempDir(), "perf.json"), ended: make(chan struct{})}
	b.said = b.file + ".said"
	b.cmd = e2e.Command(t, append([]string{"bench", "-m", "good", "--repetitions", "2", "--via", login + c.port(),
		"-o", b.file}, args...)...)
	b.cmd.Env = e2e.Environment()
	out, err := os.Create(b.said)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	b.cmd.Stdout, b.cmd.Stderr = out, out
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = b.cmd.Wait() // the status tells
		close(b.ended)
	}()
	t.Cleanup(func() {
		_ = b.cmd.Process.Kill() // it may have ended
		<-b.ended
	})
	return b
}

// over reports whether the benchmark has ended.
func (b *cutBench) over() bool {
	select {
	case <-b.ended:
		return true
	default:
		return false
	}
}

// text returns what the benchmark has said so far.
func (b *cutBench) text() string {
	text, err := os.ReadFile(b.said)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// record waits for the end, and returns the record of a benchmark that ends with this status and says this.
func (b *cutBench) record(status int, want string) bench.RunRecord {
	b.t.Helper()
	select {
	case <-b.ended:
	case <-time.After(2 * time.Minute):
		_ = b.cmd.Process.Kill()
		<-b.ended
	}
	if got := b.cmd.ProcessState.ExitCode(); got != status || !strings.Contains(b.text(), want) {
		b.t.Fatalf("status %d, want %d and %q:\n%s", got, status, want, b.text())
	}
	return e2e.Performance(b.t, b.file)[0]
}

// measuresAnew reports whether a process measures with a file that was brought to a host with this home, and adds it to
// those that are known.
func measuresAnew(t *testing.T, home string, known map[int]bool) bool {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, process := range processes {
		pid, _ := strconv.Atoi(filepath.Base(process))
		line, _ := os.ReadFile(filepath.Join(process, "cmdline")) // it may have ended
		if known[pid] || !strings.Contains(string(line), "--role=measure") {
			continue
		}
		maps, _ := os.ReadFile(filepath.Join(process, "maps"))
		if strings.Contains(string(maps), filepath.Join(home, "remote", "sessions")) {
			known[pid] = true
			return true
		}
	}
	return false
}

// removeBelow removes the files of a name below a folder, and reports whether there was one.
func removeBelow(folder, name string) (removed bool) {
	_ = filepath.WalkDir(folder, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Name() == name {
			removed = os.Remove(path) == nil || removed
		}
		return nil // what has vanished meanwhile is passed over
	})
	return removed
}

// A connection that is cut is made again: while the model is exported, so that nothing runs there, and while it is
// measured. Where it is always cut, or cannot be made again, the record has the reason.
func TestViaBenchCut(t *testing.T) {
	e2e.PretendBench(t)
	home := t.TempDir()
	port, login := sshServer(t, "ZONEMARK_HOME="+home)
	models := filepath.Dir(os.Getenv(setup.ModelsPythonVariable))
	hold := filepath.Join(models, "hold")
	c := newCable(t, port)
	start := func(args ...string) *cutBench { // whose export takes until it is let go
		t.Helper()
		if err := os.WriteFile(hold, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return startCutBench(t, c, login, args...)
	}
	exporting := func() {
		t.Helper()
		e2e.WaitFor(t, "the export", func() bool { return removeBelow(os.Getenv("ZONEMARK_HOME"), e2e.Exporting) })
	}
	letGo := func() {
		t.Helper()
		if err := os.Remove(hold); err != nil {
			t.Fatal(err)
		}
	}
	b := start()
	exporting()
	c.sever(false)
	letGo()
	if r := b.record(cli.ExitOK, "connecting again"); r.Error != "" {
		t.Errorf("%q", r.Error)
	}
	// The model is another one now, and its seed makes another export of it.
	e2e.PretendModel(t, filepath.Join(models, "good"), "never completes", 1)
	b = start("--seed", "1")
	exporting()
	letGo()
	measured := map[int]bool{} // with the plugin, by these processes
	for losses := 0; !b.over(); losses++ {
		e2e.WaitFor(t, "a measurement", func() bool { return b.over() || measuresAnew(t, home, measured) })
		c.sever(false)
		e2e.WaitFor(t, "the loss", func() bool { return b.over() || strings.Count(b.text(), "is measured again") > losses })
	}
	if r := b.record(cli.ExitNotOK, "is back"); !strings.Contains(r.Error, "2 hosts were lost while it ran") {
		t.Errorf("%q", r.Error)
	}
	b = start("--seed", "2")
	exporting()
	c.sever(true)
	letGo()
	if r := b.record(cli.ExitError, "-p "+c.port()); !strings.Contains(r.Error, c.port()) || r.TotalTime != 0 {
		t.Errorf("%q, %v s", r.Error, r.TotalTime)
	}
	e2e.WaitFor(t, "the end of the hosts", func() bool {
		list, err := os.ReadDir(filepath.Join(home, "remote", "sessions"))
		return err == nil && len(list) == 0
	})
}
