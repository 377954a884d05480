package ttsim

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/executor/dl/dltest"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// fixture compiles the stand-in for the simulator and returns its path.
// simulated returns what the simulator has counted.
func simulated(call *executor.Call) (r invocations.Result) {
	call.Simulated(&r)
	return r
}

func fixture(t testing.TB, flags ...string) string {
	t.Helper()
	return dltest.Compile(t, filepath.Join("testdata", "simulator.c"), flags...)
}

// invocation returns a program as the command line would run it.
func invocation(
	t testing.TB, r Runtime, path string, options map[string]string, inputs, expected []string,
) *invocations.Invocation {
	t.Helper()
	ds, err := r.Describe(path, executor.DescribeOptions{Options: options})
	if err != nil {
		t.Fatal(err)
	}
	inv := &invocations.Invocation{
		Artifact:   ds[0].Artifact,
		Function:   ds[0].Functions[0].Name,
		Arguments:  ds[0].Functions[0].Arguments,
		Parameters: map[string]string{},
	}
	inv.Artifact.Options = options
	inv.Verify.Expected = expected
	for i, text := range inputs {
		c, err := invocations.ParseContents(text)
		if err != nil {
			t.Fatal(err)
		}
		inv.Arguments[i].Contents = c
	}
	return inv
}

// check verifies an invocation and runs it three times.
func check(t testing.TB, r Runtime, inv *invocations.Invocation) (mismatch string, cycles int64, err error) {
	t.Helper()
	p, err := r.Load(inv.Artifact)
	if err != nil {
		return "", 0, err
	}
	call, err := p.Prepare(inv, 0)
	if err != nil {
		return "", 0, err
	}
	defer call.Close()
	mismatch, err = call.Verify(func(string) {})
	for i := 0; i < 3 && err == nil; i++ {
		err = call.Work.(*executor.Function).Invoke()
		call.Work.(*executor.Function).SettleOutputs()
	}
	return mismatch, simulated(call).SimulatedCycles, err
}

func getenv(library string) func(string) string { return func(string) string { return library } }

// TestExamples checks that the examples compute the right results on both chips, and take the same simulated cycles
// each time.
func TestExamples(t *testing.T) {
	for name, flags := range map[string][]string{"Wormhole": nil, "Blackhole": {"-DBLACKHOLE"}} {
		t.Run(name, func(t *testing.T) { runExamples(t, New(getenv(fixture(t, flags...))), name) })
	}
}

// TestRealSimulator runs the examples on Tenstorrent's own simulator, which zonemark cannot install. All cores have the
// same cycles there as on the stand-in. It uses one runtime, because a process can start one simulator.
func TestRealSimulator(t *testing.T) {
	library := os.Getenv(SimulatorVariable)
	if library == "" {
		t.Skip(SimulatorVariable + " names no libttsim.so: the examples run on the stand-in of this package only")
	}
	r := New(getenv(library))
	runExamples(t, r, "")
	runScan(t, r)
	if n := len(r.machine.card.bar0); n > 1 {
		runChips(t, r)
	} else {
		t.Logf("%s has one chip that the host sees; a build such as bh_x2 has more", library)
	}
}

