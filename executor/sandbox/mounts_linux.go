package sandbox

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// makeReadOnly makes the whole file system read-only but the given paths. It does nothing unless this process lives in a mount namespace
// of its own, because a mount made in the parent's would hide real folders of the whole machine.
//
// There is no fresh file system over /tmp. Artifacts often lie there, and which ones comes over the wire only later; Landlock would forbid
// writing to it anyway. /tmp is read-only like everything else, and TMPDIR points into the scratch folder. /proc stays the parent's,
// as only a process in a pid namespace of its own may mount a new one.
func makeReadOnly(writable []string, parentMount string) error {
	if err := ownNamespace(LayerMount, parentMount); err != nil {
		return fmt.Errorf("refusing to mount: %w", err)
	}
	for _, path := range writable {
		var s unix.Statfs_t
		if err := unix.Statfs(path, &s); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if s.Flags&unix.ST_RDONLY != 0 {
			return fmt.Errorf("%s lies on a read-only file system", path)
		}
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	for _, path := range writable { // a mount of its own can have an attribute of its own
		if err := unix.Mount(path, path, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return fmt.Errorf("binding %s to itself: %w", path, err)
		}
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return fmt.Errorf("making / read-only: %w", err)
	}
	for _, path := range writable {
		if err := unix.MountSetattr(unix.AT_FDCWD, path, 0, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}); err != nil {
			return fmt.Errorf("making %s writable: %w", path, err)
		}
	}
	return reenterWorkingDirectory()
}

// reenterWorkingDirectory looks the working directory up again: it still refers to the mount below a writable path's own.
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
