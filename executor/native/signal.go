package native

// Signal is a word that a C function hands to a waiting thread, see SignalEntry. The zero value is ready for use. It
// must stay at its address until the C function was called.
type Signal struct {
	value uintptr
	set   uint32 // 1 once the value is there; a futex
}
