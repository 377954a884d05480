package seccomp

import "golang.org/x/sys/unix"

const (
	filterArchitecture   = unix.AUDIT_ARCH_X86_64
	filterForeignNumbers = 0x40000000 // the x32 calls have the same architecture and numbers from here on
)

// refusedOnThisArchitecture returns the older calls that only amd64 has.
func refusedOnThisArchitecture() []uint32 {
	return []uint32{unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_USELIB}
}

// forks returns the older calls that start processes.
func forks() []uint32 { return []uint32{unix.SYS_FORK, unix.SYS_VFORK} }

// settingsOfThisArchitecture refuses to forbid the instruction cpuid, which libraries use when they are loaded.
func (p *program) settingsOfThisArchitecture() {
	p.argument(unix.SYS_ARCH_PRCTL, 0, false, archSetCPUID)
}

// archSetCPUID is ARCH_SET_CPUID of asm/prctl.h.
const archSetCPUID = 0x1012

// changesOfModesOnThisArchitecture returns the older calls of changesOfModes.
func changesOfModesOnThisArchitecture() map[uint32]string {
	return map[uint32]string{
		unix.SYS_CHMOD: "chmod", unix.SYS_CHOWN: "chown", unix.SYS_LCHOWN: "lchown", unix.SYS_UTIME: "utime",
		unix.SYS_UTIMES: "utimes", unix.SYS_FUTIMESAT: "futimesat",
	}
}