func runExamples(t *testing.T, r Runtime, chip string) {
	if r.NeedsNewProcess() != "" {
		t.Error("a runtime that has not run is spent")
	}
	inv := invocation(t, r, examplePath("tensix_add.elf"), nil, []string{"iota", "1000"}, nil)
	file := filepath.Join(t.TempDir(), "want.npy")
	writeNPY(t, file, func(i int) int32 { return int32(i) + 1000 })
	inv.Verify.Expected = []string{file}
	mismatch, cycles, err := check(t, r, inv)
	if mismatch != "" || err != nil || cycles < 4*1024 {
		t.Fatalf("%s %v, %d cycles", mismatch, err, cycles)
	}
	if again, n, err := check(t, r, inv); again != "" || err != nil || n != cycles {
		t.Errorf("again: %s %v, %d cycles after %d", again, err, n, cycles)
	}
	inv.Verify.Expected = []string{"1024xi32=7"}
	mismatch, _, err = check(t, r, inv)
	if !strings.Contains(mismatch, "output0 is not as expected: 1024 of 1024 elements differ; the first is element 0: got 1000, want 7") ||
		err != nil {
		t.Errorf("a wrong result is found as %q, %v", mismatch, err)
	}
	inv = invocation(t, r, examplePath("tensix_scale.elf"), nil, []string{"2"},
		[]string{"1024xi32=-10", "1xi64=-10240"})
	inv.Parameters["scale"] = "-5"
	if mismatch, _, err := check(t, r, inv); mismatch != "" || err != nil {
		t.Errorf("%s %v", mismatch, err)
	}
	inv.Parameters["n"] = "100" // the other elements are zero, however often it has run before
	inv.Verify.Expected = []string{"1024xi32=" +
		strings.TrimSuffix(strings.Repeat("-10 ", 100)+strings.Repeat("0 ", 924), " "), "1xi64=-1000"}
	if mismatch, _, err := check(t, r, inv); mismatch != "" || err != nil {
		t.Errorf("%s %v", mismatch, err)
	}
	inv.Parameters["n"] = "1025"
	if _, _, err := check(t, r, inv); err == nil || !strings.Contains(err.Error(), "it failed, with its number 1") {
		t.Errorf("error %v", err)
	}
	if r.NeedsNewProcess() == "" {
		t.Error("the simulator has run, and the process would go on")
	}
	if got := r.machine.card.chip.name; chip != "" && got != chip {
		t.Errorf("the chip is %s, want %s", got, chip)
	}
}

