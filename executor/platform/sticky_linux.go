package platform

import (
	"bytes"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sticky are settings of the process or of the thread that stay until its end, and change how fast code runs there, or
// what it may do. A setting that the system does not have is an error's number, always the same.
type sticky [9]uintptr

// stickyNames names the settings, for people.
var stickyNames = [len(sticky{})]string{
	"the use of huge pages", "the rule that memory does not become executable", "the merging of equal pages",
	"the reading of the time stamp counter", "speculation past stores", "speculation of indirect branches",
	"the flush of the first cache", "who shares its core", "the personality",
}

// readSticky reads them. Each is a system call of a fraction of a microsecond.
func readSticky() (s sticky) {
	var counter int32
	var cookie uint64
	for i, c := range [...][6]uintptr{
		{unix.SYS_PRCTL, unix.PR_GET_THP_DISABLE},
		{unix.SYS_PRCTL, unix.PR_GET_MDWE},
		{unix.SYS_PRCTL, unix.PR_GET_MEMORY_MERGE},
		{unix.SYS_PRCTL, unix.PR_GET_TSC, uintptr(unsafe.Pointer(&counter))},
		{unix.SYS_PRCTL, unix.PR_GET_SPECULATION_CTRL, unix.PR_SPEC_STORE_BYPASS},
		{unix.SYS_PRCTL, unix.PR_GET_SPECULATION_CTRL, unix.PR_SPEC_INDIRECT_BRANCH},
		{unix.SYS_PRCTL, unix.PR_GET_SPECULATION_CTRL, unix.PR_SPEC_L1D_FLUSH},
		{unix.SYS_PRCTL, unix.PR_SCHED_CORE, unix.PR_SCHED_CORE_GET, 0, 0, uintptr(unsafe.Pointer(&cookie))},
		{unix.SYS_PERSONALITY, askPersonality},
	} {
		value, _, errno := unix.RawSyscall6(c[0], c[1], c[2], c[3], c[4], c[5], 0)
		if s[i] = value; errno != 0 {
			s[i] = uintptr(errno)
		}
	}
	s[3] += uintptr(counter)
	s[7] += uintptr(cookie)
	return s
}

// askPersonality has personality(2) change nothing.
const askPersonality = 0xffffffff

// memoryPolicy is from which nodes a thread's memory comes: a mode, and the nodes.
type memoryPolicy struct {
	mode  int32
	nodes [16]uint64 // 1024 of them, as the kernel has at most
}

func readMemoryPolicy() (p memoryPolicy) {
	unix.RawSyscall6(unix.SYS_GET_MEMPOLICY, uintptr(unsafe.Pointer(&p.mode)), uintptr(unsafe.Pointer(&p.nodes)),
		uintptr(len(p.nodes)*64), 0, 0, 0)
	return p
}

// alternateStack is struct stack_t of the kernel (asm-generic/signal.h): where signals of a thread are handled.
type alternateStack struct {
	at    uintptr
	flags int32
	size  uintptr
}

func readAlternateStack() (s alternateStack) {
	unix.RawSyscall(unix.SYS_SIGALTSTACK, 0, uintptr(unsafe.Pointer(&s)), 0)
	return s
}

// statusValue returns the text behind a name in the status of a thread (proc_pid_status(5)), empty if there is none.
func statusValue(status []byte, name string) string {
	for line := range bytes.Lines(status) {
		if value, found := bytes.CutPrefix(line, []byte(name+":")); found {
			return string(bytes.TrimSpace(value))
		}
	}
	return ""
}
