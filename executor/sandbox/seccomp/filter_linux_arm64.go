package seccomp

import "golang.org/x/sys/unix"

const (
	filterArchitecture   = unix.AUDIT_ARCH_AARCH64
	filterForeignNumbers = 0 // 32-bit programs have an architecture of their own
)

// refusedOnThisArchitecture returns nil: arm64 never had the older calls, and fork is a form of clone.
func refusedOnThisArchitecture() []uint32 { return nil }

// forks returns nil: arm64 never had the older calls that start processes.
func forks() []uint32 { return nil }

// settingsOfThisArchitecture does nothing: there are none.
func (p *program) settingsOfThisArchitecture() {}

// changesOfModesOnThisArchitecture returns the older calls of changesOfModes.
func changesOfModesOnThisArchitecture() map[uint32]string { return nil }
