//go:build amd64 || arm64

package seccomp

import (
	"encoding/binary"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// systemCall is what a filter sees of a system call.
type systemCall struct {
	number       uint32
	architecture uint32
	arguments    [6]uint64
	from         uint64 // address behind the instruction that makes it
}

// TestFilterOfModes checks that calls which change modes of files are refused if and only if no mounts do it.
func TestFilterOfModes(t *testing.T) {
	for _, mounted := range []bool{false, true} {
		want := filterEPERM
		if mounted {
			want = filterAllow
		}
		for _, processes := range []bool{false, true} {
			f := Filter(4242, Options{Processes: processes, Mounted: mounted}, false)
			for number, name := range changesOfModes() {
				c := systemCall{number: number, architecture: filterArchitecture}
				if got := run(t, f, c); got != want {
					t.Errorf("processes %v, mounts %v: %s: %#x, want %#x", processes, mounted, name, got, want)
				}
			}
			for _, request := range changesOfFlags() {
				c := systemCall{number: unix.SYS_IOCTL, architecture: filterArchitecture}
				if c.arguments[1] = uint64(request); run(t, f, c) != want {
					t.Errorf("processes %v, mounts %v: ioctl %#x, want %#x", processes, mounted, request, want)
				}
			}
		}
	}
}

// run interprets a filter as the kernel does (linux/filter.h), for the few instructions that the filters here use.
func run(t *testing.T, p []unix.SockFilter, c systemCall) uint32 {
	t.Helper()
	var data [64]byte
	binary.LittleEndian.PutUint32(data[seccompNumber:], c.number)
	binary.LittleEndian.PutUint32(data[seccompArchitecture:], c.architecture)
	binary.LittleEndian.PutUint64(data[seccompPointer:], c.from)
	for i, a := range c.arguments {
		binary.LittleEndian.PutUint64(data[seccompArguments+8*i:], a)
	}
	accumulator := uint32(0)
	for i := 0; i < len(p); i++ {
		in := p[i]
		holds := false
		switch in.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			accumulator = binary.LittleEndian.Uint32(data[in.K:])
			continue
		case unix.BPF_JMP | unix.BPF_JA:
			i += int(in.K)
			continue
		case unix.BPF_RET | unix.BPF_K:
			return in.K
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			holds = accumulator == in.K
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			holds = accumulator >= in.K
		case unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			holds = accumulator&in.K != 0
		default:
			t.Fatalf("instruction %d: unexpected code %#x", i, in.Code)
		}
		if holds {
			i += int(in.Jt)
		} else {
			i += int(in.Jf)
		}
	}
	t.Fatal("the filter ends without an answer")
	return 0
}

const (
	filterAllow = uint32(unix.SECCOMP_RET_ALLOW)
	filterKill  = uint32(unix.SECCOMP_RET_KILL_PROCESS)
	filterEPERM = uint32(unix.SECCOMP_RET_ERRNO | int(unix.EPERM))
)

