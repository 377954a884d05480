package hosts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/cmd/zonemark/internal/slurmtest"
	"zonemark/driver"
	"zonemark/invocations"
)

// viaKernel writes a function of C, and returns the words that have it measured many times, each for a tenth of a second.
func viaKernel(t *testing.T, folder string) []string {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	path := filepath.Join(folder, "kernel.c")
	text := "void scale(long n, float x[n]) { for (long i = 0; i < n; i++) x[i] *= 0.5f; }\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return []string{"run", path, "--function", "void scale(long n, float x[n])", "--launches", "1", "--min-time", "100ms",
		"--max-time", "100ms", "--precision", "0", "--param", "n=" + numbers(viaInvocations)}
}

const viaInvocations = 36

func numbers(count int) string {
	var list []string
	for n := range count {
		list = append(list, strconv.Itoa(n+1))
	}
	return strings.Join(list, ",")
}

// viaRun is a run in progress.
type viaRun struct {
	t       *testing.T
	cmd     *exec.Cmd
	journal string
	stderr  bytes.Buffer
}

// startVia starts zonemark with a journal, in a group of its own.
func startVia(t *testing.T, variables []string, args ...string) *viaRun {
	t.Helper()
	r := &viaRun{t: t, journal: filepath.Join(t.TempDir(), "journal.ndjson")}
	r.again(variables, args...)
	return r
}

// again starts zonemark with the journal of an earlier run.
func (r *viaRun) again(variables []string, args ...string) {
	r.t.Helper()
	r.stderr.Reset()
	r.cmd = e2e.Command(r.t, append(args, "-o", r.journal)...)
	r.cmd.Env = append(r.cmd.Env, variables...)
	r.cmd.Stdout, r.cmd.Stderr = io.Discard, &r.stderr
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := r.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = r.cmd.Process.Kill() }) // it may have ended
}

// results returns how many results the journal has.
func (r *viaRun) results() int {
	text, err := os.ReadFile(r.journal)
	if err != nil {
		return 0
	}
	return bytes.Count(text, []byte(`"kind":"result"`))
}

// awaitResults waits for so many results.
func (r *viaRun) awaitResults(count int) {
	r.t.Helper()
	e2e.WaitFor(r.t, "results", time.Minute, func() bool { return r.results() >= count })
	if r.results() >= viaInvocations {
		r.t.Fatalf("nothing is left to be measured:\n%s", &r.stderr)
	}
}

// wait waits for the end and returns the exit status.
func (r *viaRun) wait() int {
	r.t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- r.cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		r.t.Fatalf("it does not end:\n%s", &r.stderr)
	}
	return r.cmd.ProcessState.ExitCode()
}

// complete checks that every invocation has one result, and returns the number of results by host.
func (r *viaRun) complete() map[string]int {
	r.t.Helper()
	j, err := driver.ReadJournalFile(r.journal)
	if err != nil {
		r.t.Fatal(err)
	}
	if j.Records.Len() != viaInvocations || len(j.Duplicates) > 0 || r.results() != viaInvocations {
		r.t.Errorf("%d results, and %d lines, of %d invocations; several: %v\n%s", j.Records.Len(), r.results(), viaInvocations,
			j.Duplicates, &r.stderr)
	}
	hosts := map[string]int{}
	for _, record := range j.Records.All() {
		hosts[record.Host]++
		if record.Status != invocations.OK || !strings.Contains(record.Machine, "; ") {
			r.t.Errorf("%s: %s %s, machine %q", record.Name, record.Status, record.Error, record.Machine)
		}
	}
	return hosts
}

// Three real nodes share a run. One is drained meanwhile, and another loses its power: every result is there once, and
// what the lost node had is measured by others.
func TestViaSlurm(t *testing.T) {
	t.Parallel()
	c := slurmtest.Start(t)
	args := viaKernel(t, t.TempDir())
	for _, node := range slurmtest.Nodes {
		args = append(args, "--via", "srun -u -N1 -w "+node)
	}
	home := t.TempDir()
	r := startVia(t, []string{c.Environment(), "ZONEMARK_HOME=" + home}, args...)
	r.awaitResults(4)
	c.Drain("n2")
	c.Kill("n3")
	if status := r.wait(); status != 0 {
		t.Errorf("status %d:\n%s", status, &r.stderr)
	}
	hosts := r.complete()
	if hosts["n1"] == 0 || hosts["n2"] == 0 || hosts["n1"]+hosts["n2"]+hosts["n3"] != viaInvocations {
		t.Errorf("results by host: %v", hosts)
	}
	if !strings.Contains(r.stderr.String(), "host n3") {
		t.Errorf("nothing is said of n3:\n%s", &r.stderr)
	}
	// A job is "completing" for a while when srun has ended.
	e2e.WaitFor(t, "the end of the jobs on n1 and n2", 20*time.Second, func() bool {
		left := c.Output("squeue", "-h")
		return !strings.Contains(left, " n1") && !strings.Contains(left, " n2")
	})
}

