//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"zonemark/invocations/remedy"
	"zonemark/invocations/testneeds"
)

// stopped are the outcomes with all layers together: what they stop, and what they must allow.
var stopped = map[string]string{
	"write outside": "EROFS", "write outside by threads": "EROFS", "write system temporary": "EROFS", "write scratch": "ok", "write working directory": "ok",
	"write temporary": "ok", "write null": "ok", "write device": "EACCES",
	"read artifact": "ok", "load library": "ok", "generate code": "ok",
	"socket inet": "EPERM", "socket unix": "EPERM", "socket packet": "EPERM", "socketpair": "ok",
	"connect outside": "EPERM", "connect loopback": "EPERM",
	"fork": "EPERM", "exec": "EPERM", "unshare": "EPERM", "ptrace": "EPERM", "mount": "EPERM", "make writable": "EPERM",
	"signal parent": "EPERM", "signal init": "EPERM", "signal group": "EPERM", "signal all": "EPERM",
	"tgkill parent": "EPERM",
	"pidfd signal":  "EPERM", "signal self": "ok", "tgkill self": "ok", "outlive parent": "EPERM",
	"raise core limit": "EPERM", "raise data limit": "EPERM", "read parent limits": "EPERM", "native run_threads": "8",
	// errno 1 is EPERM
	"native nice_parent": "1", "native nice_user": "1", "native bind_parent": "1", "native schedule_parent": "1",
	"native io_of_parent": "1", "native nice_itself": "0", "native bind_other_thread": "0", "native send_datagram": "1",
}

func TestWhatIsStopped(t *testing.T) {
	machineHas(t, AllLayers()...)
	const notTried = "not tried: no mount namespace of its own"
	tests := []struct {
		name string
		edit func(*spec)
		want map[string]string // that differ from stopped
	}{
		{"all layers", func(*spec) {}, nil},
		{"with a further writable folder", func(s *spec) {
			s.Options.ReadWrite = []string{s.Outside}
		}, map[string]string{"write outside": "ok", "write outside by threads": "ok"}},
		{"with sockets", func(s *spec) { s.Options.AllowInet = true }, map[string]string{
			"socket inet": "ok", "connect loopback": "ok", "connect outside": "ENETUNREACH"}},
		// Still no fork.
		{"with exec", func(s *spec) { s.Options.AllowExec = true }, map[string]string{
			"exec": "ENOENT", "native bind_other_thread": "1"}},
		{"with a shared network", func(s *spec) { s.Options.AllowInet, s.Network = true, true }, map[string]string{
			"socket inet": "ok", "connect loopback": "ok", "connect outside": "ENETUNREACH"}},
		{"without seccomp", func(s *spec) { s.Without = []Layer{LayerSeccomp} }, map[string]string{
			"socket inet": "ok", "socket unix": "ok", "socket packet": "ok",
			"connect outside": "ENETUNREACH", "connect loopback": "ENETUNREACH",
			"fork": "ok", "exec": "ENOENT", "unshare": "ok", "ptrace": "ESRCH",
			"signal group": "ok", "signal all": "ok", "outlive parent": "ok", "read parent limits": "ok",
			"native send_datagram": "0"}},
		{"without mount", func(s *spec) { s.Without = []Layer{LayerMount} }, map[string]string{
			"write outside": "EACCES", "write outside by threads": "EACCES", "write system temporary": "EACCES",
			"mount": notTried, "make writable": notTried}},
		{"with a writable device", func(s *spec) { s.Options.ReadWrite = []string{"/dev/zero"} }, map[string]string{
			"write device": "ok"}},
		{"without landlock", func(s *spec) { s.Without = []Layer{LayerLandlock} }, map[string]string{
			"write device": "ok"}},
		{"without user", func(s *spec) { s.Without = []Layer{LayerUser} }, map[string]string{
			"write outside": "EACCES", "write outside by threads": "EACCES", "write system temporary": "EACCES",
			"mount": notTried, "make writable": notTried}},
	}
	for _, uid := range users() {
		for _, test := range tests {
			t.Run(fmt.Sprintf("uid %d %s", uid, test.name), func(t *testing.T) {
				s := newWorkplace(t, uid).spec(uid)
				test.edit(&s)
				datagrams := listenForDatagrams(t, s)
				c := start(t, s)
				want := maps.Clone(stopped)
				maps.Copy(want, test.want)
				want["read foreign"] = "ok"       // root can still read everything
				if uid != 0 && os.Getuid() == 0 { // only root can make a file of another user
					want["read foreign"] = "EACCES"
				}
				if slices.Contains(s.Without, LayerSeccomp) && uid != 0 {
					for _, action := range []string{"nice_parent", "bind_parent", "schedule_parent", "io_of_parent"} {
						want["native "+action] = "0"
					}
					delete(want, "native nice_user") // it depends on what other processes this user has
				}
				if slices.Contains(s.Without, LayerSeccomp) && landlockScopesMissing(t) {
					for _, action := range []string{"signal parent", "signal init", "tgkill parent", "pidfd signal"} {
						want[action] = "ok"
					}
					if uid != 0 {
						want["signal init"] = "EPERM"
					}
				}
				got := map[string]string{}
				for _, action := range slices.Sorted(maps.Keys(want)) {
					got[action] = c.do(t, action)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("outcomes (-want +got):\n%s", diff)
				}
				checkState(t, s, c.State)
				if arrived := datagrams(); arrived != (want["native send_datagram"] == "0") {
					t.Errorf("a datagram has arrived outside: %v", arrived)
				}
			})
		}
	}
}

