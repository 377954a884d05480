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
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// number returns how the child tells an errno of native code.
func number(e syscall.Errno) string { return strconv.Itoa(int(e)) }

// ofDevices are the outcomes of what drivers and plugins do, in both profiles with all layers.
func ofDevices() map[string]map[Profile]string {
	refused, readOnly, denied := number(unix.EPERM), number(unix.EROFS), number(unix.EACCES)
	both := func(outcome string) map[Profile]string { return map[Profile]string{Plain: outcome, Device: outcome} }
	only := func(plain string) map[Profile]string { return map[Profile]string{Plain: plain, Device: "0"} }
	return map[string]map[Profile]string{
		"spawn_true": only(refused), "share_memory": only(readOnly),
		"write_cache": {Plain: number(unix.ENOENT), Device: "0"},
		"write_home":  only(readOnly), "stream_by_path": only(refused), "stream_by_name": only(refused),
		"packets_by_path": only(refused), "packets_by_name": only(refused), "connect_packets_outside": both(refused),
		"child_aborts": {Plain: refused, Device: strconv.Itoa(int(unix.SIGABRT))},
		// The confinement is that of its children.
		"child_writes_outside": {Plain: refused, Device: readOnly}, "child_opens_inet": both(refused),
		"child_becomes_user": both(refused), "child_connects_outside": both(refused),
		"child_signals_parent": only(refused),
		"make_user_namespace":  both(refused), "make_sibling": both(refused),
		"name_thread": only(readOnly), "write_own_file": both(readOnly), "write_file_of_system": both(readOnly),
		"write_file_of_first": both(readOnly),
		// What is outside cannot be reached.
		"open_full": both(denied), "connect_stream_outside": both(refused), "connect_stream_by_link": both(refused),
		"connect_while_changing": {Plain: "-1", Device: "0"},
		"datagram_socket":        both(refused), "send_datagram": both(refused),
		"pass_descriptor": both(refused), "read_first": both(denied),
		"send_to_address":        {Plain: refused, Device: number(unix.EOPNOTSUPP)},
		"too_much_shared_memory": {Plain: readOnly, Device: number(unix.ENOSPC)},
	}
}

// deviceSpec returns a child of profile Device with a plain HOME of the machine in its environment.
func deviceSpec(t testing.TB, uid int, p Profile) spec {
	s := newWorkplace(t, uid).spec(uid)
	s.Options.Profile, s.Options.FileBytes = p, 0
	s.Environment = []string{"HOME=" + s.Outside}
	return s
}

func TestProfiles(t *testing.T) {
	machineHas(t, Device.Layers()...)
	for _, uid := range users() {
		for _, p := range Profiles() {
			t.Run(fmt.Sprintf("uid %d %s", uid, p), func(t *testing.T) {
				s := deviceSpec(t, uid, p)
				datagrams, streams := listenForDatagrams(t, s), listenForStreams(t, s)
				c := start(t, s)
				if diff := cmp.Diff(p.Layers(), c.State.Active.Layers); diff != "" {
					t.Errorf("layers (-want +got):\n%s\nmissing: %v", diff, c.State.Active.Missing)
				}
				if len(c.State.Unconfined) > 0 {
					t.Errorf("threads without seccomp or no_new_privs: %v", c.State.Unconfined)
				}
				want, got := map[string]string{}, map[string]string{}
				for action, outcomes := range ofDevices() {
					want[action] = outcomes[p]
				}
				if p == Device && uid != 0 {
					want["child_becomes_user"] = number(unix.EINVAL) // there is no other user in its namespace
				}
				if p == Plain {
					delete(want, "connect_while_changing")
					delete(want, "write_file_of_first") // it is the machine's, of another user
				}
				for _, action := range slices.Sorted(maps.Keys(want)) {
					got[action] = c.do(t, "native "+action)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("outcomes (-want +got):\n%s", diff)
				}
				if datagrams() || streams() {
					t.Error("something has arrived outside")
				}
				if _, err := os.Stat("/dev/shm/zonemark-test"); err == nil {
					t.Error("the shared memory is that of the machine")
				}
				if _, err := os.Stat(filepath.Join(s.Outside, "new")); err == nil {
					t.Error("the home is that of the machine")
				}
			})
		}
	}
}

