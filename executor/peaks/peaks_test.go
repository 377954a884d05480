package peaks

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"zonemark/executor"
	"zonemark/executor/dl"
	"zonemark/executor/platform"
	"zonemark/invocations"
)

// needKernels skips the test on processors without kernels.
func needKernels(t *testing.T) {
	t.Helper()
	if len(Cases()) == 0 {
		t.Skip("there are no kernels for this processor")
	}
}

// The kernels move exactly the bytes that they are told to.
func TestMoving(t *testing.T) {
	needKernels(t)
	const n, guard = 3 * moveStep, 64
	for _, k := range moving() {
		from, to := make([]byte, n+guard), make([]byte, n+guard)
		for i := range from {
			from[i], to[i] = byte(i*7+1), 0xee
		}
		want := slices.Repeat([]byte{0xee}, n+guard)
		if k.what == Copy {
			copy(want, from[:n])
		}
		before := slices.Clone(from)
		dl.Call(k.entry, 2, uintptr(unsafe.Pointer(&from[0])), uintptr(unsafe.Pointer(&to[0])), n)
		if !bytes.Equal(from, before) {
			t.Errorf("%s with %s changes what it reads", k.what, k.width)
		}
		if !bytes.Equal(to, want) {
			t.Errorf("%s with %s writes something else", k.what, k.width)
		}
	}
}

// Each computing kernel runs on this processor and returns.
func TestComputing(t *testing.T) {
	needKernels(t)
	for _, k := range computing() {
		if k.perRound <= 0 {
			t.Errorf("%s with %s computes nothing", k.what, k.width)
		}
		dl.Call(k.entry, 1)
		dl.Call(k.entry, 1000)
	}
}

// Every case of this machine can be prepared and called, and says what it does.
func TestCases(t *testing.T) {
	needKernels(t)
	names := map[string]bool{}
	for _, c := range Cases() {
		if names[c.Name()] {
			t.Errorf("two cases are called %s", c.Name())
		}
		names[c.Name()] = true
		if c.bytes > 32<<20 {
			continue // the same code with more memory
		}
		call, err := program{}.Prepare(&invocations.Invocation{Function: c.Name()}, 0)
		if err != nil {
			t.Errorf("%s: %v", c.Name(), err)
			continue
		}
		if c.Moves() != (call.Bytes > 0) || c.Moves() != (call.FLOP == 0) {
			t.Errorf("%s: %g operations and %g bytes", c.Name(), call.FLOP, call.Bytes)
		}
		crew, called := call.Work.(*executor.Function)
		if called != (c.CPUs > 1) {
			t.Errorf("%s is called otherwise", c.Name())
		}
		if called {
			if err := crew.Invoke(); err != nil {
				t.Errorf("%s: %v", c.Name(), err)
			}
		}
		call.Close()
	}
	if _, found := CaseOf("float32.abacus"); found {
		t.Error("there is a case that no processor has")
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		function string
		setBytes int64
		want     string
	}{{"float32.abacus", 0, "no peak"}, {"read.L1", 1, "choose their memory"}} {
		_, err := program{}.Prepare(&invocations.Invocation{Function: c.function}, c.setBytes)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.function, err, c.want)
		}
	}
}

func TestLevels(t *testing.T) {
	caches := []platform.Cache{{Level: 1, Bytes: 32 << 10, CPUs: 1}, {Level: 2, Bytes: 1 << 20, CPUs: 1},
		{Level: 3, Bytes: 32 << 20, CPUs: 8}}
	for _, c := range []struct {
		cpus int
		want []level
	}{
		{1, []level{{"L1", 16 << 10}, {"L2", 512 << 10}, {"L3", 16 << 20}, {"memory", 128 << 20}}},
		{8, []level{{"L1", 16 << 10}, {"L2", 512 << 10}, {"L3", 2 << 20}, {"memory", 64 << 20}}},
		{32, []level{{"L1", 16 << 10}, {"L2", 512 << 10}, {"L3", 2 << 20}, {"memory", 32 << 20}}},
	} {
		if got := levelsOf(caches, c.cpus); !slices.Equal(got, c.want) {
			t.Errorf("%d CPUs: %v, want %v", c.cpus, got, c.want)
		}
	}
	small := []platform.Cache{{Level: 1, Bytes: 32 << 10, CPUs: 1}, {Level: 2, Bytes: 1 << 20, CPUs: 64}}
	if got := levelsOf(small, 64); slices.ContainsFunc(got, func(l level) bool { return l.name == "L2" }) {
		t.Errorf("a share of L2 that fits into L1 is measured: %v", got)
	}
	if got := levelsOf(nil, 1); len(got) != 1 || got[0].bytes%blockBytes != 0 {
		t.Errorf("without known caches: %v", got)
	}
}

// The crew does every job once for each call.
func TestCrew(t *testing.T) {
	needKernels(t)
	i := slices.IndexFunc(moving(), func(k kernel) bool { return k.what == Copy })
	k := moving()[i]
	from, to := bytes.Repeat([]byte{5}, moveStep), make([][]byte, 4)
	var jobs []job
	for i := range to {
		to[i] = make([]byte, moveStep)
		jobs = append(jobs, job{k.entry, 1, uintptr(unsafe.Pointer(&from[0])), uintptr(unsafe.Pointer(&to[i][0])),
			moveStep})
	}
	c := newCrew(jobs, platform.AllowedCPUs())
	defer c.close()
	for range 2 {
		for i := range to {
			clear(to[i])
		}
		if err := c.work(); err != nil {
			t.Fatal(err)
		}
		for i := range to {
			if !bytes.Equal(to[i], from) {
				t.Errorf("job %d was not done", i)
			}
		}
	}
}

func TestDescribe(t *testing.T) {
	needKernels(t)
	list, err := Runtime{}.Describe("zonemark", executor.DescribeOptions{})
	if err != nil || len(list) != 1 || len(list[0].Functions) != len(Cases()) {
		t.Errorf("%v, %v", list, err)
	}
}
