package pjrt

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/executor/ttsim"
	"zonemark/invocations"
)

// TestTTSim runs the shipped programs on a simulated card, and between them one at which the simulator gives up. The
// simulator's last output is in the result, and the run goes on.
func TestTTSim(t *testing.T) {
	t.Setenv(ttsim.SimulatorVariable, e2e.SimulatorStandIn(t))
	blackhole := e2e.SimulatorStandIn(t, "-DBLACKHOLE")
	dir := t.TempDir()
	var fatal []byte
	for _, word := range []uint32{0xffb202b7, 0x0002a283, 0x6f} { // lui t0, 0xffb20; lw t0, 0(t0): no such register
		fatal = binary.LittleEndian.AppendUint32(fatal, word)
	}
	if err := os.WriteFile(filepath.Join(dir, "fatal.bin"), fatal, 0o600); err != nil {
		t.Fatal(err)
	}
	example := e2e.Example(t)
	suite := "[defaults]\nruntime = \"ttsim\"\nmin_time = \"0s\"\nmax_time = \"50ms\"\n" +
		"min_iterations = 3\nprecision = 0\n"
	for i := range 3 {
		suite += fmt.Sprintf("[[invocation]]\nname = \"add %d\"\nartifact = %q\n"+
			"arguments = { input0 = \"iota\", input1 = \"5\" }\n", i, filepath.Join(example, "tensix_add.elf"))
		suite += fmt.Sprintf("[[invocation]]\nname = \"scale %d\"\nartifact = %q\nparams = { n = %d }\n", i,
			filepath.Join(example, "tensix_scale.elf"), 600*i)
	}
	path := filepath.Join(dir, "s.toml")
	if err := os.WriteFile(path, []byte(suite), 0o600); err != nil {
		t.Fatal(err)
	}
	results := filepath.Join(dir, "r.ndjson")
	e2e.Runs(t, cli.ExitNotOK, "run", path, "-o", results, "-q")
	records := e2e.Journal(t, results)
	first := records["add 0/kernel"]
	for i := range 3 {
		add, scale := records[fmt.Sprintf("add %d/kernel", i)], records[fmt.Sprintf("scale %d/kernel", i)]
		if add.Status != invocations.OK || add.SimulatedCycles == nil ||
			*add.SimulatedCycles != *first.SimulatedCycles || add.MedianNS == nil || *add.MedianNS <= 0 {
			t.Errorf("add %d: %+v", i, add)
		}
		if i == 2 { // 1200 of 1024 elements
			if scale.Status != invocations.Failed || !strings.Contains(scale.Error, "with its number 1") ||
				scale.SimulatedCycles != nil {
				t.Errorf("scale %d: %+v", i, scale)
			}
		} else if scale.Status != invocations.OK || scale.SimulatedCycles == nil ||
			i > 0 && *scale.SimulatedCycles < 600 {
			t.Errorf("scale %d: %+v", i, scale)
		}
	}

	// Variants of a group take turns on one simulator, each with its own memory.
	variants := "[defaults]\nruntime = \"ttsim\"\ngroup = \"g\"\nrounds = 5\nmax_time = \"100ms\"\nsimulator = \"" +
		blackhole + "\"\n"
	for _, n := range []int{10, 1000} {
		variants += fmt.Sprintf("[[invocation]]\nname = \"n%d\"\nartifact = %q\nparams = { n = %d }\n", n,
			filepath.Join(example, "tensix_scale.elf"), n)
	}
	if err := os.WriteFile(path+"2.toml", []byte(variants), 0o600); err != nil {
		t.Fatal(err)
	}
	results = filepath.Join(dir, "variants.ndjson")
	e2e.Runs(t, cli.ExitOK, "run", path+"2.toml", "-o", results, "-q")
	records = e2e.Journal(t, results)
	few, many := records["n10/kernel"].SimulatedCycles, records["n1000/kernel"].SimulatedCycles
	if few == nil || many == nil || *many < 50**few {
		t.Errorf("%v and %v cycles", few, many)
	}

	results = filepath.Join(dir, "fatal.ndjson")
	l1 := "mailbox=0x1000"
	out := e2e.Runs(t, cli.ExitNotOK, "run", filepath.Join(dir, "fatal.bin"), "--runtime", "ttsim", "--l1", l1,
		"-o", results)
	crash := e2e.Journal(t, results)["kernel"]
	const words = "ERROR: UnsupportedFunctionality: tensix register read: address=0xffb20000 size=4"
	if crash.Status != invocations.Crashed || crash.Crash == nil || crash.Crash.ExitCode == nil ||
		*crash.Crash.ExitCode != 1 || strings.Join(crash.Crash.Stderr, "\n") != words ||
		!strings.Contains(crash.Error, words) || !strings.Contains(out, words) {
		t.Errorf("%s\n%+v, %+v", out, crash, crash.Crash)
	}

	add := filepath.Join(example, "tensix_add.elf")
	out = e2e.Runs(t, cli.ExitOK, "run", add, "--simulator", blackhole, "--input", "1024xi32=3", "--input", "1024xi32=4",
		"--expected-output", "1024xi32=7", "--max-time", "50ms")
	if !strings.Contains(out, "simulated cycles") ||
		!strings.Contains(out, "simulated Blackhole: the time is what simulating a call takes on this machine") {
		t.Errorf("%s", out)
	}
	e2e.Runs(t, cli.ExitNotOK, "run", add, "--expected-output", "1024xi32=7", "-c", "-q")
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{add, "--simulator", filepath.Join(dir, "none.so")}, cli.ExitError,
			"there is no such file; name Tenstorrent's libttsim.so"},
		{[]string{add, "--simulator", dir}, cli.ExitError, "a folder; name the file in it"},
		{[]string{add, "--simulator", add}, cli.ExitNotOK, "this machine is"},
		{[]string{add, "--input", "5xi32=1"}, cli.ExitError, "input0: it is 1024xi32, not 5xi32"},
		{[]string{add, "--mode", "cold"}, cli.ExitOK, "does not depend on the caches of this machine"},
		{[]string{path, "--cycle-limit", "7"}, cli.ExitNotOK, "did not say that it is done within 7 simulated cycles"},
		{[]string{filepath.Join(dir, "fatal.bin"), "--runtime", "ttsim"}, cli.ExitError,
			"say by --l1 where the mailbox and the buffers of a flat binary are"},
	} {
		if out := e2e.Runs(t, c.status, append([]string{"run"}, c.args...)...); !strings.Contains(out, c.want) {
			t.Errorf("%q: %s, want %q in it", c.args, out, c.want)
		}
	}
	// What is mapped and not touched does not count as memory: 128 GiB, as for four chips.
	if runtime.GOOS == "linux" {
		large := e2e.SimulatorStandIn(t, "-DBLACKHOLE", "-DDRAM=32")
		e2e.Runs(t, cli.ExitOK, "run", add, "--simulator", large, "--memory", "1GiB", "-c", "-q")
	}

	results = filepath.Join(dir, "cores.ndjson")
	scan := filepath.Join(example, "tensix_scan")
	e2e.Runs(t, cli.ExitOK, "run", scan, "--input", "4x240xi32=1", "--expected-output", "4x240xi32="+inRows(4, 240),
		"--max-time", "50ms", "-o", results, "-q")
	cores := e2e.Journal(t, results)["kernel"]
	if len(cores.SimulatedCores) != 20 || cores.SimulatedCores[3].End <= cores.SimulatedCores[2].End {
		t.Errorf("%+v", cores.SimulatedCores)
	}
	out = e2e.Runs(t, cli.ExitOK, "trace", "chrome", results, "--name", "^send$")
	if strings.Count(out, `"ph":"X"`) != 4+3 || !strings.Contains(out, `"name":"kernel: chip 0, tile 2,0, NCRISC"`) {
		t.Errorf("%s", out)
	}
	if out := e2e.Runs(t, cli.ExitError, "trace", "chrome", filepath.Join(dir, "fatal.ndjson")); !strings.Contains(out,
		"none of its results has simulated cores") {
		t.Errorf("%s", out)
	}
	bundle := filepath.Join(dir, "scan.bundle")
	e2e.Runs(t, cli.ExitOK, "run", scan, "--max-time", "20ms", "--bundle", bundle, "-q")
	e2e.Runs(t, cli.ExitOK, "replay", bundle, "--undecided-ok", "-q")
	t.Setenv(ttsim.SimulatorVariable, "")
	if out := e2e.Runs(t, cli.ExitNotOK, "run", add); !strings.Contains(out,
		"name Tenstorrent's libttsim.so by --simulator or by the variable TT_METAL_SIMULATOR") {
		t.Errorf("%s", out)
	}
}

// inRows returns the numbers from 1 on, each in a row of its own that it fills.
func inRows(rows, columns int) string {
	var list []string
	for row := range rows {
		for range columns {
			list = append(list, fmt.Sprint(row+1))
		}
	}
	return strings.Join(list, " ")
}
