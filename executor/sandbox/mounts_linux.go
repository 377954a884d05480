package sandbox

import (
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// makeReadOnly makes the whole file system read-only except the given paths and, if possible, a private layer over /tmp
// and, in profile Device, a private /dev/shm, whose paths it returns. No device can be opened but those that all programs
// use and that the options name. It does nothing unless this process is in a mount
// namespace of its own: a mount in the parent's namespace would hide real folders of the whole machine.
//
// /proc stays as it is, because only a process in a namespace of processes may mount a new one; see mountProcesses.
func makeReadOnly(o Options, parentMount string) (private []string, err error) {
	if err := ownNamespace(LayerMount, parentMount); err != nil {
		return nil, fmt.Errorf("refusing to mount: %w", err)
	}
	writable := o.writable()
	for _, path := range writable {
		var s unix.Statfs_t
		if err := unix.Statfs(path, &s); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if s.Flags&unix.ST_RDONLY != 0 {
			return nil, fmt.Errorf("%s lies on a read-only file system", path)
		}
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return nil, fmt.Errorf("making mounts private: %w", err)
	}
	usable := o.usable()
	for _, path := range slices.Concat(usable, writable) { // only a mount has attributes of its own
		if err := unix.Mount(path, path, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return nil, fmt.Errorf("binding %s to itself: %w", path, err)
		}
	}
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NODEV}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &readOnly); err != nil {
		return nil, fmt.Errorf("making / read-only: %w", err)
	}
	for _, path := range usable {
		err := unix.MountSetattr(unix.AT_FDCWD, path, 0, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_NODEV})
		if err != nil && !isFolder(path) { // a folder may have been without devices before
			return nil, fmt.Errorf("making %s usable: %w", path, err)
		}
	}
	for _, path := range writable {
		readWrite := unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
		if err := unix.MountSetattr(unix.AT_FDCWD, path, 0, &readWrite); err != nil {
			return nil, fmt.Errorf("making %s writable: %w", path, err)
		}
	}
	switch {
	case o.Profile != Build:
		private, err = privateTemporary(o)
	case o.OwnTemporary:
		private, err = emptyTemporary(o)
	} // else TMPDIR will do, and what others have in /tmp is not for it
	if err != nil {
		return nil, err
	}
	if o.Profile.hasHome() {
		private = append(private, privateSharedMemory(o)...)
	}
	if o.Profile.namesThreads() {
		makeThreadNamesWritable()
	}
	return private, reenterWorkingDirectory()
}

func isFolder(path string) bool {
	var s unix.Stat_t
	return unix.Stat(path, &s) == nil && s.Mode&unix.S_IFMT == unix.S_IFDIR
}

// reenterWorkingDirectory looks up the working directory again: it still refers to the mount below the new mount of a
// writable path.
func reenterWorkingDirectory() error {
	path, err := unix.Getwd()
	if err != nil {
		return fmt.Errorf("working directory: %w", err)
	}
	if err := os.Chdir(path); err != nil {
		return fmt.Errorf("working directory: %w", err)
	}
	return nil
}
