//go:build amd64 || arm64

package seccomp

import (
	"cmp"
	"maps"
	"slices"

	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data (linux/seccomp.h), which is what a filter sees of a system call.
const (
	seccompNumber       = 0
	seccompArchitecture = 4
	seccompArguments    = 16 // six of 8 bytes, the low half first on both architectures
)

// Filter returns the seccomp program for a process: a deny list, because what a runtime needs cannot be known. Refused
// calls fail with EPERM, so that native code sees an ordinary error. Calls of a foreign architecture end the process,
// because their numbers mean something else.
//
// A process with LayerPID may start processes and programs, and signal and schedule what is in its namespace. In
// profile Device it may make sockets of the unix family that are connected before they carry anything; the host connects
// them.
//
// An arbiter (arbitrated) answers refused calls that have a name for people, and notes them; see named.
//
// Threads, mappings that are writable and executable (just-in-time compilers), loading libraries, pipes and pairs of
// connected streams stay allowed.
//
// Thread numbers are not known in advance. Calls that set how a thread other than the first is scheduled go to the
// arbiter of this process if it has one (arbitrated), and are refused otherwise.
func Filter(pid int, o Options, arbitrated bool) []unix.SockFilter {
	code := append(make([]unix.SockFilter, 0, usualLength),
		load(seccompArchitecture),
		jump(unix.BPF_JEQ, filterArchitecture, 1, 0),
		give(unix.SECCOMP_RET_KILL_PROCESS),
		load(seccompNumber))
	if filterForeignNumbers != 0 {
		code = append(code, jump(unix.BPF_JGE, filterForeignNumbers, 0, 1), give(unix.SECCOMP_RET_KILL_PROCESS))
	}
	p := rulesFor(pid, o, arbitrated)
	slices.SortFunc(p.rules, func(a, b rule) int { return cmp.Compare(a.number, b.number) })
	return p.halving(code, p.rules)
}

// rulesFor returns what a filter does with system calls that it does not just let through.
func rulesFor(pid int, o Options, arbitrated bool) *program {
	p := &program{code: make([]unix.SockFilter, 0, usualLength), rules: make([]rule, 0, usualLength/4)}
	for _, number := range refusedEverywhere() {
		p.refuse(number, unix.EPERM)
	}
	for _, number := range refusedOnThisArchitecture() {
		if !o.Processes || !slices.Contains(forks(), number) {
			p.refuse(number, unix.EPERM)
		}
	}
	if !o.AllowExec && !o.Processes {
		p.refuse(unix.SYS_EXECVE, unix.EPERM)
		p.refuse(unix.SYS_EXECVEAT, unix.EPERM)
	}
	// clone3 has its flags in memory, which a filter cannot read. The C library takes ENOSYS for an old kernel and uses
	// clone.
	p.refuse(unix.SYS_CLONE3, unix.ENOSYS)
	switch {
	case o.Exposed:
		p.processesAndThreads()
		p.leaveOthersAlone()
	case o.Processes:
		p.processesAndThreads()
		p.argument(unix.SYS_SETPRIORITY, 0, true, unix.PRIO_PROCESS)
		p.argument(unix.SYS_IOPRIO_SET, 0, true, ioprioWhoProcess)
	default:
		p.threads()
		p.signals(uint32(pid))
		p.scheduling(uint32(pid), arbitrated)
	}
	p.sockets(o, arbitrated)
	p.argument(unix.SYS_CLOSE_RANGE, 2, true, 0, unix.CLOSE_RANGE_CLOEXEC) // no descriptors that the parent does not see
	p.argument(unix.SYS_PRLIMIT64, 0, true, 0, uint32(pid))                // limits of another process
	// The parent cannot see the descriptors of a process that is not dumpable.
	kept := append(hiddenSettings(), unix.PR_SET_DUMPABLE)
	if !o.Processes { // which end with the namespace
		kept = append(kept, unix.PR_SET_PDEATHSIG)
		p.refuse(unix.SYS_LANDLOCK_RESTRICT_SELF, unix.EPERM)
	}
	p.argument(unix.SYS_PRCTL, 0, false, kept...)
	p.refuseBits(unix.SYS_MLOCKALL, 0, unix.MCL_FUTURE)
	p.settingsOfThisArchitecture()
	// signals sent by way of a descriptor, and what others do in a folder
	p.argument(unix.SYS_FCNTL, 1, false, unix.F_SETOWN, unix.F_SETOWN_EX, unix.F_NOTIFY)
	controls := []uint32{fiosetown, siocspgrp, unix.TIOCSTI, unix.TIOCLINUX}
	if !o.Mounted {
		for _, number := range slices.Sorted(maps.Keys(changesOfModes())) {
			p.refuse(number, unix.EPERM)
		}
		controls = append(controls, changesOfFlags()...)
	}
	p.argument(unix.SYS_IOCTL, 1, false, controls...)
	if at := performed(); o.Supervise && arbitrated && !o.Processes && at != 0 {
		p.supervise(at)
	}
	if arbitrated {
		p.askArbiter()
	}
	return p
}

// hiddenSettings are settings of prctl(2) that stay until the process ends, disturb what runs there later, and cannot be
// read: counters that do not count, system calls that are signals, and where the process has its code and stack.
func hiddenSettings() []uint32 {
	return []uint32{
		unix.PR_TASK_PERF_EVENTS_DISABLE, unix.PR_TASK_PERF_EVENTS_ENABLE, unix.PR_SET_SYSCALL_USER_DISPATCH, unix.PR_SET_MM,
	}
}

// newNamespaces are the flags of clone(2) that ask for namespaces.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// ioprioWhoProcess is IOPRIO_WHO_PROCESS of linux/ioprio.h.
const ioprioWhoProcess = 1

// fiosetown and siocspgrp are ioctls of asm-generic/sockios.h. They set who receives signals, as F_SETOWN does.
const fiosetown, siocspgrp = 0x8901, 0x8902

// refusedEverywhere returns the system calls that both architectures have and no kernel needs.
func refusedEverywhere() []uint32 {
	return []uint32{
		// other processes
		unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP,
		unix.SYS_PIDFD_GETFD, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE,
		// mounts and namespaces
		unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT,
		unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR, unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_FSCONFIG,
		unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_OPEN_BY_HANDLE_AT,
		unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD,
		// ways around a filter, and much of the kernel's attack surface
		unix.SYS_BPF, unix.SYS_USERFAULTFD,
		unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
		unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
		// what others do with files: a watch needs no right to open them
		unix.SYS_INOTIFY_ADD_WATCH, unix.SYS_FANOTIFY_INIT,
		// memory that belongs to no process, so that nobody could count it
		unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_MSGGET, unix.SYS_SEMGET,
		// the machine
		unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
		unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_REBOOT,
		unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
		unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX,
	}
}

// signals lets the process signal only itself, by its number. Groups and all processes (0 and negative numbers) are
// refused. tkill names a thread without its process, and threads start and end after the filter is made. Thus tkill can
// signal only the main thread, which has the process's number; Go and the GNU C library use tgkill.
func (p *program) signals(pid uint32) {
	for _, number := range []uint32{
		unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO,
	} {
		p.argument(number, 0, true, pid)
	}
}

// leaveOthersAlone refuses what could reach other processes. It is for processes that start others, whose numbers are not
// known, in the namespace of all processes.
func (p *program) leaveOthersAlone() {
	for _, number := range []uint32{
		unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO,
		unix.SYS_SETPRIORITY, unix.SYS_IOPRIO_SET,
	} {
		p.refuse(number, unix.EPERM)
	}
	for _, number := range []uint32{
		unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR,
		unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES,
	} {
		p.argument(number, 0, true, 0)
	}
}

// scheduling lets the process set the priority, the policy, the CPUs, the priority of its input and output, and the
// memory nodes of its own threads only. All of another user's processes and of a group are refused.
func (p *program) scheduling(pid uint32, arbitrated bool) {
	other := give(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM))
	if arbitrated {
		other = give(unix.SECCOMP_RET_USER_NOTIF)
	}
	own := []unix.SockFilter{
		jump(unix.BPF_JEQ, 0, 0, 1), give(unix.SECCOMP_RET_ALLOW),
		jump(unix.BPF_JEQ, pid, 0, 1), give(unix.SECCOMP_RET_ALLOW),
		other,
	}
	for _, number := range []uint32{
		unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR,
	} {
		p.add(number, append([]unix.SockFilter{load(argumentOffset(0))}, own...)...)
	}
	for _, call := range []struct{ number, process uint32 }{
		{unix.SYS_SETPRIORITY, unix.PRIO_PROCESS}, {unix.SYS_IOPRIO_SET, ioprioWhoProcess},
	} {
		p.add(call.number, append([]unix.SockFilter{
			load(argumentOffset(0)),
			jump(unix.BPF_JEQ, call.process, 1, 0), give(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)),
			load(argumentOffset(1)),
		}, own...)...)
	}
	for _, number := range []uint32{unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES} {
		p.argument(number, 0, true, 0, pid)
	}
}