// sshServer starts an ssh server that this user may log in to, and returns the command that does so, up to the port.
func sshServer(t *testing.T, variable string) (port int, login string) {
	t.Helper()
	server, err := exec.LookPath("/usr/sbin/sshd")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("%v (Debian: package openssh-server)", err)
	}
	if os.Getuid() == 0 {
		serverFolder.use(t)
	}
	dir := t.TempDir()
	for _, key := range []string{"host", "user"} {
		out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, key)).CombinedOutput()
		if err != nil {
			t.Fatalf("ssh-keygen: %v\n%s", err, out)
		}
	}
	port = freePort(t)
	config := filepath.Join(dir, "sshd_config")
	text := "ListenAddress 127.0.0.1:" + strconv.Itoa(port) + "\nHostKey " + filepath.Join(dir, "host") +
		"\nAuthorizedKeysFile " + filepath.Join(dir, "user.pub") + "\nStrictModes no\nPasswordAuthentication no\n" +
		"PermitRootLogin yes\nPidFile none\nSetEnv \"" + variable + "\"\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(server, "-D", "-e", "-f", config)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		if t.Failed() {
			t.Logf("the ssh server says:\n%s", &said)
		}
	})
	e2e.WaitFor(t, "the ssh server", 20*time.Second, func() bool {
		c, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err != nil {
			return false
		}
		return c.Close() == nil
	})
	return port, "ssh -F none -i " + filepath.Join(dir, "user") + " -o BatchMode=yes -o StrictHostKeyChecking=no " +
		"-o UserKnownHostsFile=/dev/null -o LogLevel=ERROR 127.0.0.1 -p "
}

// serverFolder is the folder that an ssh server of root wants, and that its service makes. Tests at the same time share it.
var serverFolder folderOfServers

type folderOfServers struct {
	mu    sync.Mutex
	users int
	made  bool // by a test
}

// use has the folder there until the test ends.
func (f *folderOfServers) use(t *testing.T) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := os.Mkdir("/run/sshd", 0o755); err == nil {
		f.made = true
	} else if !errors.Is(err, os.ErrExist) {
		t.Fatal(err)
	}
	f.users++
	t.Cleanup(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.users--; f.users == 0 && f.made {
			_ = os.Remove("/run/sshd") // its service may use it by now
			f.made = false
		}
	})
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// cable leads to a port, and can be cut.
type cable struct {
	listener net.Listener
	to       string

	mu   sync.Mutex
	cut  bool
	ends []net.Conn
}

func newCable(t *testing.T, port int) *cable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{listener: l, to: "127.0.0.1:" + strconv.Itoa(port)}
	t.Cleanup(func() { _ = l.Close() }) // it is only read
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			c.lead(near)
		}
	}()
	return c
}

func (c *cable) lead(near net.Conn) {
	far, err := net.Dial("tcp", c.to)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil || c.cut {
		_ = near.Close() // the client notices
		if err == nil {
			_ = far.Close() // the server would wait two minutes for a login
		}
		return
	}
	c.ends = append(c.ends, near, far)
	for _, pair := range [][2]net.Conn{{near, far}, {far, near}} {
		go func() {
			_, _ = io.Copy(pair[0], pair[1]) // it ends when the cable is cut
			_ = pair[0].Close()
		}()
	}
}

func (c *cable) port() string {
	_, port, _ := net.SplitHostPort(c.listener.Addr().String())
	return port
}

// sever cuts the connections. With for ever set, no later one is made.
func (c *cable) sever(forEver bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = forEver
	for _, end := range c.ends {
		_ = end.Close() // who reads notices
	}
	c.ends = nil
}

