package capi

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"zonemark/executor/iree/tensor"
)

// dispatchesIn returns the number of dispatches among host execution events.
func dispatchesIn(t *testing.T, c Chunk) int {
	n := 0
	for b := c.Data; len(b) >= 152; b = b[binary.LittleEndian.Uint32(b):] {
		if binary.LittleEndian.Uint32(b[4:]) == 2 {
			n++
		}
	}
	return n
}

// TestProfileIsComplete flushes often enough and counts the dispatches of 50,000 calls.
func TestProfileIsComplete(t *testing.T) {
	const calls = 50_000
	d := device(t, DeviceOptions{Driver: "local-sync"})
	x := floats([]int64{4}, 1)
	c := call(t, load(t, d, "tiny"), "tiny", x, x)
	dispatches, dropped, functions := 0, uint64(0), ""
	p, err := d.StartProfiling(HostExecutionEvents|ExecutableMetadata, func(c Chunk) error {
		dropped += c.Dropped
		switch {
		case strings.HasSuffix(c.ContentType, ".host-execution-events"):
			dispatches += dispatchesIn(t, c)
		case strings.HasSuffix(c.ContentType, ".executable-functions"):
			functions += string(c.Data)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	if _, err := d.StartProfiling(HostExecutionEvents, nil); err == nil {
		t.Error("two profiles of one device")
	}
	for i := range calls {
		if err := c.Invoke(); err != nil {
			t.Fatal(err)
		}
		if i%512 == 511 {
			if err := p.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if dispatches != calls || dropped != 0 {
		t.Errorf("%d of %d dispatches arrived, %d records were dropped", dispatches, calls, dropped)
	}
	if !strings.Contains(functions, "tiny_dispatch_0") {
		t.Errorf("no name of the dispatch in %q", functions)
	}
	if err := p.Flush(); err == nil {
		t.Error("a stopped profile was flushed")
	}
	if err := p.Stop(); err != nil {
		t.Errorf("stopping twice: %v", err)
	}
}

// TestLostRecords does not flush, so the device reports how many records it dropped.
func TestLostRecords(t *testing.T) {
	d := device(t, DeviceOptions{Driver: "local-sync"})
	x := floats([]int64{4}, 1)
	c := call(t, load(t, d, "tiny"), "tiny", x, x)
	var arrived, dropped uint64
	p, err := d.StartProfiling(HostExecutionEvents, func(c Chunk) error {
		arrived += uint64(len(c.Data) / 152)
		dropped += c.Dropped
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for range EventCapacity {
		if err := c.Invoke(); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if dropped == 0 || arrived == 0 || (arrived+dropped)%EventCapacity != 0 {
		t.Errorf("%d records arrived, %d were dropped, of the same number from each of %d calls",
			arrived, dropped, EventCapacity)
	}
}

func TestProfileErrors(t *testing.T) {
	d := device(t, DeviceOptions{Driver: "local-sync"})
	if _, err := d.StartProfiling(1<<3, nil); err == nil || !strings.Contains(err.Error(), "UNIMPLEMENTED") {
		t.Errorf("dispatch events of a device without them: %v", err)
	}
	refused := errors.New("refused")
	p, err := d.StartProfiling(HostExecutionEvents, func(Chunk) error { return refused })
	if err == nil {
		x := floats([]int64{4}, 1)
		_ = call(t, load(t, d, "tiny"), "tiny", x, x).Invoke()
		err = p.Stop()
	}
	if !errors.Is(err, refused) {
		t.Errorf("the error of the receiver is lost: %v", err)
	}
}

// residentBytes returns the size of the process in memory, without what Go can return to the system.
func residentBytes(t *testing.T) int64 {
	t.Helper()
	debug.FreeOSMemory() // returns to the system what Go does not need
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(b))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// TestNoLeak makes 200,000 calls, and a thousand of everything that is made less often.
func TestNoLeak(t *testing.T) {
	d := device(t, DeviceOptions{Driver: "local-sync"})
	s := load(t, d, "tiny")
	x := floats([]int64{4}, 1)
	c := call(t, s, "tiny", x, x)
	bad := call(t, s, "tiny", x)
	large := floats([]int64{1 << 16}, 1)
	round := func(calls, others int) {
		for range calls {
			if err := c.Invoke(); err != nil {
				t.Fatal(err)
			}
		}
		for range others {
			if _, err := c.Outputs(); err != nil {
				t.Fatal(err)
			}
			if bad.Invoke() == nil {
				t.Fatal("a call with one input of two succeeded")
			}
			again, err := s.Call("tiny", []tensor.Tensor{x, large})
			if err != nil {
				t.Fatal(err)
			}
			again.Close()
		}
	}
	round(2000, 100)
	before := residentBytes(t)
	round(200_000, 1000) // the inputs of each closed call take 256 KiB
	if grown := residentBytes(t) - before; grown > 8<<20 {
		t.Errorf("the process has grown by %d KiB", grown>>10)
	} else {
		t.Logf("grown by %d KiB", grown>>10)
	}
}

func TestInvokeDoesNotAllocate(t *testing.T) {
	x := floats([]int64{4}, 1)
	c := call(t, load(t, device(t, DeviceOptions{Driver: "local-sync"}), "tiny"), "tiny", x, x)
	if n := testing.AllocsPerRun(100, func() {
		if err := c.Invoke(); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%g allocations for a call", n)
	}
}

func TestSessionsComeAndGo(t *testing.T) {
	l := open(t)
	x := floats([]int64{4}, 3)
	for i := range 60 {
		d, err := l.OpenDevice(devices[i%len(devices)])
		if err != nil {
			t.Fatal(err)
		}
		s, err := d.Load(modulePath("tiny"), nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.Call("tiny", []tensor.Tensor{x, x})
		if err != nil {
			t.Fatal(err)
		}
		same(t, results(t, c), []tensor.Tensor{floats([]int64{4}, 9)})
		p, err := d.StartProfiling(HostExecutionEvents, func(Chunk) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(c.Invoke(), p.Stop()); err != nil {
			t.Fatal(err)
		}
		c.Close()
		s.Close()
		d.Close()
	}
}

func BenchmarkInvoke(b *testing.B) {
	for _, o := range devices {
		b.Run(o.Driver+"-"+strconv.Itoa(o.TaskThreads), func(b *testing.B) {
			x := floats([]int64{4}, 1)
			c := call(b, load(b, device(b, o), "tiny"), "tiny", x, x)
			for b.Loop() {
				if err := c.Invoke(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