func TestFilter(t *testing.T) {
	const pid = 4242
	minus := func(n int64) uint64 { return uint64(-n) }
	type arguments = [6]uint64
	threadFlags := uint64(unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND |
		unix.CLONE_THREAD | unix.CLONE_SYSVSEM | unix.CLONE_SETTLS)
	vforkFlags := uint64(unix.CLONE_VM|unix.CLONE_VFORK) | uint64(unix.SIGCHLD)
	tests := []struct {
		name   string
		number uint32
		args   arguments
		want   uint32 // without sockets
		inet   uint32 // with AllowInet; 0 for the same
	}{
		{"read", unix.SYS_READ, arguments{}, filterAllow, 0},
		{"mmap", unix.SYS_MMAP, arguments{0, 4096, unix.PROT_WRITE | unix.PROT_EXEC}, filterAllow, 0},
		{"exit_group", unix.SYS_EXIT_GROUP, arguments{}, filterAllow, 0},
		{"execve", unix.SYS_EXECVE, arguments{}, filterEPERM, 0},
		{"io_uring_enter", unix.SYS_IO_URING_ENTER, arguments{}, filterEPERM, 0},
		{"pidfd_send_signal", unix.SYS_PIDFD_SEND_SIGNAL, arguments{3}, filterEPERM, 0},
		{"clone3", unix.SYS_CLONE3, arguments{}, uint32(unix.SECCOMP_RET_ERRNO | int(unix.ENOSYS)), 0},
		{"clone of a thread", unix.SYS_CLONE, arguments{threadFlags}, filterAllow, 0},
		{"clone of a thread with descriptors of its own", unix.SYS_CLONE, arguments{threadFlags &^ unix.CLONE_FILES},
			filterEPERM, 0},
		{"close_range", unix.SYS_CLOSE_RANGE, arguments{3, 9, 0}, filterAllow, 0},
		{"close_range for programs", unix.SYS_CLOSE_RANGE, arguments{3, 9, unix.CLOSE_RANGE_CLOEXEC}, filterAllow, 0},
		{"close_range in a table of its own", unix.SYS_CLOSE_RANGE, arguments{3, 9, unix.CLOSE_RANGE_UNSHARE},
			filterEPERM, 0},
		{"shmget", unix.SYS_SHMGET, arguments{}, filterEPERM, 0},
		{"msgget", unix.SYS_MSGGET, arguments{}, filterEPERM, 0},
		{"semget", unix.SYS_SEMGET, arguments{}, filterEPERM, 0},
		{"clone of a process", unix.SYS_CLONE, arguments{uint64(unix.SIGCHLD)}, filterEPERM, 0},
		{"clone as vfork", unix.SYS_CLONE, arguments{vforkFlags}, filterEPERM, 0},
		{"clone, flag in the high half", unix.SYS_CLONE, arguments{unix.CLONE_THREAD << 32}, filterEPERM, 0},
		{"kill self", unix.SYS_KILL, arguments{pid, 9}, filterAllow, 0},
		{"kill self, high half set", unix.SYS_KILL, arguments{1<<32 | pid, 9}, filterAllow, 0},
		{"kill other", unix.SYS_KILL, arguments{pid + 1, 9}, filterEPERM, 0},
		{"kill group", unix.SYS_KILL, arguments{0, 9}, filterEPERM, 0},
		{"kill all", unix.SYS_KILL, arguments{minus(1), 9}, filterEPERM, 0},
		{"kill own group by number", unix.SYS_KILL, arguments{minus(pid), 9}, filterEPERM, 0},
		{"tgkill self", unix.SYS_TGKILL, arguments{pid, 77, 6}, filterAllow, 0},
		{"tgkill other", unix.SYS_TGKILL, arguments{1, 1, 6}, filterEPERM, 0},
		{"tkill main thread", unix.SYS_TKILL, arguments{pid, 6}, filterAllow, 0},
		{"tkill other", unix.SYS_TKILL, arguments{77, 6}, filterEPERM, 0},
		{"rt_sigqueueinfo other", unix.SYS_RT_SIGQUEUEINFO, arguments{1, 6}, filterEPERM, 0},
		{"rt_tgsigqueueinfo self", unix.SYS_RT_TGSIGQUEUEINFO, arguments{pid, 77, 6}, filterAllow, 0},
		{"rt_tgsigqueueinfo other", unix.SYS_RT_TGSIGQUEUEINFO, arguments{1, 1, 6}, filterEPERM, 0},
		{"socket inet", unix.SYS_SOCKET, arguments{unix.AF_INET}, filterEPERM, filterAllow},
		{"socket inet6", unix.SYS_SOCKET, arguments{unix.AF_INET6}, filterEPERM, filterAllow},
		{"socket unix", unix.SYS_SOCKET, arguments{unix.AF_UNIX}, filterEPERM, 0},
		{"socket netlink", unix.SYS_SOCKET, arguments{unix.AF_NETLINK}, filterEPERM, 0},
		{"pair of streams", unix.SYS_SOCKETPAIR, arguments{unix.AF_UNIX, unix.SOCK_STREAM}, filterAllow, 0},
		{"pair of streams with a flag", unix.SYS_SOCKETPAIR,
			arguments{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}, filterAllow, 0},
		{"pair of datagram sockets", unix.SYS_SOCKETPAIR, arguments{unix.AF_UNIX, unix.SOCK_DGRAM}, filterEPERM, 0},
		{"pair of datagram sockets with a flag", unix.SYS_SOCKETPAIR,
			arguments{unix.AF_UNIX, unix.SOCK_DGRAM | unix.SOCK_NONBLOCK}, filterEPERM, 0},
		{"sendmsg", unix.SYS_SENDMSG, arguments{3}, filterEPERM, filterAllow},
		{"connect", unix.SYS_CONNECT, arguments{3}, filterEPERM, filterAllow},
		{"priority of itself", unix.SYS_SETPRIORITY, arguments{unix.PRIO_PROCESS, 0, 5}, filterAllow, 0},
		{"priority of itself by number", unix.SYS_SETPRIORITY, arguments{unix.PRIO_PROCESS, pid, 5}, filterAllow, 0},
		{"priority of another", unix.SYS_SETPRIORITY, arguments{unix.PRIO_PROCESS, 1, 5}, filterEPERM, 0},
		{"priority of a user", unix.SYS_SETPRIORITY, arguments{unix.PRIO_USER, 0, 5}, filterEPERM, 0},
		{"priority of a group", unix.SYS_SETPRIORITY, arguments{unix.PRIO_PGRP, 0, 5}, filterEPERM, 0},
		{"CPUs of itself", unix.SYS_SCHED_SETAFFINITY, arguments{0, 8}, filterAllow, 0},
		{"CPUs of another", unix.SYS_SCHED_SETAFFINITY, arguments{pid - 1, 8}, filterEPERM, 0},
		{"policy of another", unix.SYS_SCHED_SETSCHEDULER, arguments{1}, filterEPERM, 0},
		{"parameters of another", unix.SYS_SCHED_SETPARAM, arguments{1}, filterEPERM, 0},
		{"attributes of another", unix.SYS_SCHED_SETATTR, arguments{1}, filterEPERM, 0},
		{"input and output of itself", unix.SYS_IOPRIO_SET, arguments{1, 0, 3}, filterAllow, 0},
		{"input and output of another", unix.SYS_IOPRIO_SET, arguments{1, 1, 3}, filterEPERM, 0},
		{"input and output of a user", unix.SYS_IOPRIO_SET, arguments{3, 0, 3}, filterEPERM, 0},
		{"memory nodes of another", unix.SYS_MIGRATE_PAGES, arguments{1}, filterEPERM, 0},
		{"hiding from the parent", unix.SYS_PRCTL, arguments{unix.PR_SET_DUMPABLE, 0}, filterEPERM, 0},
		{"prlimit of itself", unix.SYS_PRLIMIT64, arguments{0}, filterAllow, 0},
		{"prlimit of itself by number", unix.SYS_PRLIMIT64, arguments{pid}, filterAllow, 0},
		{"prlimit of another", unix.SYS_PRLIMIT64, arguments{1}, filterEPERM, 0},
		{"prctl of the parent's death", unix.SYS_PRCTL, arguments{unix.PR_SET_PDEATHSIG}, filterEPERM, 0},
		{"prctl of counters", unix.SYS_PRCTL, arguments{unix.PR_TASK_PERF_EVENTS_DISABLE}, filterEPERM, 0},
		{"prctl of huge pages", unix.SYS_PRCTL, arguments{unix.PR_SET_THP_DISABLE, 1}, filterAllow, 0},
		{"locking all memory", unix.SYS_MLOCKALL, arguments{unix.MCL_CURRENT}, filterAllow, 0},
		{"locking future memory", unix.SYS_MLOCKALL, arguments{unix.MCL_CURRENT | unix.MCL_FUTURE}, filterEPERM, 0},
		{"rules of its own", unix.SYS_LANDLOCK_RESTRICT_SELF, arguments{3}, filterEPERM, 0},
		{"prctl of a name", unix.SYS_PRCTL, arguments{unix.PR_SET_NAME}, filterAllow, 0},
		{"fcntl of an owner", unix.SYS_FCNTL, arguments{0, unix.F_SETOWN, 1}, filterEPERM, 0},
		{"fcntl of an owner by kind", unix.SYS_FCNTL, arguments{0, unix.F_SETOWN_EX}, filterEPERM, 0},
		{"fcntl of a watch", unix.SYS_FCNTL, arguments{0, unix.F_NOTIFY}, filterEPERM, 0},
		{"a watch of files", unix.SYS_INOTIFY_ADD_WATCH, arguments{3}, filterEPERM, 0},
		{"fcntl of flags", unix.SYS_FCNTL, arguments{0, unix.F_SETFL}, filterAllow, 0},
		{"ioctl of an owner", unix.SYS_IOCTL, arguments{0, fiosetown}, filterEPERM, 0},
		{"ioctl into a terminal", unix.SYS_IOCTL, arguments{0, unix.TIOCSTI}, filterEPERM, 0},
		{"ioctl of a terminal's size", unix.SYS_IOCTL, arguments{0, unix.TIOCGWINSZ}, filterAllow, 0},
	}
	for _, inet := range []bool{false, true} {
		p := Filter(pid, Options{AllowInet: inet}, false)
		if len(p) > 4096 {
			t.Fatalf("the filter has %d instructions, the kernel takes 4096", len(p))
		}
		for _, test := range tests {
			want := test.want
			if inet && test.inet != 0 {
				want = test.inet
			}
			if got := run(t, p, systemCall{test.number, filterArchitecture, test.args, 0}); got != want {
				t.Errorf("%s, AllowInet %v: %#x instead of %#x", test.name, inet, got, want)
			}
			if got := run(t, p, systemCall{test.number, unix.AUDIT_ARCH_I386, test.args, 0}); got != filterKill {
				t.Errorf("%s of a foreign architecture: %#x", test.name, got)
			}
			if filterForeignNumbers == 0 {
				continue
			}
			foreign := systemCall{test.number | filterForeignNumbers, filterArchitecture, test.args, 0}
			if got := run(t, p, foreign); got != filterKill {
				t.Errorf("%s by a foreign number: %#x", test.name, got)
			}
		}
	}
}

