package dl

import (
	"testing"

	"zonemark/executor/dl/dltest"
)

// Each page of the code is copied, the functions stay where they are, and the code is no longer writable.
func TestOwnText(t *testing.T) {
	path := compile(t, "libsum.so", sumSource, "-shared", "-fPIC")
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	sum := function(t, l, "sum12")
	if size, own := dltest.Code(t, path); size == 0 || own != 0 {
		t.Fatalf("before: %d of %d KiB are the process's own", own, size)
	}
	if !l.ownText() {
		t.Fatal("the code was not moved")
	}
	if size, own := dltest.Code(t, path); size == 0 || own != size {
		t.Errorf("%d of %d KiB are the process's own", own, size)
	}
	if again, err := l.Lookup("sum12"); err != nil || again != sum {
		t.Errorf("sum12 lies at %#x, not at %#x: %v", again, sum, err)
	}
	if got := Call(sum, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12); got != 650 {
		t.Errorf("sum12 = %d, want 650", got)
	}
}

// Large code stays in the system's cache, and what is not open has none.
func TestOwnTextStays(t *testing.T) {
	l, err := Open(compile(t, "liblarge.so", `__asm__(".text\n.skip 17000000, 0x90\n"); int one(void) { return 1; }`,
		"-shared", "-fPIC"))
	if err != nil {
		t.Fatal(err)
	}
	if l.ownText() {
		t.Error("17 MB of code were copied")
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if l.ownText() || (Library{}).ownText() {
		t.Error("a library that is not open was moved")
	}
}
