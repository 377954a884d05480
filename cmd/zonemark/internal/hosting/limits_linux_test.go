package hosting

import (
	"testing"

	"zonemark/driver/executors"
	"zonemark/executor/platform"
)

// A limit above what the machine has free is as good as none: a suite, a bundle or another machine's driver asks for
// it.
func TestMemoryOfTheMachine(t *testing.T) {
	free := platform.AvailableMemoryBytes()
	if free == 0 {
		t.Fatal("Linux does not tell how much memory is free")
	}
	for _, c := range []struct{ user, asked, least, most int64 }{
		{0, 1 << 50, 1, free * 7 / 8},
		{1 << 50, 0, 1, free * 7 / 8},
		{1 << 50, 1 << 20, 1 << 20, 1 << 20},
		{1 << 20, 0, 1 << 20, 1 << 20},
	} {
		o := Options{MemoryBytes: c.user}
		o.MemoryBytes = o.memoryBytes() // as NewMeasurer does
		if got := o.allowing(executors.Allowance{MemoryBytes: c.asked}).MemoryBytes; got < c.least || got > c.most {
			t.Errorf("%+v: %d bytes", c, got)
		}
	}
}
