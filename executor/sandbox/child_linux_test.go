//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"zonemark/executor/sandbox/signals"
	"zonemark/invocations/testneeds"
)

// No test confines its own process: this binary runs itself again, as the confined child, or as a parent of one under
// another user.
const (
	// roleVariable is "child", "parent", "network" (a parent whose network the child shares) or "start".
	roleVariable = "SANDBOX_TEST_ROLE"
	specVariable = "SANDBOX_TEST_SPEC" // a spec in JSON
)

// spec describes the child that a test wants.
type spec struct {
	Options      Options
	Without      []Layer // as if the machine lacked these
	NoUser       bool    // other namespaces without a user namespace, as for root where user namespaces are off
	UID          int     // user of the parent that starts the child; 0 for this process's
	Library      string  // native code, loaded between Enter and Seal
	NoSeal       bool
	Signal       int    // by which a process in role "signal" ends
	Network      bool   // the child shares a private network with its parent
	Outside      string // folder that the child must not write
	InTemporary  string // new file right below /tmp
	ForeignFile  string // file of another user with mode 0600
	Environment  []string
	Exhausted    []Layer // namespaces of which the parent may make none, as if an administrator forbade them
	UserLink     string  // the test's user namespace; with Exhausted, the parent is in another one
	WithoutOrder bool    // no Configure: the child gets only the environment
}

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	var s spec
	err := json.Unmarshal([]byte(os.Getenv(specVariable)), &s)
	switch {
	case err != nil:
	case role == "child":
		err = runChild(s)
	case role == "start":
		err = runStart()
	case role == "signal":
		err = signals.End(syscall.Signal(s.Signal))
	case role == "network":
		runtime.LockOSThread()
		if s.Options.SharedNet, err = EnterNetwork(); err == nil {
			err = runParent(s)
		}
	case s.Network:
		err = runNetwork(s)
	default:
		err = runParent(s)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(90)
	}
	os.Exit(0)
}

// command returns the command of the child that s describes, not started.
func (s spec) command() (*exec.Cmd, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Dir = s.Options.Scratch
	// The tests may have a cache of their own; what a child sees of one is the sandbox's.
	own := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "XDG_CACHE_HOME=") })
	cmd.Env = append(own, append(s.Environment, roleVariable+"=child", specVariable+"="+string(text))...)
	if s.WithoutOrder {
		return cmd, nil
	}
	support := Probe()
	if s.NoUser {
		support = Support{
			Layers:  []Layer{LayerRlimit, LayerNoNewPrivs, LayerLandlock, LayerSeccomp},
			Missing: map[Layer]string{},
		}
		probeNamespaces(&support, nil)
	}
	for _, l := range s.Without {
		support = support.Without(l, "switched off by the test")
	}
	return cmd, Configure(cmd, s.Options, support)
}

// runParent starts the child that s describes with its own standard streams, so that a test can kill the parent.
func runParent(s spec) error {
	runtime.LockOSThread()
	for _, l := range s.Exhausted {
		if err := forbid(l, s.UserLink); err != nil {
			return err
		}
	}
	cmd, err := s.command()
	if err != nil {
		return err
	}
	return runHere(cmd)
}

// runNetwork starts a parent with a private network.
func runNetwork(s spec) error {
	runtime.LockOSThread()
	cmd, err := s.parentCommand()
	if err != nil {
		return err
	}
	cmd.Env = append(cmd.Env, roleVariable+"=network")
	if err := ConfigureNetwork(cmd, Probe()); err != nil {
		return err
	}
	return runHere(cmd)
}

// runHere runs a command with the standard streams of this process.
func runHere(cmd *exec.Cmd) error {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Wait()
}

// forbid sets the number of namespaces that this process's user namespace may make to zero. The setting belongs to the
// user namespace, so forbid refuses to change the test's own.
func forbid(l Layer, testsUserNamespace string) error {
	if err := ownNamespace(LayerUser, testsUserNamespace); err != nil {
		return fmt.Errorf("refusing to change a setting of the machine: %w", err)
	}
	kind := map[Layer]string{LayerUser: "user", LayerMount: "mnt", LayerNet: "net", LayerIPC: "ipc"}[l]
	return os.WriteFile("/proc/sys/user/max_"+kind+"_namespaces", []byte("0"), 0)
}

// child is a started child that answers actions, one a line.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
	State  childState
}

