package dl

import (
	"testing"

	"zonemark/executor/dl/dltest"
)

// Of large code, what is used after ForgetUse is moved, and no more. Functions stay where they are.
func TestOwnUsed(t *testing.T) {
	path := compile(t, "liblarge.so", `
int before(void) { return 1; }
__asm__(".text\n.skip 20000000, 0x90\n");
int one(void) { return 1; }
`, "-shared", "-fPIC", "-fno-toplevel-reorder")
	l, err := OpenOwn(path)
	if err != nil {
		t.Fatal(err)
	}
	before, one := function(t, l, "before"), function(t, l, "one")
	if one < before+20_000_000 {
		t.Fatalf("before lies at %#x, one at %#x", before, one)
	}
	own := func() int {
		t.Helper()
		size, own := dltest.Code(t, path)
		if size < 19_000 {
			t.Fatalf("%d KiB of code", size)
		}
		return own
	}
	Call(before)
	if kib := own(); kib != 0 {
		t.Errorf("opened: %d KiB are the process's own", kib)
	}
	ForgetUse()
	if got := Call(one); got != 1 {
		t.Errorf("one() = %d", got)
	}
	OwnUsed()
	used := own()
	if used == 0 || used > 128 { // the system maps up to 64 KiB with a page
		t.Errorf("used: %d KiB are the process's own", used)
	}
	if got := Call(one) + Call(before); got != 2 {
		t.Errorf("one() + before() = %d", got)
	}
	ForgetUse()
	OwnUsed()
	if kib := own(); kib != used {
		t.Errorf("nothing else was used: %d KiB of %d are the process's own", kib, used)
	}
	Call(before)
	OwnUsed()
	if kib := own(); kib <= used || kib > 2*128 {
		t.Errorf("both: %d KiB of %d are the process's own", kib, used)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	ForgetUse()
	OwnUsed()
}

// Code that a library has changed stays so.
func TestChangedTextIsKept(t *testing.T) {
	l, err := OpenOwn(compile(t, "libchanged.so", `
#include <sys/mman.h>
#include <stdint.h>
extern unsigned char byte;
__asm__(".text\n.skip 20000000, 0x90\n.globl byte\nbyte: .byte 3\n.skip 8192, 0x90\n");
int value(void) { return byte; }
int change(void)
{
    uintptr_t page = (uintptr_t)&byte & ~(uintptr_t)4095;
    if (mprotect((void *)page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC))
        return -1;
    byte = 4;
    return mprotect((void *)page, 4096, PROT_READ | PROT_EXEC);
}
`, "-shared", "-fPIC", "-fno-toplevel-reorder", "-Wl,-Bsymbolic"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	value := function(t, l, "value")
	if got := Call(function(t, l, "change")); got != 0 {
		t.Fatal("code cannot be written")
	}
	ForgetUse()
	if got := Call(value); got != 4 {
		t.Errorf("the changed byte is %d", got)
	}
	OwnUsed()
	if got := Call(value); got != 4 {
		t.Errorf("moved, the changed byte is %d", got)
	}
}