// TestFilterAsksTheArbiter checks which calls a filter with an arbiter passes on.
func TestFilterAsksTheArbiter(t *testing.T) {
	const pid, ask = 4242, uint32(unix.SECCOMP_RET_USER_NOTIF)
	p := Filter(pid, Options{}, true)
	for _, test := range []struct {
		number uint32
		args   [6]uint64
		want   uint32
	}{
		{unix.SYS_SCHED_SETAFFINITY, [6]uint64{pid + 1}, ask},
		{unix.SYS_SCHED_SETAFFINITY, [6]uint64{pid}, filterAllow},
		{unix.SYS_SETPRIORITY, [6]uint64{unix.PRIO_PROCESS, 1}, ask},
		{unix.SYS_SETPRIORITY, [6]uint64{unix.PRIO_USER, 1}, filterEPERM},
		{unix.SYS_IOPRIO_SET, [6]uint64{1, 1}, ask},
		{unix.SYS_PRLIMIT64, [6]uint64{1}, filterEPERM},
		{unix.SYS_EXECVE, [6]uint64{}, ask},
		{unix.SYS_CLONE, [6]uint64{uint64(unix.SIGCHLD)}, ask},
		{unix.SYS_CLONE, [6]uint64{unix.CLONE_THREAD | unix.CLONE_FILES}, filterAllow},
		{unix.SYS_SOCKET, [6]uint64{unix.AF_UNIX}, ask},
		{unix.SYS_CONNECT, [6]uint64{}, ask},
		{unix.SYS_SOCKETPAIR, [6]uint64{unix.AF_UNIX, unix.SOCK_STREAM}, filterAllow},
		{unix.SYS_SOCKETPAIR, [6]uint64{unix.AF_UNIX, unix.SOCK_DGRAM}, ask},
		{unix.SYS_PTRACE, [6]uint64{}, ask},
		{unix.SYS_KILL, [6]uint64{1}, ask},
		{unix.SYS_KILL, [6]uint64{pid}, filterAllow},
		{unix.SYS_KCMP, [6]uint64{}, filterEPERM},
		{unix.SYS_SHMGET, [6]uint64{}, ask},
		{unix.SYS_SEMGET, [6]uint64{}, ask},
		{unix.SYS_MLOCKALL, [6]uint64{unix.MCL_CURRENT | unix.MCL_FUTURE}, ask},
		{unix.SYS_MLOCKALL, [6]uint64{unix.MCL_CURRENT}, filterAllow},
		{unix.SYS_OPENAT, [6]uint64{}, filterAllow},
	} {
		if got := run(t, p, systemCall{test.number, filterArchitecture, test.args, 0}); got != test.want {
			t.Errorf("call %d of %v: %#x instead of %#x", test.number, test.args, got, test.want)
		}
	}
}