// sockets refuses sockets, also those of the unix family, because they lead to the machine's daemons, which mounts do
// not hide. Only pairs of streams stay allowed: the ends of a pair of datagram sockets can send to any socket that has
// a path. Without sockets to the network, messages that carry descriptors are refused, too, since a descriptor on its
// way is in no table in which the parent would see it.
//
// Processes with LayerPID also make, bind and listen on sockets of the unix family that carry nothing before they are
// connected: streams, and sequences of packets, which CUDA's driver needs. Who connects one is up to the host.
func (p *program) sockets(o Options, arbitrated bool) {
	streams := withFlags(unix.SOCK_STREAM)
	p.argument(unix.SYS_SOCKETPAIR, 1, true, streams...)
	if o.Processes && arbitrated {
		p.unixConnections(o.AllowInet, append(streams, withFlags(unix.SOCK_SEQPACKET)...))
		return
	}
	if o.AllowInet {
		p.argument(unix.SYS_SOCKET, 0, true, unix.AF_INET, unix.AF_INET6)
		return
	}
	for _, number := range []uint32{
		unix.SYS_SOCKET, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_SENDMSG, unix.SYS_SENDMMSG,
	} {
		p.refuse(number, unix.EPERM)
	}
}

// withFlags returns how a program may ask for a kind of socket.
func withFlags(kind uint32) []uint32 {
	return []uint32{kind, kind | unix.SOCK_NONBLOCK, kind | unix.SOCK_CLOEXEC, kind | unix.SOCK_NONBLOCK | unix.SOCK_CLOEXEC}
}

