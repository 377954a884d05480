package hosts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/comparing"
	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/journal"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/testneeds"
	"zonemark/invocations/testsize"
)

// sshServer starts an ssh server that this user may log in to, and returns the command that does so, up to the port.
func sshServer(t *testing.T, variable string) (port int, login string) {
	t.Helper()
	server, err := exec.LookPath("/usr/sbin/sshd")
	if err != nil {
		testneeds.Missing(t, fmt.Errorf("%w (Debian: package openssh-server)", err))
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
	e2e.WaitFor(t, "the ssh server", func() bool {
		c, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err != nil {
			return false
		}
		return c.Close() == nil
	})
	return port, "ssh -F none -i " + filepath.Join(dir, "user") + " -o BatchMode=yes -o StrictHostKeyChecking=no " +
		"-o UserKnownHostsFile=/dev/null -o LogLevel=ERROR 127.0.0.1 -p "
}

// sharedHome returns the variable of a cache that tests share, so that zonemark is brought there once: each time, it is
// hashed on both sides, and copied. TestViaSSH and others bring it to a cache of their own.
func sharedHome(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(e2e.Shared(), "home")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	return "ZONEMARK_HOME=" + folder
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
	args := append(e2e.ViaKernel(t, here), "--via", login+cable.port())
	r := e2e.StartVia(t, nil, args...)
	r.AwaitResults(2)
	cable.sever(false)
	r.AwaitResults(6)
	cable.sever(true)
	if status := r.Wait(); status != 1 {
		t.Errorf("status %d:\n%s", status, &r.Stderr)
	}
	for _, want := range []string{"is back", "--via", "-p " + cable.port(), "ssh ended with exit status 255", "--resume"} {
		if !strings.Contains(r.Stderr.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, &r.Stderr)
		}
	}
	left := r.Results()
	cable.sever(false)
	r.Again(nil, append(args, "--resume")...)
	if status := r.Wait(); status != 0 {
		t.Errorf("status %d:\n%s", status, &r.Stderr)
	}
	if hosts := r.Complete(); len(hosts) != 1 || left < 6 || left >= e2e.ViaInvocations {
		t.Errorf("results by host: %v, %d of the first run", hosts, left)
	}
	sessions := filepath.Join(home, "remote", "sessions")
	e2e.WaitFor(t, "the end of the hosts", func() bool {
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
	args := e2e.ViaKernel(t, t.TempDir())
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

// What is compared while it is measured takes turns on a host, too. Which side is faster beside other tests is not
// asked: one pair in twenty of equal sides may differ.
func TestViaCompare(t *testing.T) {
	t.Parallel()
	args := e2e.ViaKernel(t, t.TempDir())
	cmd := e2e.Command(t, "compare", "--measure", args[1], args[1], args[2], args[3], "--param", "n=64", "--via", "env",
		"--margin", "0.9", "--min-time", "10ms", "--max-time", "20s", "--format", "ndjson", "--undecided-ok", "-q")
	cmd.Env = append(cmd.Env, sharedHome(t))
	out, err := cmd.Output()
	var row struct {
		Verdict string
		Ratio   float64
		Pairs   int
	}
	if cmd.ProcessState.ExitCode() == comparing.ExitRegression {
		err = nil
	}
	if err == nil {
		err = json.Unmarshal(out, &row)
	}
	if err != nil || row.Pairs < 2 || !(row.Ratio > 0) || row.Verdict == "" {
		t.Errorf("%v, %+v:\n%s", err, row, out)
	}
}

// Two hosts share six hundred invocations, or a thousand in the large size, of which one in a hundred crashes, each in
// another way: each has exactly the result that it has here.
func TestViaStorm(t *testing.T) {
	t.Parallel()
	last := testsize.Of(599, 999)
	r := e2e.StartVia(t, []string{sharedHome(t)}, "run", e2e.StormSuite(t, last), "--format", "bmf", "-q",
		"--via", "env", "--via", "nice -n 1")
	if status := r.Wait(); status != cli.ExitNotOK {
		t.Fatalf("status %d, want %d\n%s", status, cli.ExitNotOK, &r.Stderr)
	}
	e2e.CheckStorm(t, r.Journal, last)
}

// An executor on a host has the layers of the sandbox that one of this machine has.
func TestViaSandbox(t *testing.T) {
	t.Parallel()
	suite := e2e.StormSuite(t, 0)
	var layers []string
	for _, via := range [][]string{nil, {"--via", "env"}} {
		r := e2e.StartVia(t, []string{sharedHome(t)}, append([]string{"run", suite, "-q"}, via...)...)
		if status := r.Wait(); status != 0 {
			t.Fatalf("status %d\n%s", status, &r.Stderr)
		}
		j, err := journal.ReadFile(r.Journal)
		if err != nil {
			t.Fatal(err)
		}
		layers = append(layers, strings.Join(recordstest.At(t, j.Records, 0).Layers, " "))
	}
	if layers[0] == "" || layers[0] != layers[1] {
		t.Errorf("layers %q", layers)
	}
}
