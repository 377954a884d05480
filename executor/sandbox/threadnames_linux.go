package sandbox

import (
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// namesThreads reports whether native code of the profile names threads that it has started, in files of /proc. CUDA's
// driver does, and refuses to work if it cannot.
func (p Profile) namesThreads() bool { return p == Device }

// threadFiles returns the folder of what /proc tells of this process's threads. The names can be written there. So can
// little else, and nothing of other processes.
func threadFiles() string { return filepath.Join(toldOfProcesses, strconv.Itoa(unix.Getpid()), "task") }

// makeThreadNamesWritable mounts the folder of this process's threads on itself, writable. The caller is in a mount
// namespace of its own, where /proc is read-only. Where this is impossible, as with a /proc that is read-only for the
// whole machine, it does nothing: what needs the names says so.
func makeThreadNamesWritable() {
	path := threadFiles()
	if unix.Mount(path, path, "", unix.MS_BIND, "") == nil {
		_ = unix.MountSetattr(unix.AT_FDCWD, path, 0, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY})
	}
}
