package seccomp

import "golang.org/x/sys/unix"

// statAt is the number of fstatat(2).
const statAt = unix.SYS_FSTATAT

// enterKernel returns the instruction that makes a system call.
func enterKernel() []byte { return []byte{0x01, 0x00, 0x00, 0xd4} } // SVC #0

// supervisedOnThisArchitecture returns the older calls of this architecture.
func supervisedOnThisArchitecture() map[uint32]fileCall {
	return map[uint32]fileCall{
		unix.SYS_RENAMEAT: {name: "renameat", folders: []int{0, 2}, path: 1, flags: -1},
	}
}