// unixConnections lets a process make these kinds of sockets of the unix family, and with inet sockets to the network.
// The arbiter connects them.
func (p *program) unixConnections(inet bool, kinds []uint32) {
	refusal := give(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM))
	then := []unix.SockFilter{load(argumentOffset(0))}
	if inet {
		then = append(then,
			jump(unix.BPF_JEQ, unix.AF_INET, 0, 1), give(unix.SECCOMP_RET_ALLOW),
			jump(unix.BPF_JEQ, unix.AF_INET6, 0, 1), give(unix.SECCOMP_RET_ALLOW))
	}
	then = append(then, jump(unix.BPF_JEQ, unix.AF_UNIX, 1, 0), refusal, load(argumentOffset(1)))
	for _, kind := range kinds {
		then = append(then, jump(unix.BPF_JEQ, kind, 0, 1), give(unix.SECCOMP_RET_ALLOW))
	}
	then = append(then, refusal)
	p.add(unix.SYS_SOCKET, then...)
	p.refuse(unix.SYS_CONNECT, unix.EPERM)
	if !inet {
		p.refuse(unix.SYS_SENDMSG, unix.EPERM)
		p.refuse(unix.SYS_SENDMMSG, unix.EPERM)
	}
}

// program is what becomes a classic BPF program: at most one rule for a system call.
type program struct {
	rules []rule
	code  []unix.SockFilter // of all rules
}