// A connection that is cut is made again, and every result is there once. If it cannot be made again, the run says so,
// and can be continued. No process is left on the other side. The names of folders there are odd.
func TestViaSSH(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "it's a $HOME; `odd` place")
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatal(err)
	}
	port, login := sshServer(t, "ZONEMARK_HOME="+home)
	cable := newCable(t, port)
	here := filepath.Join(t.TempDir(), "kernels of 'mine' & \"yours\"")
	if err := os.Mkdir(here, 0o755); err != nil {
		t.Fatal(err)
	}
	args := append(viaKernel(t, here), "--via", login+cable.port())
	r := startVia(t, nil, args...)
	r.awaitResults(2)
	cable.sever(false)
	r.awaitResults(6)
	cable.sever(true)
	if status := r.wait(); status != 1 {
		t.Errorf("status %d:\n%s", status, &r.stderr)
	}
	for _, want := range []string{"is back", "--via", "-p " + cable.port(), "ssh ended with exit status 255", "--resume"} {
		if !strings.Contains(r.stderr.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, &r.stderr)
		}
	}
	left := r.results()
	cable.sever(false)
	r.again(nil, append(args, "--resume")...)
	if status := r.wait(); status != 0 {
		t.Errorf("status %d:\n%s", status, &r.stderr)
	}
	if hosts := r.complete(); len(hosts) != 1 || left < 6 || left >= viaInvocations {
		t.Errorf("results by host: %v, %d of the first run", hosts, left)
	}
	sessions := filepath.Join(home, "remote", "sessions")
	e2e.WaitFor(t, "the end of the hosts", 20*time.Second, func() bool {
		list, err := os.ReadDir(sessions)
		return err == nil && len(list) == 0
	})
	if list, err := os.ReadDir(filepath.Join(home, "remote", "bin")); err != nil || len(list) != 1 {
		t.Errorf("binaries: %v, %v", list, err)
	}
}

// A host that is not reached is one error, with the command and its last words; nothing is measured, no journal begun.
func TestViaUnreachable(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	args := viaKernel(t, t.TempDir())
	for _, c := range []struct{ via, want string }{
		{`sh -c "echo The gate is closed. >&2; exit 7"`, "sh ended with exit status 7); it wrote:\n  The gate is closed."},
		{"no-such-program", "executable file not found"},
		{"'", "a quote (') is not closed"},
	} {
		journal := filepath.Join(t.TempDir(), "j")
		r := e2e.Command(t, append(args, "--via", "env", "--via", c.via, "-o", journal)...)
		out, _ := r.CombinedOutput()
		if _, err := os.Stat(journal); err == nil || r.ProcessState.ExitCode() != 1 ||
			!strings.Contains(string(out), c.want) || !strings.Contains(string(out), "--via ") {
			t.Errorf("%s: status %d, want %q:\n%s", c.via, r.ProcessState.ExitCode(), c.want, out)
		}
	}
	if ctx.Err() != nil {
		t.Error("it took a minute")
	}
}

// What is compared while it is measured takes turns on a host, too.
func TestViaCompare(t *testing.T) {
	t.Parallel()
	args := viaKernel(t, t.TempDir())
	cmd := e2e.Command(t, "compare", "--measure", args[1], args[1], args[2], args[3], "--param", "n=64", "--via", "env",
		"--margin", "0.9", "--min-time", "10ms", "--max-time", "2s", "--format", "ndjson", "--undecided-ok", "-q")
	cmd.Env = append(cmd.Env, "ZONEMARK_HOME="+t.TempDir())
	out, err := cmd.Output()
	var row struct {
		Verdict string
		Ratio   float64
		Pairs   int
	}
	if err == nil {
		err = json.Unmarshal(out, &row)
	}
	if err != nil || row.Pairs < 2 || !(row.Ratio > 0) || row.Verdict == "" {
		t.Errorf("%v, %+v:\n%s", err, row, out)
	}
}

// Two hosts share a thousand invocations, of which ten crash in different ways: each has exactly the result that it has
// here.
func TestViaStorm(t *testing.T) {
	t.Parallel()
	const last = 999
	r := startVia(t, []string{"ZONEMARK_HOME=" + t.TempDir()}, "run", e2e.StormSuite(t, last), "--format", "bmf", "-q",
		"--via", "env", "--via", "nice -n 1")
	if status := r.wait(); status != cli.ExitNotOK {
		t.Fatalf("status %d, want %d\n%s", status, cli.ExitNotOK, &r.stderr)
	}
	e2e.CheckStorm(t, r.journal, last)
}

// An executor on a host has the layers of the sandbox that one of this machine has.
func TestViaSandbox(t *testing.T) {
	t.Parallel()
	suite := e2e.StormSuite(t, 0)
	var layers []string
	for _, via := range [][]string{nil, {"--via", "env"}} {
		r := startVia(t, []string{"ZONEMARK_HOME=" + t.TempDir()}, append([]string{"run", suite, "-q"}, via...)...)
		if status := r.wait(); status != 0 {
			t.Fatalf("status %d\n%s", status, &r.stderr)
		}
		j, err := driver.ReadJournalFile(r.journal)
		if err != nil {
			t.Fatal(err)
		}
		layers = append(layers, strings.Join(j.Records.At(0).Layers, " "))
	}
	if layers[0] == "" || layers[0] != layers[1] {
		t.Errorf("layers %q", layers)
	}
}