// What builds is in a namespace of processes in which /proc may be that of the machine: it cannot be mounted without a
// mount namespace, nor where a part of it is covered, as in containers. Each of its threads is confined all the same.
func TestThreadsOfBuilders(t *testing.T) {
	machineHas(t, AllLayers()...)
	s := newWorkplace(t, os.Getuid()).spec(os.Getuid())
	s.Options.Profile, s.Without, s.NoSeal = Build, []Layer{LayerMount}, true
	c := start(t, s)
	if got := c.do(t, "write outside by threads"); got != "EACCES" {
		t.Errorf("to write outside ends in %s", got)
	}
	if len(c.State.Capabilities) != 1 {
		t.Errorf("threads have capabilities %v", c.State.Capabilities)
	}
	if !slices.Contains(c.State.Active.Layers, LayerLandlock) || slices.Contains(c.State.Active.Layers, LayerPID) {
		t.Errorf("layers %v, missing %v", c.State.Active.Layers, c.State.Active.Missing)
	}
}

// listenForDatagrams opens a socket outside of the sandbox, beside the scratch folder. The function that it returns
// reports whether something has arrived.
func listenForDatagrams(t *testing.T, s spec) (arrived func() bool) {
	t.Helper()
	path := filepath.Join(filepath.Dir(s.Options.Scratch), "datagrams")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	if err := os.Chmod(path, 0o777); err != nil {
		t.Fatal(err)
	}
	connection, err := l.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	return func() (arrived bool) {
		// What was sent is there already. A deadline would not do: if it has passed when Read begins, Read does not look.
		if err := connection.Read(func(fd uintptr) bool {
			n, _, err := unix.Recvfrom(int(fd), make([]byte, 1), unix.MSG_DONTWAIT)
			arrived = n == 1 && err == nil
			return true
		}); err != nil {
			t.Fatal(err)
		}
		return arrived
	}
}

// landlockScopesMissing reports whether this kernel's Landlock cannot restrict signals.
func landlockScopesMissing(t *testing.T) bool {
	abi, err := landlockABI()
	if err != nil {
		t.Fatal(err)
	}
	return abi < 6
}

