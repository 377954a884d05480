package dl

// arenasPerProcessor is how many arenas the GNU C library has for each processor (NARENAS_FROM_NCORES of malloc/arena.c,
// for 64 bits).
const arenasPerProcessor = 8

// parameterArenas is M_ARENA_MAX of malloc.h.
const parameterArenas = ^uintptr(7)

// SettleArenas has malloc of the GNU C library know from now on how many arenas there may be: as many as it would find
// out later. A thread that needs the ninth one reads the number of processors from a file, and a thread that Go's
// runtime is starting holds one of the few permits to run Go code meanwhile. Who makes the calls about files in Go, for
// all threads of the process, would wait for such a permit, and the thread for him. It does nothing where the C library
// is another one.
func SettleArenas() {
	count, err := lookup(everywhere, "get_nprocs")
	if err != nil || count == 0 {
		return
	}
	set, err := lookup(everywhere, "mallopt")
	if err != nil || set == 0 {
		return
	}
	if processors := int32(Call(count)); processors > 0 {
		Call(set, parameterArenas, arenasPerProcessor*uintptr(processors))
	}
}
