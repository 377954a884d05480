package native

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"unsafe"
)

// TestNearCode checks where the loop's code is: within reach of the function, in memory that is not writable. The empty
// function is at the function's offset within a page. The other tests of the loop all run the copy and show that it
// calls functions correctly.
func TestNearCode(t *testing.T) {
	lib := compile(t, "calls.c")
	page := uintptr(os.Getpagesize())
	clock := Clock{Name: counterName, TicksPerNS: 1}
	for _, name := range []string{"nothing", "twice", "half", "deep", "many", "mixed"} {
		entry := symbol(t, lib, name)
		l := newTestLoop(t, clock, entry, frameOf(1))
		e, err := l.Empty()
		if err != nil {
			t.Fatal(err)
		}
		for kind, c := range map[string]code{"loop": l.code, "empty loop": e.code} {
			if c.memory == nil {
				t.Fatalf("%s: the %s was not copied", name, kind)
			}
			if far := distance(c.loop, entry); far >= 1<<31 || resembles(c.loop, []uintptr{entry}) {
				t.Errorf("%s: the %s lies %#x bytes away", name, kind, far)
			}
			if c.loop%lineBytes != timedLoopEntry%lineBytes {
				t.Errorf("%s: the %s at %#x is aligned differently from the original at %#x",
					name, kind, c.loop, timedLoopEntry)
			}
			if got := permissions(t, c.loop); got != "r-xp" {
				t.Errorf("%s: the %s lies in memory %q", name, kind, got)
			}
		}
		if empty := e.control.entry; empty != e.code.empty || empty%page != entry%page ||
			distance(empty, e.code.loop) >= 1<<31 {
			t.Errorf("%s is at %#x, the empty function at %#x, its loop at %#x", name, entry, empty, e.code.loop)
		}
		if resembles(e.code.loop, []uintptr{l.code.loop}) || e.code.loop%codePage != l.code.loop%codePage {
			t.Errorf("%s: the loop lies at %#x, the empty one at %#x", name, l.code.loop, e.code.loop)
		}
		if l.code.empty != 0 || l.control.entry != entry {
			t.Errorf("%s: the loop calls %#x, not %#x", name, l.control.entry, entry)
		}
		memory := uintptr(unsafe.Pointer(unsafe.SliceData(e.code.memory)))
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if mapped(t, memory) {
			t.Errorf("%s: the code is mapped after the loop was closed", name)
		}
	}
}

func distance(a, b uintptr) uintptr { return max(a, b) - min(a, b) }

// permissions returns the permissions of the mapping that holds an address.
func permissions(t *testing.T, address uintptr) string {
	t.Helper()
	for low, fields := range mappings(t) {
		if low <= address && address < fields.end {
			return fields.permissions
		}
	}
	return ""
}

// TestFillers checks that each filler is as long as the mark, and that the loop has marks before its calls. TestSetPlace
// runs the code of each.
func TestFillers(t *testing.T) {
	seen := map[filler]bool{}
	for place := range uint64(100) {
		f := fillerOf(place)
		seen[f] = true
		if code := f.code(); len(code) != len(fillerCode) || strings.Count(code, "\x90") < f.nops-1 || code == fillerCode ||
			strings.HasPrefix(code, "\x44\x8b") != f.load {
			t.Errorf("%+v: %x", f, code)
		}
	}
	if len(seen) != 2*mostNops {
		t.Errorf("fillers: %v", seen)
	}
	if n := bytes.Count(functionText(timedLoopEntry), []byte(fillerCode)); n < 5 {
		t.Errorf("%d calls of the loop have a filler", n)
	}
}

// TestFunctionText checks that the text of a function is found by its entry only, and has the right end.
func TestFunctionText(t *testing.T) {
	text := functionText(timedLoopEntry)
	if len(text) < 100 || len(text) >= 1<<16 {
		t.Fatalf("the loop has %d bytes of code", len(text))
	}
	if !strings.Contains(string(text), "\xc3") {
		t.Error("the code has no return")
	}
	if got := functionText(timedLoopEntry + 1); got != nil {
		t.Errorf("an address within a function gave %d bytes", len(got))
	}
	if got := functionText(0); got != nil {
		t.Errorf("no address gave %d bytes", len(got))
	}
	if c, ok := nearCode(0, true, 1); ok {
		t.Errorf("code near no function: %+v", c)
	}
}
