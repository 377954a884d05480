package sandbox

import (
	"bytes"
	"testing"

	"golang.org/x/sys/unix"
)

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
