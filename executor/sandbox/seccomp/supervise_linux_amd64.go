package seccomp

import "golang.org/x/sys/unix"

// statAt is the number of fstatat(2).
const statAt = unix.SYS_NEWFSTATAT

// enterKernel returns the instruction that makes a system call.
func enterKernel() []byte { return []byte{0x0f, 0x05} } // SYSCALL

// supervisedOnThisArchitecture returns the older calls that only amd64 has.
func supervisedOnThisArchitecture() map[uint32]fileCall {
	return map[uint32]fileCall{
		unix.SYS_OPEN:     {name: "open", path: 0, flags: 1},
		unix.SYS_CREAT:    {name: "creat", path: 0, flags: -1, opens: unix.O_CREAT | unix.O_WRONLY | unix.O_TRUNC},
		unix.SYS_MKDIR:    {name: "mkdir", path: 0, flags: -1},
		unix.SYS_RMDIR:    {name: "rmdir", path: 0, flags: -1},
		unix.SYS_UNLINK:   {name: "unlink", path: 0, flags: -1},
		unix.SYS_RENAME:   {name: "rename", path: 0, flags: -1},
		unix.SYS_RENAMEAT: {name: "renameat", folders: []int{0, 2}, path: 1, flags: -1},
		unix.SYS_MKNOD:    {name: "mknod", path: 0, flags: -1},
	}
}