// checkState compares what the kernel reports about the child with what the child reports about itself.
func checkState(t *testing.T, s spec, got childState) {
	t.Helper()
	without := s.Without
	if slices.Contains(without, LayerUser) {
		without = append(slices.Clone(without), LayerMount, LayerNet, LayerIPC)
	}
	var want []Layer
	for _, l := range AllLayers() {
		if slices.Contains(without, l) {
			if got.Active.Missing[l] != "switched off by the test" {
				t.Errorf("layer %s is missing because %q", l, got.Active.Missing[l])
			}
		} else {
			want = append(want, l)
		}
	}
	if diff := cmp.Diff(want, got.Active.Layers); diff != "" {
		t.Errorf("layers (-want +got):\n%s\nmissing: %v", diff, got.Active.Missing)
	}
	if got.OwnMounts != slices.Contains(want, LayerMount) {
		t.Errorf("own mount namespace: %v, layers %v", got.OwnMounts, want)
	}
	if slices.Contains(want, LayerSeccomp) && len(got.Unconfined) > 0 {
		t.Errorf("threads without seccomp or no_new_privs: %v", got.Unconfined)
	}
	capabilities := "0000000000000000"
	if s.UID == 0 && os.Getuid() == 0 {
		capabilities = fmt.Sprintf("%016x", keptCapabilities)
	}
	if diff := cmp.Diff([]string{capabilities}, got.Capabilities); diff != "" {
		t.Errorf("capabilities of the threads (-want +got):\n%s", diff)
	}
	for name, limit := range map[string][2]unix.Rlimit{
		"core":       {got.CoreLimit, {}},
		"data":       {got.DataLimit, {Cur: 640 << 20, Max: 640 << 20}},
		"file size":  {got.FileLimit, {Cur: 1 << 20, Max: 1 << 20}},
		"open files": {got.FilesLimit, {Cur: 2048, Max: 2048}},
	} {
		if limit[0] != limit[1] {
			t.Errorf("limit of %s is %v instead of %v", name, limit[0], limit[1])
		}
	}
	if got.Temporary != filepath.Join(s.Options.Scratch, "tmp") {
		t.Errorf("temporary folder %s, scratch folder %s", got.Temporary, s.Options.Scratch)
	}
	if got.OrderLeft {
		t.Error("the order is still in the environment")
	}
	if got.UID != s.UID && s.UID != 0 {
		t.Errorf("the child is user %d instead of %d", got.UID, s.UID)
	}
}

// TestRootWithoutUserNamespace runs as root on a machine without user namespaces: the other namespaces still work, and
// root must lose the capabilities that it has everywhere.
func TestRootWithoutUserNamespace(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	machineHas(t, AllLayers()...)
	s := newWorkplace(t, 0).spec(0)
	s.NoUser = true
	s.Without = []Layer{LayerSeccomp, LayerLandlock}
	c := start(t, s)
	want := []Layer{LayerMount, LayerNet, LayerIPC, LayerRlimit, LayerNoNewPrivs}
	if diff := cmp.Diff(want, c.State.Active.Layers); diff != "" {
		t.Fatalf("layers (-want +got):\n%s%v", diff, c.State.Active.Missing)
	}
	for action, want := range map[string]string{
		"write outside": "EROFS", "write scratch": "ok", "mount": "EPERM", "make writable": "EPERM",
		"raise core limit": "EPERM", "raise data limit": "EPERM",
		"read foreign": "ok", "connect outside": "ENETUNREACH",
	} {
		if got := c.do(t, action); got != want {
			t.Errorf("%s: %s instead of %s", action, got, want)
		}
	}
}

// TestFewerNamespaces checks that, if an administrator allows no namespaces or not all kinds, the other layers are in
// force, and that the reason is the kernel's.
func TestFewerNamespaces(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to act as one in a user namespace")
	}
	machineHas(t, AllLayers()...)
	for _, exhausted := range [][]Layer{
		{LayerUser}, {LayerNet}, {LayerIPC}, {LayerMount, LayerNet}, {LayerUser, LayerMount, LayerNet, LayerIPC},
	} {
		t.Run(fmt.Sprint(exhausted), func(t *testing.T) {
			s := newWorkplace(t, 0).spec(0)
			s.Exhausted, s.UserLink = exhausted, namespaceLinks()[LayerUser]
			cmd, err := s.parentCommand()
			if err != nil {
				t.Fatal(err)
			}
			c, err := launch(t, cmd)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range AllLayers() {
				reason, missing := c.State.Active.Missing[l]
				if missing != slices.Contains(exhausted, l) || missing && reason != "clone: no space left on device" {
					t.Errorf("layer %s: missing %v, reason %q", l, missing, reason)
				}
			}
			for _, action := range []string{
				"write outside", "socket inet", "fork", "raise core limit", "signal parent",
			} {
				if got := c.do(t, action); got == "ok" {
					t.Errorf("%s: %s", action, got)
				}
			}
		})
	}
}

