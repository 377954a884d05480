//go:build amd64 || arm64

package seccomp

import (
	"maps"

	"golang.org/x/sys/unix"
)

// Named returns the refused calls that native code makes, with their names: those that start processes or programs,
// those of sockets, and what else a function might do in earnest. The arbiter notes them: they explain an error, and a
// time that is only that of being refused.
func Named() map[uint32]string {
	calls := map[uint32]string{
		unix.SYS_EXECVE: "execve", unix.SYS_EXECVEAT: "execveat", unix.SYS_CLONE: "clone",
		unix.SYS_SOCKET: "socket", unix.SYS_SOCKETPAIR: "socketpair", unix.SYS_CONNECT: "connect",
		unix.SYS_BIND: "bind", unix.SYS_SENDMSG: "sendmsg", unix.SYS_SENDMMSG: "sendmmsg",
		unix.SYS_KILL: "kill", unix.SYS_TKILL: "tkill", unix.SYS_TGKILL: "tgkill",
		unix.SYS_PTRACE: "ptrace", unix.SYS_PROCESS_VM_READV: "process_vm_readv",
		unix.SYS_PROCESS_VM_WRITEV: "process_vm_writev", unix.SYS_MOUNT: "mount", unix.SYS_UNSHARE: "unshare",
		unix.SYS_SETNS: "setns", unix.SYS_BPF: "bpf", unix.SYS_USERFAULTFD: "userfaultfd",
		unix.SYS_IO_URING_SETUP: "io_uring_setup", unix.SYS_KEYCTL: "keyctl", unix.SYS_ADD_KEY: "add_key",
		unix.SYS_INOTIFY_ADD_WATCH: "inotify_add_watch", unix.SYS_FANOTIFY_INIT: "fanotify_init",
		unix.SYS_SHMGET: "shmget", unix.SYS_SHMAT: "shmat", unix.SYS_MSGGET: "msgget", unix.SYS_SEMGET: "semget",
		unix.SYS_MLOCKALL: "mlockall",
	}
	maps.Copy(calls, changesOfModes())
	for i, number := range forks() {
		calls[number] = []string{"fork", "vfork"}[i]
	}
	return calls
}

// askArbiter changes the refusals of named calls to questions to the arbiter.
func (p *program) askArbiter() {
	calls := Named()
	refused := give(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM))
	for _, r := range p.rules {
		if calls[r.number] == "" {
			continue
		}
		for i := r.from; i < r.to; i++ {
			if p.code[i] == refused {
				p.code[i] = give(unix.SECCOMP_RET_USER_NOTIF)
			}
		}
	}
}