// TestFilterOfDevices checks what a process with a process namespace may do, with and without an arbiter, and with and
// without the network.
func TestFilterOfDevices(t *testing.T) {
	const pid, ask = 2, uint32(unix.SECCOMP_RET_USER_NOTIF)
	stream, datagram := uint64(unix.SOCK_STREAM|unix.SOCK_CLOEXEC), uint64(unix.SOCK_DGRAM)
	for _, test := range []struct {
		number                    uint32
		args                      [6]uint64
		arbitrated, inet, without uint32
	}{
		{unix.SYS_EXECVE, [6]uint64{}, filterAllow, filterAllow, filterAllow},
		{unix.SYS_CLONE, [6]uint64{uint64(unix.SIGCHLD)}, filterAllow, filterAllow, filterAllow},
		{unix.SYS_CLONE, [6]uint64{unix.CLONE_NEWUSER | uint64(unix.SIGCHLD)}, ask, ask, filterEPERM},
		{unix.SYS_CLONE, [6]uint64{unix.CLONE_PARENT}, ask, ask, filterEPERM},
		{unix.SYS_CLONE, [6]uint64{unix.CLONE_THREAD}, ask, ask, filterEPERM},
		{unix.SYS_CLONE, [6]uint64{unix.CLONE_THREAD | unix.CLONE_FILES}, filterAllow, filterAllow, filterAllow},
		{unix.SYS_CLOSE_RANGE, [6]uint64{3, 9, unix.CLOSE_RANGE_UNSHARE}, filterEPERM, filterEPERM, filterEPERM},
		{unix.SYS_KILL, [6]uint64{1}, filterAllow, filterAllow, filterAllow},
		{unix.SYS_PIDFD_SEND_SIGNAL, [6]uint64{}, filterEPERM, filterEPERM, filterEPERM},
		{unix.SYS_PIDFD_GETFD, [6]uint64{}, filterEPERM, filterEPERM, filterEPERM},
		{unix.SYS_SCHED_SETAFFINITY, [6]uint64{7}, filterAllow, filterAllow, filterAllow},
		{unix.SYS_SETPRIORITY, [6]uint64{unix.PRIO_PROCESS, 7}, filterAllow, filterAllow, filterAllow},
		{unix.SYS_SETPRIORITY, [6]uint64{unix.PRIO_USER, 7}, filterEPERM, filterEPERM, filterEPERM},
		{unix.SYS_SOCKET, [6]uint64{unix.AF_UNIX, stream}, filterAllow, filterAllow, filterEPERM},
		{unix.SYS_SOCKET, [6]uint64{unix.AF_UNIX, datagram}, ask, ask, filterEPERM},
		{unix.SYS_SOCKET, [6]uint64{unix.AF_UNIX, uint64(unix.SOCK_SEQPACKET)}, filterAllow, filterAllow, filterEPERM},
		{unix.SYS_SOCKET, [6]uint64{unix.AF_UNIX, uint64(unix.SOCK_RAW)}, ask, ask, filterEPERM},
		{unix.SYS_SOCKETPAIR, [6]uint64{unix.AF_UNIX, uint64(unix.SOCK_SEQPACKET)}, ask, ask, filterEPERM},
		{unix.SYS_SOCKET, [6]uint64{unix.AF_INET, stream}, ask, filterAllow, filterEPERM},
		{unix.SYS_SOCKET, [6]uint64{unix.AF_NETLINK, stream}, ask, ask, filterEPERM},
		{unix.SYS_SOCKETPAIR, [6]uint64{unix.AF_UNIX, datagram}, ask, ask, filterEPERM},
		{unix.SYS_CONNECT, [6]uint64{}, ask, ask, filterEPERM},
		{unix.SYS_BIND, [6]uint64{}, filterAllow, filterAllow, filterEPERM},
		{unix.SYS_SENDMSG, [6]uint64{}, ask, filterAllow, filterEPERM},
		{unix.SYS_PRCTL, [6]uint64{unix.PR_SET_PDEATHSIG}, filterAllow, filterAllow, filterAllow},
		{unix.SYS_PRCTL, [6]uint64{unix.PR_SET_DUMPABLE}, filterEPERM, filterEPERM, filterEPERM},
		{unix.SYS_PTRACE, [6]uint64{}, ask, ask, filterEPERM},
		{unix.SYS_UNSHARE, [6]uint64{}, ask, ask, filterEPERM},
		{unix.SYS_KCMP, [6]uint64{}, filterEPERM, filterEPERM, filterEPERM},
	} {
		for i, p := range [][]unix.SockFilter{
			Filter(pid, Options{Processes: true}, true),
			Filter(pid, Options{Processes: true, AllowInet: true}, true),
			Filter(pid, Options{Processes: true}, false),
		} {
			want := []uint32{test.arbitrated, test.inet, test.without}[i]
			if got := run(t, p, systemCall{test.number, filterArchitecture, test.args, 0}); got != want {
				t.Errorf("filter %d, call %d of %v: %#x instead of %#x", i, test.number, test.args, got, want)
			}
		}
	}
}