func TestOff(t *testing.T) {
	s := newWorkplace(t, 0).spec(0)
	s.Options.Mode = Off
	c := start(t, s)
	if len(c.State.Active.Layers) != 0 || len(c.State.Active.Missing) != len(AllLayers()) || c.State.OwnMounts {
		t.Errorf("mode off: %+v", c.State.Active)
	}
	for _, action := range []string{"write outside", "socket inet", "fork", "unshare", "signal parent"} {
		if got := c.do(t, action); got != "ok" {
			t.Errorf("%s: %s", action, got)
		}
	}
}

// TestPrivateTemporary uses a scratch folder that is not below /tmp. The child can write to /tmp, no other process sees
// what it writes, and the files there stay readable; but if folders are hidden, only if one of them may be read.
func TestPrivateTemporary(t *testing.T) {
	machineHas(t, AllLayers()...)
	const elsewhere = "/var/tmp"
	real, err := filepath.EvalSymlinks(elsewhere)
	if err != nil || real != elsewhere || os.TempDir() != systemTemporary {
		t.Skipf("no place beside %s for the scratch folder", systemTemporary)
	}
	for _, uid := range users() {
		for _, c := range []struct{ hides, named bool }{{false, false}, {true, false}, {true, true}} {
			scratch, err := os.MkdirTemp(elsewhere, "zonemark-sandbox-")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(scratch) })
			if err := os.Chown(scratch, uid, uid); os.Getuid() == 0 && err != nil {
				t.Fatal(err)
			}
			s := newWorkplace(t, uid).spec(uid)
			s.Options.Scratch, s.InTemporary = scratch, filepath.Join(systemTemporary, filepath.Base(scratch))
			inTemporary := "read " + s.Library
			want := map[string]string{"write /tmp": "ok", inTemporary: "ok", "write scratch": "ok", "load library": "ok"}
			if c.hides {
				s.Options.Hidden = []string{"/root", "/home"}
			}
			if c.named {
				s.Options.Read = []string{s.Library}
			} else if c.hides {
				want[inTemporary] = "ENOENT"
				s.Library = filepath.Join(scratch, "native.so")
				if err := os.WriteFile(s.Library, compiledLibrary(t), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			checkPrivateTemporary(t, s, want)
		}
	}
}

// checkPrivateTemporary checks what a child can do, and that nobody sees what it has written to /tmp.
func checkPrivateTemporary(t *testing.T, s spec, want map[string]string) {
	t.Helper()
	child := start(t, s)
	if !strings.Contains(child.State.MountTable, " /tmp ") {
		testneeds.Missing(t, errors.New("this kernel does not stack file systems in a user namespace"))
	}
	got := map[string]string{}
	for action := range want {
		got[action] = child.do(t, action)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("uid %d, hidden %v, read %v (-want +got):\n%s", s.UID, s.Options.Hidden, s.Options.Read, diff)
	}
	if _, err := os.Lstat(s.InTemporary); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("uid %d: what the child wrote to /tmp is seen outside: %v", s.UID, err)
	}
}

func TestRequire(t *testing.T) {
	machineHas(t, AllLayers()...)
	for _, uid := range users() {
		s := newWorkplace(t, uid).spec(uid)
		s.Options.Mode = Require
		if c := start(t, s); !slices.Equal(c.State.Active.Layers, AllLayers()) {
			t.Errorf("uid %d: layers %v, missing %v", uid, c.State.Active.Layers, c.State.Active.Missing)
		}
	}
	for _, l := range AllLayers() {
		s := newWorkplace(t, 0).spec(0)
		s.Options.Mode, s.Without = Require, []Layer{l}
		_, err := s.command()
		var missing *MissingError
		if !errors.As(err, &missing) ||
			!strings.Contains(err.Error(), "layer "+string(l)+" is missing (switched off by the test)") ||
			!strings.Contains(remedy.Told(err, nil), "; choose sandbox auto") || !strings.Contains(err.Error(), wayTo(l)) {
			t.Errorf("without %s: %v", l, err)
		}
	}
}

// TestRequireFailsInTheChild checks a layer that fails in the child although the parent's probe succeeded: the child is
// started without namespaces.
func TestRequireFailsInTheChild(t *testing.T) {
	s := newWorkplace(t, 0).spec(0)
	s.WithoutOrder = true
	s.Environment = plainOrder(t, s.Options, Require, namespaceLinks()[LayerMount])
	_, err := tryStart(t, s)
	if err == nil || !strings.Contains(err.Error(), "layer mount is missing (refusing to mount") {
		t.Errorf("got %v", err)
	}
}

