//go:build !windows

package native

const (
	convention    = "System V ABI"
	keptRegisters = 6 // that get a value of their own before a checked call; the other words have one
	keptWords     = keptRegisters + 5
)

// kept returns what functions keep, in the order in which conventions_amd64.s writes it.
func kept() []keptWord {
	return append(keptWhole("rbx", "rbp", "r12", "r13", "r14", "r15", "the stack pointer"),
		keptWord{"the control bits of MXCSR", 0xffc0}, // the lower ones tell what has happened
		keptWord{"the x87 control word", 0xffff},
		keptWord{"the direction flag", 1 << 10},
		keptWord{"the x87 registers empty", 0xffff})
}
