//go:build amd64 || arm64

package seccomp

import (
	"maps"

	"golang.org/x/sys/unix"
)

// changesOfModes returns the calls, with their names, that change the modes, owners, times and attributes of files.
// Landlock does not cover them, and a descriptor for reading is enough for some. Where no mounts keep them off files
// outside, the filter refuses them.
func changesOfModes() map[uint32]string {
	calls := map[uint32]string{
		unix.SYS_FCHMOD: "fchmod", unix.SYS_FCHMODAT: "fchmodat", unix.SYS_FCHMODAT2: "fchmodat2",
		unix.SYS_FCHOWN: "fchown", unix.SYS_FCHOWNAT: "fchownat", unix.SYS_UTIMENSAT: "utimensat",
		unix.SYS_SETXATTR: "setxattr", unix.SYS_LSETXATTR: "lsetxattr", unix.SYS_FSETXATTR: "fsetxattr",
		unix.SYS_SETXATTRAT: "setxattrat", unix.SYS_REMOVEXATTR: "removexattr", unix.SYS_LREMOVEXATTR: "lremovexattr",
		unix.SYS_FREMOVEXATTR: "fremovexattr", unix.SYS_REMOVEXATTRAT: "removexattrat",
		unix.SYS_FILE_SETATTR: "file_setattr",
	}
	maps.Copy(calls, changesOfModesOnThisArchitecture())
	return calls
}

// changesOfFlags returns the ioctls that change flags of files: immutable, verified, encrypted (linux/fs.h and others).
func changesOfFlags() []uint32 {
	return []uint32{
		unix.FS_IOC_SETFLAGS, fsIocFsSetXattr, fsIocSetVersion, unix.FS_IOC_ENABLE_VERITY,
		unix.FS_IOC_SET_ENCRYPTION_POLICY,
	}
}

// These are FS_IOC_FSSETXATTR and FS_IOC_SETVERSION of linux/fs.h.
const fsIocFsSetXattr, fsIocSetVersion = 0x401c5820, 0x40087602