// plainOrder returns the environment of a child that is not started in namespaces of its own.
func plainOrder(t *testing.T, o Options, m Mode, parentMount string) []string {
	t.Helper()
	o.Mode = m
	entry, err := order{Options: o, ParentPID: os.Getpid(), Namespaces: namespaceLinks()}.encode()
	if err != nil {
		t.Fatal(err)
	}
	return []string{entry, parentMountVariable + "=" + parentMount}
}

// TestRefusesToMountOutside checks that a child never mounts if it is in its parent's mount namespace, or cannot know
// whether it is.
func TestRefusesToMountOutside(t *testing.T) {
	own := namespaceLinks()[LayerMount]
	before, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	for _, parent := range []string{"", own, "nonsense", "net:[1]", "mnt:[" + "12"} {
		if err := ownNamespace(LayerMount, parent); err == nil {
			t.Fatalf("parent %q: the guard lets this process mount", parent)
		}
		s := newWorkplace(t, 0).spec(0)
		s.WithoutOrder = true
		s.Environment = plainOrder(t, s.Options, Auto, parent)
		c := start(t, s)
		if reason := c.State.Active.Missing[LayerMount]; !strings.HasPrefix(reason, "refusing to mount") {
			t.Errorf("parent %q: layers %v, mount: %q", parent, c.State.Active.Layers, reason)
		}
		if c.State.MountTable != string(before) {
			t.Errorf("parent %q: the mounts have changed", parent)
		}
		for _, l := range []Layer{LayerRlimit, LayerNoNewPrivs, LayerLandlock, LayerSeccomp} {
			if Probe().Has(l) && !slices.Contains(c.State.Active.Layers, l) {
				t.Errorf("parent %q: layer %s is missing: %s", parent, l, c.State.Active.Missing[l])
			}
		}
	}
}

// TestEnterWithoutOrder checks that without an order nothing is confined, and that the child reports it.
func TestEnterWithoutOrder(t *testing.T) {
	s := newWorkplace(t, 0).spec(0)
	s.WithoutOrder = true
	c := start(t, s)
	if len(c.State.Active.Layers) != 0 || c.State.Active.Missing[LayerSeccomp] != "no parent asked for a sandbox" {
		t.Errorf("%+v", c.State.Active)
	}
}

// TestMountsDoNotLeak checks that the child's mounts are its own: outside, all mounts are as before and as writable as
// before.
func TestMountsDoNotLeak(t *testing.T) {
	machineHas(t, LayerMount)
	before, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorkplace(t, 0)
	c := start(t, w.spec(0))
	if got := c.do(t, "write scratch"); got != "ok" {
		t.Fatal(got)
	}
	after, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(before), string(after)); diff != "" {
		t.Errorf("the child's mounts are seen outside:\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(w.scratch, "new")); err != nil {
		t.Errorf("what the child wrote in its scratch folder: %v", err)
	}
	if err := create(filepath.Join(w.outside, "mine")); err != nil {
		t.Errorf("the test itself can no longer write: %v", err)
	}
}

func TestProbe(t *testing.T) {
	s := Probe()
	for _, l := range AllLayers() {
		if s.Has(l) == (s.Missing[l] != "") {
			t.Errorf("layer %s: available %v, reason %q", l, s.Has(l), s.Missing[l])
		}
	}
	for _, l := range []Layer{LayerRlimit, LayerNoNewPrivs} {
		if !s.Has(l) {
			t.Errorf("layer %s: %s", l, s.Missing[l])
		}
	}
	twice := idRanges{users: []idRange{{os.Getuid(), 1}, {os.Getuid(), 1}}, groups: []idRange{{0, 1}}}
	if err := tryNamespaces(unix.CLONE_NEWUSER, twice); err == nil {
		t.Error("a map that names an id twice was accepted")
	}
	s = Support{Missing: map[Layer]string{}}
	probeNamespaces(&s, nil)
	if s.Has(LayerUser) || s.Missing[LayerUser] == "" || (os.Getuid() == 0) != s.Has(LayerMount) {
		t.Errorf("without a user namespace, as user %d: %+v", os.Getuid(), s)
	}
}
