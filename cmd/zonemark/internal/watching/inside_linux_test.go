package watching

import (
	"os"
	"strings"
	"testing"
	"time"
)

const sharedText = "7f00-7f10 rw-s 00000000 00:01 77 /dev/zero (deleted)\nRss: 8 kB\nPss: 2 kB\n" +
	"7f20-7f30 rw-p 00000000 00:00 0 \nPss: 100 kB\n7f40-7f50 r--s 00000000 fd:00 9 /a/file\nPss: 50 kB\n" +
	"7f60-7f70 rw-s 00000000 00:1b 5 /dev/shm/x\nPss: 4 kB\n"

func TestShared(t *testing.T) {
	if got := sharedOf([]byte(sharedText)); got != 6<<10 {
		t.Errorf("%d bytes, want %d", got, 6<<10)
	}
}

func TestPrivate(t *testing.T) {
	text, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		t.Skipf("this kernel adds up no mappings: %v", err)
	}
	if got := privateOf(text); got < 1<<20 || got > 1<<36 {
		t.Errorf("this process has %d bytes of private memory:\n%s", got, text)
	}
	if got := privateOf([]byte("Pss_Anon:  12 kB\nPss_Shmem: 100 kB\nSwapPss: 4 kB\n")); got != 16<<10 {
		t.Errorf("%d bytes, want %d", got, 16<<10)
	}
}

// FuzzShared reads what the kernel writes about mappings.
func FuzzShared(f *testing.F) {
	f.Add(sharedText)
	f.Add(mapsText)
	f.Add("Pss_Anon: 12 kB\nSwapPss: -1 kB")
	f.Add("a-b rs c 00: e\nPss: 1 kB\n")
	f.Fuzz(func(t *testing.T, text string) {
		if n := sharedOf([]byte(text)); n < 0 && strings.Count(text, "Pss") < 100 {
			t.Errorf("%q: %d", text, n)
		}
		deletedMappings([]byte(text))
		if n := privateOf([]byte(text)); n < 0 && strings.Count(text, "Pss") < 100 {
			t.Errorf("%q: %d private", text, n)
		}
	})
}

// A process that has no namespace below it is counted alone, and never the whole machine.
func TestNothingInside(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	w := &watch{limits: Limits{Namespace: true}, process: self}
	sum := processStatus{threads: 3}
	if w.lookInside(&sum); w.inside != nil || sum.threads != 3 || w.listed.After(time.Now()) {
		t.Errorf("%v, %+v", w.inside, sum)
	}
	if got := w.sharedMemoryFiles(); got != 0 {
		t.Errorf("%d bytes of shared memory", got)
	}
}
