package native

const (
	convention    = "AAPCS64"
	keptRegisters = 19 // that get a value of their own before a checked call; the other words have one
	keptWords     = keptRegisters + 2
)

// kept returns what functions keep, in the order in which conventions_arm64.s writes it.
func kept() []keptWord {
	return append(keptWhole("x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29",
		"d8", "d9", "d10", "d11", "d12", "d13", "d14", "d15", "the stack pointer"),
		keptWord{"FPCR", ^uint64(0)})
}