// rule is what is done about a system call. Its instructions end with an answer, whichever way they take.
type rule struct {
	number   uint32
	from, to int // in the code of the program
}

// usualLength is more than the number of instructions of a filter. A start of an executor takes longer if slices grow.
const usualLength = 640

// add adds a rule.
func (p *program) add(number uint32, then ...unix.SockFilter) {
	from := len(p.code)
	p.code = append(p.code, then...)
	p.rules = append(p.rules, rule{number, from, len(p.code)})
}

// halving appends instructions that find the rule of a system call, whose number is in the accumulator, and let other
// calls through. The rules are in the order of their numbers. When a filter is installed, the kernel runs it for each
// system call that there is, to see which need no filter: with one rule after the other, that takes half as long again.
func (p *program) halving(code []unix.SockFilter, rules []rule) []unix.SockFilter {
	const few = 4
	if len(rules) <= few {
		for _, r := range rules {
			then := p.code[r.from:r.to]
			code = append(append(code, jump(unix.BPF_JEQ, r.number, 0, uint8(len(then)))), then...)
		}
		return append(code, give(unix.SECCOMP_RET_ALLOW))
	}
	half := len(rules) / 2
	code = append(code, jump(unix.BPF_JGE, rules[half].number, 0, 1), unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JA})
	lower := len(code)
	code = p.halving(code, rules[:half])
	code[lower-1].K = uint32(len(code) - lower)
	return p.halving(code, rules[half:])
}

// refuse answers a system call with an error.
func (p *program) refuse(number uint32, errno unix.Errno) {
	p.add(number, give(unix.SECCOMP_RET_ERRNO|uint32(errno)))
}

// argument lets a system call through if the low 32 bits of an argument are among the values (allowed) or are not
// (!allowed), and refuses it with EPERM otherwise. The kernel, too, reads only 32 bits of the arguments that the rules
// above are about.
func (p *program) argument(number uint32, index int, allowed bool, values ...uint32) {
	match, other := give(unix.SECCOMP_RET_ALLOW), give(unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM))
	if !allowed {
		match, other = other, match
	}
	then := []unix.SockFilter{load(argumentOffset(index))}
	for _, v := range values {
		then = append(then, jump(unix.BPF_JEQ, v, 0, 1), match)
	}
	p.add(number, append(then, other)...)
}

// threads lets the process start threads, and nothing else, which share its descriptors: the parent sees the memory
// that these stand for by the first thread's.
func (p *program) threads() {
	p.add(unix.SYS_CLONE,
		load(argumentOffset(0)),
		jump(unix.BPF_JSET, unix.CLONE_THREAD, 0, 2),
		jump(unix.BPF_JSET, unix.CLONE_FILES, 0, 1),
		give(unix.SECCOMP_RET_ALLOW),
		give(unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM)))
}

// processesAndThreads lets the process start processes, but in no other namespaces, and threads that share descriptors.
func (p *program) processesAndThreads() {
	p.add(unix.SYS_CLONE,
		load(argumentOffset(0)),
		jump(unix.BPF_JSET, newNamespaces|unix.CLONE_PARENT, 3, 0),
		jump(unix.BPF_JSET, unix.CLONE_THREAD, 0, 1),
		jump(unix.BPF_JSET, unix.CLONE_FILES, 0, 1),
		give(unix.SECCOMP_RET_ALLOW),
		give(unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM)))
}

// refuseBits lets a system call through only if an argument has none of the bits.
func (p *program) refuseBits(number uint32, index int, bits uint32) {
	p.add(number,
		load(argumentOffset(index)),
		jump(unix.BPF_JSET, bits, 1, 0),
		give(unix.SECCOMP_RET_ALLOW),
		give(unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM)))
}

func argumentOffset(index int) uint32 { return seccompArguments + 8*uint32(index) }

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

// jump compares the accumulator with k and skips this many instructions.
func jump(comparison uint16, k uint32, whenTrue, whenFalse uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_K | comparison, K: k, Jt: whenTrue, Jf: whenFalse}
}

func give(action uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
}
