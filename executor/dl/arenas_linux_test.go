package dl

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// arenaVariable makes TestSettleArenas its own child: the path of the library.
const arenaVariable = "ZONEMARK_TEST_ARENAS"

// TestSettleArenas has twelve threads take memory at once, in a process that ends if a file is opened. In launches that
// are supervised, about one in a thousand waited until its time was over.
func TestSettleArenas(t *testing.T) {
	if path := os.Getenv(arenaVariable); path != "" {
		takeMemory(t, path)
		return
	}
	path := compile(t, "libthreads.so", `
#include <pthread.h>
#include <stdlib.h>
static pthread_barrier_t all;
static void *take(void *p) { char *volatile m = malloc(100); pthread_barrier_wait(&all); free(m); return 0; }
int threads(void) {
	pthread_t t[12];
	pthread_barrier_init(&all, 0, 12);
	for (int i = 0; i < 12; i++) if (pthread_create(t + i, 0, take, 0)) return 1;
	for (int i = 0; i < 12; i++) pthread_join(t[i], 0);
	return 0;
}`, "-shared", "-fPIC", "-pthread")
	for _, settled := range []string{"no", "yes"} {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestSettleArenas$")
		cmd.Env = append(os.Environ(), arenaVariable+"="+path, "SETTLED="+settled)
		out, err := cmd.CombinedOutput()
		if good := err == nil; good != (settled == "yes") {
			t.Errorf("settled: %s: %v\n%s", settled, err, out)
		}
	}
}

func takeMemory(t *testing.T, path string) {
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	threads, err := l.Lookup("threads")
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("SETTLED") == "yes" {
		SettleArenas()
	}
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_OPENAT, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_KILL_PROCESS},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&program))); errno != 0 {
		t.Fatal(errno)
	}
	if failed := Call(threads); int32(failed) != 0 {
		t.Fatal("no threads")
	}
}