func TestFilterAllowsExec(t *testing.T) {
	p := Filter(4242, Options{AllowExec: true}, false)
	for number, want := range map[uint32]uint32{
		unix.SYS_EXECVE:   filterAllow,
		unix.SYS_EXECVEAT: filterAllow,
		unix.SYS_CLONE:    filterEPERM,
		unix.SYS_PTRACE:   filterEPERM,
	} {
		if got := run(t, p, systemCall{number, filterArchitecture, [6]uint64{}, 0}); got != want {
			t.Errorf("call %d with AllowExec: %#x instead of %#x", number, got, want)
		}
	}
}

// TestFilterRefusesEachCallOnce checks that every refused call is refused with any arguments, and that no rule is
// shadowed by an earlier one for the same call.
func TestFilterRefusesEachCallOnce(t *testing.T) {
	p, seen := Filter(4242, Options{}, false), map[uint32]bool{}
	for _, number := range append(refusedEverywhere(), refusedOnThisArchitecture()...) {
		if seen[number] {
			t.Errorf("call %d is listed twice", number)
		}
		seen[number] = true
		for _, a := range []uint64{0, 4242, ^uint64(0)} {
			call := systemCall{number, filterArchitecture, [6]uint64{a, a, a, a, a, a}, 0}
			if got := run(t, p, call); got != filterEPERM {
				t.Errorf("call %d with %#x: %#x", number, a, got)
			}
		}
	}
	for _, o := range []Options{
		{}, {AllowExec: true}, {AllowInet: true}, {Mounted: true}, {Supervise: true}, {Processes: true},
		{Processes: true, Exposed: true},
	} {
		for _, arbitrated := range []bool{false, true} {
			rules := map[uint32]bool{}
			for _, r := range rulesFor(4242, o, arbitrated).rules {
				if rules[r.number] {
					t.Errorf("%+v: call %d has two rules", o, r.number)
				}
				rules[r.number] = true
			}
		}
	}
}

// TestKernelLayouts checks the layouts that the kernel reads, by the sizes of the C structures on both architectures.
func TestKernelLayouts(t *testing.T) {
	for name, got := range map[string][2]uintptr{
		"size of struct seccomp_notif":       {unsafe.Sizeof(Notification{}), 80},
		"offset of seccomp_data.args":        {unsafe.Offsetof(Notification{}.Args), 32},
		"size of struct seccomp_notif_resp":  {unsafe.Sizeof(response{}), 24},
		"offset of seccomp_notif_resp.flags": {unsafe.Offsetof(response{}.Flags), 20},
		"size of struct sock_filter":         {unsafe.Sizeof(unix.SockFilter{}), 8},
		"offset of sock_fprog.filter":        {unsafe.Offsetof(unix.SockFprog{}.Filter), 8},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: %d instead of %d", name, got[0], got[1])
		}
	}
}
