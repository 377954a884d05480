//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"maps"
	"slices"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// TestConnectWaits checks that a call of connect that gets no answer ends as it would without a sandbox: when there is
// room, at once if the socket does not block, at the socket's limit, by a signal, or with its process. Until then, other
// calls go on.
func TestConnectWaits(t *testing.T) {
	machineHas(t, Device.Layers()...)
	s := deviceSpec(t, 0, Device)
	s.Options.AllowInet = true
	c := start(t, s)
	want, got := map[string]string{
		"connect_full_waits": "0", "connect_inet_waits": "0",
		"connect_full_at_once": number(unix.EAGAIN), "connect_inet_at_once": number(unix.EINPROGRESS),
		"connect_full_for_a_while": number(unix.EAGAIN), "connect_inet_for_a_while": number(unix.EINPROGRESS),
		"kill_while_connecting": "0", "interrupt_while_connecting": number(unix.EINTR),
	}, map[string]string{}
	for _, action := range slices.Sorted(maps.Keys(want)) {
		got[action] = c.do(t, "native "+action)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if status := c.crash(t, "native abort_while_connecting"); status.Signal() != syscall.SIGABRT {
		t.Errorf("the process ended by %v", status.Signal())
	}
}

func TestUnixAddress(t *testing.T) {
	for _, path := range []string{"a", "self/fd/4194304", "/run/some/socket"} {
		if got, abstract := unixPath(unixAddress(path)); got != path || abstract {
			t.Errorf("%q became %q, abstract %v", path, got, abstract)
		}
	}
}

// FuzzUnixPath reads addresses as native code may give them.
func FuzzUnixPath(f *testing.F) {
	for _, address := range []string{"", "\x01", "\x01\x00", "\x01\x00\x00name", "\x01\x00path", "\x01\x00path\x00more"} {
		f.Add([]byte(address))
	}
	f.Fuzz(func(t *testing.T, address []byte) {
		path, abstract := unixPath(address)
		switch {
		case abstract && (path != "" || address[2] != 0):
			t.Errorf("%q: the abstract name has the path %q", address, path)
		case path != "" && (bytes.ContainsRune([]byte(path), 0) || !bytes.HasPrefix(address[2:], []byte(path))):
			t.Errorf("%q: path %q", address, path)
		}
		if path != "" && len(path) < len(unix.RawSockaddrUnix{}.Path) {
			if again, _ := unixPath(unixAddress(path)); again != path {
				t.Errorf("%q became %q", path, again)
			}
		}
	})
}