func writeNPY(t *testing.T, path string, element func(i int) int32) {
	t.Helper()
	const n = 1024
	header := fmt.Sprintf("{'descr': '<i4', 'fortran_order': False, 'shape': (%d,), }", n)
	header += strings.Repeat(" ", 64-(10+len(header)+1)%64) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), 0)
	b = append(b, header...)
	for i := range n {
		b = binary.LittleEndian.AppendUint32(b, uint32(element(i)))
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// flat writes a program of bare instructions and returns its path.
func flat(t *testing.T, words ...uint32) string {
	t.Helper()
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	path := filepath.Join(t.TempDir(), "program.bin")
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFlatBinary runs a flat binary that is loaded away from address 0. It sums 1024 words, and reads the cycle counter
// before and after.
func TestFlatBinary(t *testing.T) {
	program := flat(t,
		0xffb122b7, 0x1f02a303, // lui t0, 0xffb12; lw t1, 0x1f0(t0)
		0x000103b7, 0x40000413, 0x00000493, // lui t2, 0x10; li s0, 1024; li s1, 0
		// lw a0, 0(t2); add s1, s1, a0; addi t2, t2, 4; addi s0, s0, -1; bnez s0, -16
		0x0003a503, 0x00a484b3, 0x00438393, 0xfff40413, 0xfe0418e3,
		0x1f02a583, 0x00020637, 0x00962823, // lw a1, 0x1f0(t0); lui a2, 0x20; sw s1, 16(a2)
		// sw t1, 4(a2); sw a1, 8(a2); li a3, 1; sw a3, 0(a2); j .
		0x00662223, 0x00b62423, 0x00100693, 0x00d62023, 0x0000006f)
	r := New(getenv(fixture(t)))
	for _, load := range []string{"0", "0x8000"} {
		options := map[string]string{"l1": "mailbox=0x20000 input0=0x10000:1024xi32 output0=0x20010:i32 load=" + load}
		inv := invocation(t, r, program, options, []string{"iota"}, []string{"i32=523776"})
		mismatch, cycles, err := check(t, r, inv)
		if mismatch != "" || err != nil || cycles != 5124 {
			t.Errorf("load %s: %s %v, %d cycles; want 5124, which Tenstorrent's simulator counts for the same program",
				load, mismatch, err, cycles)
		}
	}
	options := map[string]string{"l1": "mailbox=0x20000 output0=0x20010:i32", "cycle-limit": "1000"}
	_, _, err := check(t, r, invocation(t, r, flat(t, 0x6f), options, nil, nil))
	if err == nil ||
		!strings.Contains(remedy.Told(err, nil), "did not say that it is done within 1000 simulated cycles; raise cycle-limit") {
		t.Errorf("error %v", err)
	}
	wrong := flat(t, 0x00020637, 0x00700693, 0x00d62023, 0x6f) // status 7
	_, _, err = check(t, r, invocation(t, r, wrong, options, nil, nil))
	if err == nil || !strings.Contains(err.Error(), "the status in the mailbox is 7") {
		t.Errorf("error %v", err)
	}
}

func TestRefusals(t *testing.T) {
	r := New(getenv(fixture(t)))
	add := examplePath("tensix_add.elf")
	for _, c := range []struct {
		change func(*invocations.Invocation)
		want   string
	}{
		{func(i *invocations.Invocation) { i.Function = "main" }, `run by the name kernel, not "main"`},
		{func(i *invocations.Invocation) { i.Verify.Reference = "other" }, "; expected"},
		{func(i *invocations.Invocation) { i.Arguments = i.Arguments[1:] }, "2 arguments are given and it has 3"},
		{func(i *invocations.Invocation) { i.Arguments[0].Shape = []int64{5} }, "input0 is 1024xi32, not 5xi32"},
		{func(i *invocations.Invocation) { i.Arguments[2].Fill = invocations.FillZeros }, "output0 is an output"},
		{func(i *invocations.Invocation) { i.Verify.Expected = []string{"1024xi32=1", "i32=1"} },
			"2 outputs are expected, and the program has 1"},
		{func(i *invocations.Invocation) { i.Verify.Expected = []string{"1024xf32=1"} }, "output0 is 1024xi32"},
		{func(i *invocations.Invocation) { i.Verify.Expected = []string{"1024xi32"} }, "the values are missing"},
		{func(i *invocations.Invocation) { i.Artifact.Options = map[string]string{"cycle-limit": "0"} },
			"want a number of cycles from 1"},
		{func(i *invocations.Invocation) { i.Artifact.Options = map[string]string{"l1": "mailbox=0"} },
			"for flat binaries, and this is an ELF file"},
		{func(i *invocations.Invocation) { i.Artifact.Options = map[string]string{"simulator": "other.so"} },
			"can start one only"},
		{func(i *invocations.Invocation) { i.Artifact.Path = manifestOf(t, "core = \"brisc\"\nchip = 1\n") },
			"the host sees 1 of the simulator's chips, and the program uses chip 1"},
		{func(i *invocations.Invocation) {
			i.Artifact.Path = manifestOf(t, "core = \"brisc\"\ntiles = \"8,0\"\n")
		},
			"the tile 8,0 is not on Wormhole, whose grid has 8 columns and 10 rows"},
	} {
		inv := invocation(t, r, add, nil, nil, nil)
		inv.Arguments = append([]invocations.Argument{}, inv.Arguments...)
		if _, err := r.Load(inv.Artifact); err != nil {
			t.Fatal(err)
		}
		c.change(inv)
		if _, _, err := check(t, r, inv); err == nil || !strings.Contains(remedy.Told(err, nil), c.want) {
			t.Errorf("error %v, want %q in it", err, c.want)
		}
	}
	inv := invocation(t, r, examplePath("tensix_scale.elf"), nil, nil, nil)
	inv.Parameters["n"] = "4294967296"
	if _, _, err := check(t, r, inv); err == nil || !strings.Contains(err.Error(), "want a number of 32 bits") {
		t.Errorf("error %v", err)
	}
	for library, want := range map[string]string{
		"":                                    "no simulator is there; file simulator Tenstorrent's libttsim.so TT_METAL_SIMULATOR",
		filepath.Join(t.TempDir(), "none.so"): "none.so",
		fixture(t, "-Dlibttsim_clock=other"):  "is not the simulator ttsim: it lacks libttsim_clock",
		fixture(t, "-DDEVICE=0xfaca"):         "PCI id 1e52:faca; want Wormhole (1e52:401e) or Blackhole (1e52:b140)",
	} {
		r := New(getenv(library))
		for range 2 {
			if _, err := r.Load(invocations.Artifact{Path: add}); err == nil || !strings.Contains(remedy.Told(err, nil), want) {
				t.Errorf("%s: error %v, want %q in it", library, err, want)
			}
		}
	}
	_, err := r.Describe(filepath.Join("testdata", "simulator.c"), executor.DescribeOptions{})
	if err == nil || !strings.Contains(remedy.Told(err, nil), "; say l1 where the mailbox and the buffers of a flat binary are, as in") {
		t.Errorf("error %v", err)
	}
	_, err = r.Describe(t.TempDir(), executor.DescribeOptions{})
	if err == nil || !strings.Contains(err.Error(), "holds no RISC-V program") {
		t.Errorf("error %v", err)
	}
}

// TestSmallerL1 checks that a program that is too large for the L1 of one chip is refused when the chip is known: the
// last words of a Blackhole's L1 do not exist on a Wormhole.
func TestSmallerL1(t *testing.T) {
	options := map[string]string{"l1": "mailbox=0x170000"}
	r := New(getenv(fixture(t)))
	inv := invocation(t, r, flat(t, 0x6f), options, nil, nil)
	_, _, err := check(t, r, inv)
	if err == nil ||
		!strings.Contains(err.Error(), "Wormhole: mailbox has 16 bytes at 0x170000, and L1 ends at 0x16e000") {
		t.Errorf("error %v", err)
	}
}

// TestExamplesAreBuilt checks that the prebuilt examples match their sources, if the compiler that made them is
// installed. Programs of another compiler must run as well.
func TestExamplesAreBuilt(t *testing.T) {
	const compiler, version = "riscv64-unknown-elf-gcc", "12.2.0"
	cc, err := exec.LookPath(compiler)
	if err != nil {
		// This is opt-in: the programs run in any case.
		t.Skipf("%v: the prebuilt examples are not compared with their sources", err)
	}
	folder, err := filepath.Abs(examplePath(""))
	if err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command(cc, "-dumpfullversion").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []struct {
		name string
		args []string // beside those of every example
	}{
		{"tensix_add", []string{"-Wl,-T,tensix.ld", "tensix_start.S", "tensix_add.c"}},
		{"tensix_scale", []string{"-Wl,-T,tensix.ld", "tensix_start.S", "tensix_scale.c"}},
		{"tensix_scan/add", partOfScan("0", "add.c")},
		{"tensix_scan/most0", partOfScan("0x6000", "most.c", "-DPART=0")},
		{"tensix_scan/most1", partOfScan("0xA000", "most.c", "-DPART=1")},
		{"tensix_scan/most2", partOfScan("0xE000", "most.c", "-DPART=2")},
		{"tensix_scan/send", partOfScan("0x12000", "send.c")},
	} {
		name := e.name
		out := filepath.Join(t.TempDir(), filepath.Base(name)+extension)
		cmd := exec.Command(cc, append([]string{"-march=rv32im", "-mabi=ilp32", "-O1", "-ffreestanding", "-nostdlib",
			"-static", "-Wl,--build-id=none,--nmagic,--no-warn-rwx-segments,--discard-all", "-o", out}, e.args...)...)
		cmd.Dir = filepath.Join(folder, filepath.Dir(name))
		if msg, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, msg)
		}
		built, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(string(said)) == version && !bytes.Equal(built, example(t, name+extension)) {
			t.Errorf("%s%s is not what its sources compile to with %s %s", name, extension, compiler, version)
		}
		if filepath.Dir(name) != "." {
			continue // it runs with the others only
		}
		r := New(getenv(fixture(t)))
		if _, cycles, err := check(t, r, invocation(t, r, out, nil, nil, nil)); err != nil || cycles == 0 {
			t.Errorf("%s: %v, %d cycles", name, err, cycles)
		}
	}
}

// partOfScan returns the arguments that make a program of the example tensix_scan.
func partOfScan(start, source string, more ...string) []string {
	return append(more, "-I..", "-Wl,--defsym=START="+start+",-T,scan.ld", "../tensix_start.S", source)
}