// start runs the child that s describes until it is sealed. The child ends with the test.
func start(t testing.TB, s spec) *child {
	t.Helper()
	c, err := tryStart(t, s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// tryStart starts a child that may fail; it then returns the reason.
func tryStart(t testing.TB, s spec) (*child, error) {
	t.Helper()
	describe := s.command
	if s.UID != 0 || s.Network {
		describe = s.parentCommand
	}
	cmd, err := describe()
	if err != nil {
		return nil, err
	}
	return launch(t, cmd)
}

// launch runs a command that is a child, or the parent of one, and reads the child's state.
func launch(t testing.TB, cmd *exec.Cmd) (*child, error) {
	c := &child{cmd: cmd}
	cmd.Stderr = &c.stderr
	var err error
	if c.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	runtime.LockOSThread()
	if err := cmd.Start(); err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	t.Cleanup(func() {
		c.in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		runtime.UnlockOSThread()
	})
	c.out = bufio.NewReader(out)
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		waitErr := cmd.Wait()
		return nil, fmt.Errorf("the child ended before it was ready: %w (%v)\n%s", err, waitErr, c.stderr.String())
	}
	return c, json.Unmarshal(line, &c.State)
}

// parentCommand returns a process of another user that starts the child that s describes.
func (s spec) parentCommand() (*exec.Cmd, error) {
	uid := uint32(s.UID)
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Dir = s.Options.Scratch
	cmd.Env = append(os.Environ(), roleVariable+"=parent", specVariable+"="+string(text))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if len(s.Exhausted) > 0 {
		ids := idRanges{users: []idRange{{0, 1}}, groups: []idRange{{0, 1}}}
		setNamespaces(cmd.SysProcAttr, unix.CLONE_NEWUSER, ids)
	}
	if s.UID != os.Getuid() {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uid, Gid: uid}
	}
	return cmd, nil
}

// do has the child perform an action and returns the outcome: "ok", a number, or the name of an errno.
func (c *child) do(t testing.TB, action string) string {
	t.Helper()
	outcome, err := c.try(action)
	if err != nil {
		t.Fatalf("action %s: %v; %s", action, err, c.stderr.String())
	}
	return outcome
}

func (c *child) try(action string) (string, error) {
	if _, err := io.WriteString(c.in, action+"\n"); err != nil {
		return "", err
	}
	line, err := c.out.ReadString('\n')
	return strings.TrimSpace(line), err
}

// crash has the child perform an action that ends it, and returns how it ended.
func (c *child) crash(t testing.TB, action string) syscall.WaitStatus {
	t.Helper()
	if outcome, err := c.try(action); err == nil {
		t.Fatalf("action %s: the child survived and answered %q", action, outcome)
	}
	var exit *exec.ExitError
	if err := c.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.cmd.ProcessState.Sys().(syscall.WaitStatus)
}

// workplace holds what a test gives its child: folders that another user can enter, and native code.
type workplace struct{ scratch, outside, library, foreign string }

// newWorkplace makes a workplace below the temporary folder, where artifacts often are. Its scratch folder belongs to
// the user.
func newWorkplace(t testing.TB, uid int) workplace {
	t.Helper()
	dir, err := os.MkdirTemp("", "zonemark-sandbox-") // not t.TempDir: other users cannot enter its folders
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		os.RemoveAll(dir)
		os.Remove(dir + ".new") // of the action "write system temporary", if it ever works
	})
	w := workplace{
		scratch: filepath.Join(dir, "scratch"),
		outside: filepath.Join(dir, "outside"),
		library: filepath.Join(dir, "native.so"),
		foreign: filepath.Join(dir, "foreign"),
	}
	for _, err := range []error{
		os.Chmod(dir, 0o755), os.Mkdir(w.scratch, 0o755), os.Mkdir(w.outside, 0o777), os.Chmod(w.outside, 0o777),
		os.WriteFile(w.library, compiledLibrary(t), 0o755),
		os.WriteFile(w.foreign, []byte("secret of user 12345"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if os.Getuid() == 0 {
		if err := errors.Join(os.Chown(w.scratch, uid, uid), os.Chown(w.foreign, 12345, 12345)); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// spec returns a child with every layer that works in this workplace.
func (w workplace) spec(uid int) spec {
	return spec{
		Options: Options{
			Mode:        Auto,
			Scratch:     w.scratch,
			MemoryBytes: 640 << 20,
			FileBytes:   1 << 20,
			OpenFiles:   2048,
		},
		UID:         uid,
		Library:     w.library,
		Outside:     w.outside,
		ForeignFile: w.foreign,
	}
}

var compileOnce = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "zonemark-sandbox-cc-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	so := filepath.Join(dir, "native.so")
	arguments := []string{"-O1", "-shared", "-fPIC", "-o", so}
	for _, file := range []string{"native.c", "device.c", "connect.c"} {
		arguments = append(arguments, filepath.Join("testdata", file))
	}
	out, err := exec.Command("cc", append(arguments, "-lpthread")...).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("cc: %w\n%s", err, out)
	}
	return os.ReadFile(so)
})

func compiledLibrary(t testing.TB) []byte {
	t.Helper()
	code, err := compileOnce()
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// users returns the users under which the tests run the parent: the present one and, for root, one without any
// privilege.
func users() []int {
	if os.Getuid() == 0 {
		return []int{0, 65534}
	}
	return []int{os.Getuid()}
}

// machineHas skips a test on a machine that lacks a layer, which is no fault of the package. Under CI nothing is
// skipped.
func machineHas(t testing.TB, layers ...Layer) {
	t.Helper()
	s := Probe()
	for _, l := range layers {
		if !s.Has(l) {
			testneeds.Missing(t, fmt.Errorf("this machine lacks layer %s: %s", l, s.Missing[l]))
		}
	}
}

// errnoName returns "ok" for nil and the errno's name for a system call's error.
func errnoName(err error) string {
	var errno syscall.Errno
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &errno):
		return unix.ErrnoName(errno)
	}
	return err.Error()
}