// listenForStreams opens a socket outside of the sandbox, beside the scratch folder. The function that it returns
// reports whether somebody has connected.
func listenForStreams(t *testing.T, s spec) (connected func() bool) {
	t.Helper()
	path := filepath.Join(filepath.Dir(s.Options.Scratch), "streams")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	if err := os.Chmod(path, 0o777); err != nil {
		t.Fatal(err)
	}
	return func() bool {
		if err := l.SetDeadline(time.Now().Add(10 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		c, err := l.Accept()
		if err == nil {
			c.Close()
		}
		return err == nil
	}
}

// TestAllowedSocket checks that a socket of the machine is reached if the options name it.
func TestAllowedSocket(t *testing.T) {
	machineHas(t, Device.Layers()...)
	for _, uid := range users() {
		s := deviceSpec(t, uid, Device)
		connected := listenForStreams(t, s)
		s.Options.ReadWrite = []string{filepath.Join(filepath.Dir(s.Options.Scratch), "streams"), "/dev/full"}
		c := start(t, s)
		for _, action := range []string{"connect_stream_outside", "connect_stream_by_link", "open_full"} {
			if got := c.do(t, "native "+action); got != "0" {
				t.Errorf("uid %d: %s: %s", uid, action, got)
			}
		}
		if !connected() {
			t.Errorf("uid %d: nobody has connected", uid)
		}
	}
}

// TestKeptHome checks that a home that is given keeps what is written there.
func TestKeptHome(t *testing.T) {
	machineHas(t, Device.Layers()...)
	s := deviceSpec(t, 0, Device)
	s.Options.Home = s.Outside
	c := start(t, s)
	for _, action := range []string{"write_home", "write_cache"} {
		if got := c.do(t, "native "+action); got != "0" {
			t.Errorf("%s: %s", action, got)
		}
	}
	for _, path := range []string{"new", ".cache/new"} {
		if _, err := os.Stat(filepath.Join(s.Outside, path)); err != nil {
			t.Error(err)
		}
	}
}

// TestWithoutProcesses checks that on a machine without layer pid, or mount, nothing is allowed that needs it.
func TestWithoutProcesses(t *testing.T) {
	machineHas(t, Device.Layers()...)
	for _, without := range []Layer{LayerPID, LayerMount} {
		s := deviceSpec(t, 0, Device)
		s.Without = []Layer{without}
		c := start(t, s)
		if slices.Contains(c.State.Active.Layers, LayerPID) || c.State.Active.Missing[LayerPID] == "" {
			t.Errorf("without %s: layers %v, missing %v", without, c.State.Active.Layers, c.State.Active.Missing)
		}
		for _, action := range []string{"fork", "exec", "socket unix", "signal parent", "outlive parent"} {
			if got := c.do(t, action); got != "EPERM" {
				t.Errorf("without %s: %s: %s", without, action, got)
			}
		}
		if got := c.do(t, "native bind_other_thread"); got != "0" {
			t.Errorf("without %s: threads cannot be bound: %s", without, got)
		}
	}
}

// TestRefused checks that the calls are named which native code was refused, once each, and that they start anew.
func TestRefused(t *testing.T) {
	machineHas(t, Device.Layers()...)
	for _, c := range []struct {
		profile Profile
		tries   []string
		want    []string
	}{
		{Plain, []string{"socket unix", "fork", "socket inet", "exec"},
			[]string{"socket clone execve", "socket fork execve"}},
		{Device, []string{"socket inet", "native child_opens_inet", "native connect_stream_outside"},
			[]string{"socket connect"}},
	} {
		s := deviceSpec(t, 0, c.profile)
		listenForStreams(t, s)
		child := start(t, s)
		if got := child.do(t, "refused"); got != "" {
			t.Errorf("%s: before any call: %q", c.profile, got)
		}
		for _, action := range c.tries {
			child.do(t, action)
		}
		if got := child.do(t, "refused"); !slices.Contains(c.want, got) {
			t.Errorf("%s: refused were %q", c.profile, got)
		}
		if got := child.do(t, "refused"); got != "" {
			t.Errorf("%s: nothing was called again: %q", c.profile, got)
		}
	}
}

// TestDeviceEndsAsItDoes checks that the parent sees the signal that ended the child, which is not the process that it
// has started.
func TestDeviceEndsAsItDoes(t *testing.T) {
	machineHas(t, Device.Layers()...)
	for action, want := range map[string]syscall.Signal{
		"native fault_segv": syscall.SIGSEGV, "native fault_abort": syscall.SIGABRT, "native fault_term": syscall.SIGTERM,
		"native fault_stack": syscall.SIGSEGV, "native fault_trap": syscall.SIGTRAP,
	} {
		status := start(t, deviceSpec(t, 0, Device)).crash(t, action)
		if !status.Signaled() || status.Signal() != want || status.CoreDump() {
			t.Errorf("%s: status %#x (signal %v), want signal %v and no core", action, int(status), status.Signal(), want)
		}
	}
}

// TestChildrenEnd checks that what native code has started ends with it, whatever it does to outlive it: if native code
// ends, and if only its parent, or the parent's parent, is killed.
func TestChildrenEnd(t *testing.T) {
	machineHas(t, Device.Layers()...)
	for _, uid := range users() {
		t.Run(fmt.Sprintf("uid %d native code ends", uid), func(t *testing.T) {
			s := deviceSpec(t, uid, Device)
			c := start(t, s)
			lock := outliving(t, s, c)
			c.crash(t, "native fault_abort")
			mustEnd(t, lock)
		})
		t.Run(fmt.Sprintf("uid %d the parent is killed", uid), func(t *testing.T) {
			s := deviceSpec(t, uid, Device)
			parent, err := s.parentCommand()
			if err != nil {
				t.Fatal(err)
			}
			c, err := launch(t, parent)
			if err != nil {
				t.Fatal(err)
			}
			lock := outliving(t, s, c)
			if err := parent.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			mustEnd(t, lock)
		})
	}
}

// outliving has a child start a process that would live for ever, and returns the file that this one locks.
func outliving(t *testing.T, s spec, c *child) *os.File {
	t.Helper()
	if pid := c.do(t, "native outlive"); pid == "" || pid[0] == '-' {
		t.Fatalf("it was not started: %s", pid)
	}
	path := filepath.Join(s.Options.Scratch, "outlives")
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		lock, err := os.Open(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
			t.Cleanup(func() { lock.Close() })
			return lock
		}
		lock.Close()
	}
	t.Fatal("the process has not begun")
	return nil
}

// mustEnd waits until a lock is free.
func mustEnd(t *testing.T, lock *os.File) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			return
		}
	}
	t.Error("a process lives on")
}
