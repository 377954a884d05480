package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// hiddenBySystem returns the folders of the system in which secrets lie, beside those that programs need.
func hiddenBySystem() []string {
	return []string{"/etc", "/var", "/run", "/boot", "/lost+found", systemTemporary}
}

// neededOfHidden returns what the C library, loaders, drivers and language runtimes read in hidden folders of the
// system.
func neededOfHidden() []string {
	needed := []string{
		"ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ld.so.preload", "localtime", "timezone", "locale.alias",
		"locale.conf", "nsswitch.conf", "passwd", "group", "hosts", "host.conf", "resolv.conf", "gai.conf", "services",
		"protocols", "os-release", "machine-id", "mime.types", "alternatives", "ssl/certs", "ssl/openssl.cnf",
		"ca-certificates", "pki/tls/certs", "fonts", "OpenCL", "vulkan", "glvnd", "nvidia", "tenstorrent", "hwloc",
		"python3", "python3.10", "python3.11", "python3.12", "python3.13", "python3.14",
	}
	for i := range needed {
		needed[i] = "/etc/" + needed[i]
	}
	return append(needed, "/run/opengl-driver", "/run/udev/data", "/var/lib/tenstorrent")
}

// readable returns the paths below which everything may be read: all but the hidden folders, and what lies in these
// and is needed. This program itself is, since it is executed again.
func (o Options) readable() []string {
	hidden := hiddenBySystem()
	for _, path := range o.Hidden {
		if real, err := filepath.EvalSymlinks(path); err == nil && real != "/" {
			hidden = append(hidden, real)
		}
	}
	paths := append(visible("/", hidden), neededOfHidden()...)
	return append(append(paths, o.Read...), selfExecutable)
}

// visible returns the entries of a folder that hold nothing hidden, and in the same way those of folders that do.
func visible(folder string, hidden []string) (paths []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		inside := func(h string) bool { return strings.HasPrefix(h, path+"/") }
		switch {
		case e.Type()&fs.ModeSymlink != 0, slices.Contains(hidden, path):
			// What a link leads to is visible where it lies.
		case slices.ContainsFunc(hidden, inside):
			paths = append(paths, visible(path, hidden)...)
		default:
			paths = append(paths, path)
		}
	}
	return paths
}

// isAbsent reports that a path leads nowhere, or to something that cannot be looked at from here.
func isAbsent(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOTDIR) ||
		errors.Is(err, unix.ELOOP)
}
