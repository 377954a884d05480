//go:build linux && (amd64 || arm64)

package native

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"zonemark/executor/dl"
)

// openedCounters opens counters and closes them at the end of the test.
func openedCounters(t *testing.T, events []Event) *Counters {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	c, err := OpenCounters(events)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// TestCountersCountAKnownLoop checks that every event is open or missing, and that the counts of a loop of known length
// are right.
func TestCountersCountAKnownLoop(t *testing.T) {
	c := openedCounters(t, StandardEvents())
	seen := map[string]bool{}
	for pass := range c.Passes() {
		for _, inherit := range []bool{false, true} {
			if err := c.Select(pass, inherit); err != nil {
				t.Fatal(err)
			}
			ways := map[string]func([]uint64) error{"read": c.Read}
			if pages := c.Pages(); pages != nil {
				ways["rdpmc"] = func(into []uint64) error { return tryPages(pages, into) }
			}
			for way, read := range ways {
				counts, err := c.countKnown(read)
				if err != nil {
					t.Fatal(err)
				}
				for i, e := range c.Selected() {
					seen[e.Name] = true
					t.Logf("pass %d, inherit %v, %s: %d %s", pass, inherit, way, counts[i], e.Name)
					if e.Name == "instructions" && (counts[i] < 199_800 || counts[i] > 200_200) {
						t.Errorf("%d instructions, want 200,000", counts[i])
					}
					if e.Name == "branches" && (counts[i] < 99_999 || counts[i] > 100_001) {
						t.Errorf("%d branches, want 100,000", counts[i])
					}
				}
			}
		}
	}
	for _, e := range StandardEvents() {
		reason, missing := c.Missing()[e.Name]
		if missing {
			t.Logf("%s is missing: %s", e.Name, reason)
		}
		if seen[e.Name] == missing {
			t.Errorf("%s: selected %v, missing %v", e.Name, seen[e.Name], missing)
		}
	}
}

// TestCountersTakeTurns opens more events than any processor has counters for.
func TestCountersTakeTurns(t *testing.T) {
	instructions := Event{Name: "instructions", Type: eventRaw, Config: 0xc0}
	if runtime.GOARCH == "arm64" {
		instructions.Config = 8 // INST_RETIRED
	}
	var events []Event
	for range 20 {
		events = append(events, instructions)
	}
	c := openedCounters(t, events)
	if len(c.Missing()) > 0 {
		t.Skip(c.Missing())
	}
	total := 0
	for pass := range c.Passes() {
		if err := c.Select(pass, false); err != nil {
			t.Fatal(err)
		}
		counts, err := c.countKnown(c.Read)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("pass %d: %d", pass, counts)
		total += len(counts) - 2
		for i, n := range counts {
			if i > 0 && (n < 199_800 || n > 200_200) {
				t.Errorf("pass %d, event %d: %d instructions, want 200,000", pass, i, n)
			}
		}
	}
	if total != len(events) {
		t.Errorf("%d events in all passes, want %d", total, len(events))
	}
	if c.Passes() < 2 {
		t.Errorf("%d pass for %d events", c.Passes(), len(events))
	}
}

// TestCounterDescriptors counts page faults: the kernel counts them, without hardware.
func TestCounterDescriptors(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const countPageFaults, countTaskClock = 2, 1
	events := []Event{
		{Name: "faults", Type: eventSoftware, Config: countPageFaults},
		{Name: "clock", Type: eventSoftware, Config: countTaskClock},
		{Name: "nonsense", Type: eventSoftware, Config: 12345},
	}
	c, err := openEvents(events, openPerfEvent, func() { spin(time.Millisecond) })
	if err != nil {
		t.Skip(err)
	}
	if c.Missing()["nonsense"] == "" {
		t.Errorf("missing are %v, want nonsense", c.Missing())
	}
	const pages = 100
	for _, inherit := range []bool{false, true} {
		if err := c.Select(0, inherit); err != nil {
			t.Fatal(err)
		}
		if c.Pages() != nil {
			t.Error("the kernel's own events can be read by rdpmc")
		}
		at := map[string]int{}
		for i, e := range c.Selected() {
			at[e.Name] = i
		}
		before, after := make([]uint64, len(at)), make([]uint64, len(at))
		if err := c.Read(before); err != nil {
			t.Fatal(err)
		}
		fresh, err := unix.Mmap(-1, 0, pages*os.Getpagesize(),
			unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
		if err != nil {
			t.Fatal(err)
		}
		unix.Madvise(fresh, unix.MADV_NOHUGEPAGE)
		for i := 0; i < len(fresh); i += os.Getpagesize() {
			fresh[i] = 0
		}
		spin(10 * time.Millisecond) // longer than the kernel's turns between events
		if err := c.Read(after); err != nil {
			t.Fatal(err)
		}
		if n := after[at["faults"]] - before[at["faults"]]; n < pages {
			t.Errorf("inherit %v: %d page faults at %d fresh pages", inherit, n, pages)
		}
		if ns := after[at["clock"]] - before[at["clock"]]; ns == 0 {
			t.Errorf("inherit %v: no time has passed", inherit)
		}
		if err := unix.Munmap(fresh); err != nil {
			t.Error(err)
		}
	}
	var descriptors []int
	for _, e := range append(c.alone, c.inherit...) {
		fd := e.(*perfEvent).fd
		descriptors = append(descriptors, fd)
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err != nil || flags&unix.FD_CLOEXEC == 0 {
			t.Errorf("descriptor %d would survive exec: flags %#x, %v", fd, flags, err)
		}
		var limit unix.Rlimit
		if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) == nil && limit.Cur > 2*firstDescriptor && fd < firstDescriptor {
			t.Errorf("descriptor %d, want %d or more", fd, firstDescriptor)
		}
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	for _, fd := range descriptors {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != unix.EBADF {
			t.Errorf("descriptor %d is open after Close: %v", fd, err)
		}
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestCountersOfChildren uses a child process, which inherits events as a thread does and needs no C compiler.
func TestCountersOfChildren(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	c := openedCounters(t, nil)
	var counted [2]uint64
	for i, inherit := range []bool{false, true} {
		if err := c.Select(0, inherit); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(self, "-test.run=^$").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		counts := make([]uint64, len(c.Selected()))
		if err := c.Read(counts); err != nil {
			t.Fatal(err)
		}
		t.Logf("inherit %v: %v %v", inherit, c.Selected(), counts)
		counted[i] = counts[len(counts)-1]
	}
	// The child alone starts the Go runtime, links libraries and registers tests.
	if counted[1] < counted[0]+500_000 {
		t.Errorf("%d with a child process, %d without it", counted[1], counted[0])
	}
}

// TestCountersOfThreads checks that threads that native code starts are counted with inherit only, while they run and
// after they have ended.
func TestCountersOfThreads(t *testing.T) {
	lib := compile(t, "threads.c")
	start, finish := symbol(t, lib, "start"), symbol(t, lib, "finish")
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	events := []Event{{Name: "faults", Type: eventSoftware, Config: 2}}
	c, err := openEvents(events, openPerfEvent, func() { spin(time.Millisecond) })
	if err != nil {
		t.Skip(err)
	}
	defer c.Close()
	const pages = 1000
	for _, inherit := range []bool{false, true} {
		if err := c.Select(0, inherit); err != nil {
			t.Fatal(err)
		}
		counts := make([]uint64, len(c.Selected()))
		faults := len(counts) - 1
		check := func(when string) {
			if err := c.Read(counts); err != nil {
				t.Fatal(err)
			}
			if inherit != (counts[faults] >= pages) {
				t.Errorf("%d page faults while a thread that %s touches %d pages, inherit %v",
					counts[faults], when, pages, inherit)
			}
		}
		if dl.Call(start, pages) != 0 {
			t.Fatal("the thread does not start")
		}
		check("runs")
		dl.Call(finish)
		check("has ended")
	}
}

// TestCountersNeedHardware opens events of the kernel only: those are not hardware counters.
func TestCountersNeedHardware(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c, err := OpenCounters([]Event{{Name: "faults", Type: eventSoftware, Config: 2}})
	if err == nil {
		defer c.Close()
		if !c.hasHardware() {
			t.Error("the kernel's own events pass for hardware counters")
		}
		return
	}
	var reason *CountersError
	if !errors.As(err, &reason) || reason.Reason == "" || strings.Contains(reason.Reason, "\n") {
		t.Errorf("%v, want a *CountersError with one line", err)
	}
	t.Log(err)
}

func TestOpenError(t *testing.T) {
	cycles, raw := StandardEvents()[0], Event{Name: "r1234", Type: eventRaw, Config: 0x1234}
	for _, c := range []struct {
		e    Event
		err  error
		one  bool // only this event
		want string
	}{
		{cycles, unix.ENOENT, true, "does not count it"},
		{cycles, unix.EOPNOTSUPP, true, "does not count it"},
		{raw, unix.ENODEV, true, "does not count it"},
		{raw, unix.EINVAL, true, "config 0x1234"},
		{cycles, unix.EACCES, false, "perf_event_paranoid"},
		{raw, unix.ENOSYS, false, "no perf events"},
		{raw, unix.EMFILE, false, "open r1234: too many open files"},
	} {
		err := openError(c.e, c.err)
		var one *refusal
		if !strings.Contains(err.Error(), c.want) || errors.As(err, &one) != c.one {
			t.Errorf("%v: %T %v, want %q", c.err, err, err, c.want)
		}
	}
	for _, c := range []struct {
		level int
		known bool
		want  string
	}{
		{4, true, "/proc/sys/kernel/perf_event_paranoid is 4; 2 or less"},
		{2, true, "seccomp"},
		{0, false, "must be 2 or less"},
	} {
		if got := forbidden(c.level, c.known); !strings.Contains(got, c.want) {
			t.Errorf("level %d, %v: %q, want %q", c.level, c.known, got, c.want)
		}
	}
}

func TestCheckCounts(t *testing.T) {
	events := append(StandardEvents()[:3], Event{Name: "faults", Type: eventSoftware, Config: 1})
	for _, c := range []struct {
		counts []uint64
		want   string // empty if right
	}{
		{[]uint64{100_000, 200_000, 100_000, 0}, ""},
		{[]uint64{100_000, 200_200, 99_900, 5}, ""},
		{[]uint64{100_000, 200_201, 100_000, 0}, "200201 instructions by rdpmc in a loop of 200000"},
		{[]uint64{100_000, 199_700, 100_000, 0}, "199700 instructions"},
		{[]uint64{100_000, 200_000, 0, 0}, "0 branches by rdpmc in a loop of 100000"},
		{[]uint64{0, 200_000, 100_000, 0}, "0 cycles by rdpmc in a loop of 12500 or more"},
	} {
		err := checkCounts(events, c.counts, "rdpmc")
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d: %v, want %q", c.counts, err, c.want)
		}
	}
}
