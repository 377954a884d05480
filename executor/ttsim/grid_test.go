package ttsim

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/invocations"
)

// scanExample is the example that uses all cores of several tiles.
const scanExample = "tensix_scan/scan.tensix"

// manifestOf writes a manifest with one core, which runs tensix_add.elf, and further lines.
func manifestOf(t testing.TB, lines string) string {
	t.Helper()
	return manifestWith(t, "[[core]]\nprogram = \"tensix_add.elf\"\n"+lines)
}

// manifestWith writes a manifest beside copies of the examples.
func manifestWith(t testing.TB, text string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"tensix_add.elf", "tensix_scale.elf", "tensix_scan/most1.elf"} {
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), example(t, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "program.tensix")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAllCores runs the example on five cores of four tiles, with transfers between these, on both chips.
func TestAllCores(t *testing.T) {
	for name, flags := range map[string][]string{"Wormhole": nil, "Blackhole": {"-DBLACKHOLE"}} {
		t.Run(name, func(t *testing.T) { runScan(t, New(getenv(fixture(t, flags...)))) })
	}
}

// runScan runs the example and compares its results, and its timeline with that of the chip.
func runScan(t *testing.T, r Runtime) {
	rows := make([]string, 4)
	var most [3][]string
	for tile := range 4 { // input: 0, 1, … 959 in rows of 240
		for part := range 3 {
			sum := 0
			for row := range tile + 1 {
				sum += 240*row + 80*part + 79
			}
			most[part] = append(most[part], fmt.Sprint(sum))
		}
		var row []string
		for i := range 240 {
			sum := 0
			for before := range tile + 1 {
				sum += 240*before + i
			}
			row = append(row, fmt.Sprint(sum))
		}
		rows[tile] = strings.Join(row, " ")
	}
	expected := []string{"4x240xi32=" + strings.Join(rows, " ")}
	for _, m := range most {
		expected = append(expected, "4x1xi32="+strings.Join(m, " "))
	}
	inv := invocation(t, r, examplePath(scanExample), nil, []string{"iota"}, expected)
	p, err := r.Load(inv.Artifact)
	if err != nil {
		t.Fatal(err)
	}
	call, err := p.Prepare(inv, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer call.Close()
	if mismatch, err := call.Verify(func(string) {}); mismatch != "" || err != nil {
		t.Fatalf("%s %v", mismatch, err)
	}
	for range 3 { // nothing is left of the calls before, whether memory is restored after each or not
		if err := call.Work.(*executor.Function).Invoke(); err != nil {
			t.Fatal(err)
		}
		call.Work.(*executor.Function).SettleOutputs()
	}
	cores := simulated(call).SimulatedCores
	compareTimeline(t, cores, filepath.Join("testdata", "scan_"+strings.ToLower(r.machine.card.chip.name)+".json"))
	last := slices.MaxFunc(cores, func(a, b invocations.SimulatedCore) int { return int(a.End - b.End) })
	if simulated(call).SimulatedCycles != last.End || last.Core[:5] != "TRISC" || last.Column != 3 {
		t.Errorf("%d cycles, and the last core is %+v", simulated(call).SimulatedCycles, last)
	}
}

// compareTimeline compares a timeline with the one that Tenstorrent's simulator 1.10 counts for the same program.
func compareTimeline(t *testing.T, got []invocations.SimulatedCore, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want []invocations.SimulatedCore
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d cores, want %d", len(got), len(want))
	}
	for i := range got {
		if fmt.Sprint(got[i]) != fmt.Sprint(want[i]) {
			t.Errorf("%+v; want %+v", got[i], want[i])
		}
	}
}

// TestChips runs one program on both chips of a simulator, each with its own part of the input.
func TestChips(t *testing.T) {
	for name, flags := range map[string][]string{"Wormhole": nil, "Blackhole": {"-DBLACKHOLE"}} {
		t.Run(name, func(t *testing.T) { runChips(t, New(getenv(fixture(t, append(flags, "-DCHIPS=2")...)))) })
	}
}

func runChips(t *testing.T, r Runtime) {
	path := manifestWith(t, `
[[core]]
core = "BRISC"
program = "tensix_add.elf"
name = "left"
[[core]]
core = "brisc"
program = "tensix_add.elf"
name = "right"
chip = 1
tiles = "7,9 0,0-1,1"
`)
	inv := invocation(t, r, path, nil, []string{"1", "2", "30", "40"}, []string{"1024xi32=3", "5x1024xi32=70"})
	p, err := r.Load(inv.Artifact)
	if err != nil {
		t.Fatal(err)
	}
	call, err := p.Prepare(inv, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer call.Close()
	if mismatch, err := call.Verify(func(string) {}); mismatch != "" || err != nil {
		t.Fatalf("%s %v", mismatch, err)
	}
	for i, c := range simulated(call).SimulatedCores {
		if c.Chip != min(i, 1) || c.Begin != 0 || c.End != simulated(call).SimulatedCycles ||
			i == 1 && (c.Column != 7 || c.Row != 9) {
			t.Errorf("core %d: %+v", i, c)
		}
	}
}

// TestFailingCore checks that the failure of one core ends a call, and that it is named, while others wait for ever.
func TestFailingCore(t *testing.T) {
	r := New(getenv(fixture(t)))
	path := manifestWith(t, `
[[core]]
core = "brisc"
program = "tensix_scale.elf"
tiles = "1,2"
[[core]]
core = "trisc1"
program = "most1.elf"
`)
	inv := invocation(t, r, path, nil, nil, nil)
	inv.Parameters["n"] = "5000"
	if _, _, err := check(t, r, inv); err == nil || !strings.Contains(err.Error(),
		"tensix_scale on BRISC of the tile 1,2 says that it failed, with its number 1") {
		t.Errorf("error %v", err)
	}
	inv.Parameters["n"] = "5"
	inv.Artifact.Options = map[string]string{"cycle-limit": "3000"}
	if _, _, err := check(t, r, inv); err == nil || !strings.Contains(err.Error(),
		"most1 on TRISC1 of the tile 0,0: the mailbox at") {
		t.Errorf("error %v", err)
	}
}

// TestFolderOfProgram checks that the ELF files of a manifest are no programs of their own.
func TestFolderOfProgram(t *testing.T) {
	r := New(getenv(""))
	folder := filepath.Dir(manifestOf(t, "core = \"brisc\"\n"))
	list, err := r.Describe(folder, executor.DescribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range list {
		names = append(names, filepath.Base(d.Artifact.Path))
	}
	if strings.Join(names, " ") != "most1.elf program.tensix tensix_scale.elf" {
		t.Errorf("%q", names)
	}
	files, err := Companions(filepath.Join(folder, "program.tensix"))
	if err != nil || len(files) != 1 || files[0] != filepath.Join(folder, "tensix_add.elf") {
		t.Errorf("%q, %v", files, err)
	}
	// The hash is of all files.
	before := list[1].Artifact.SHA256
	if err := os.WriteFile(files[0], example(t, "tensix_scale.elf"), 0o600); err != nil {
		t.Fatal(err)
	}
	if list, err = r.Describe(folder, executor.DescribeOptions{}); err != nil || list[1].Artifact.SHA256 == before {
		t.Errorf("%v; the hash does not depend on the programs", err)
	}
}

func TestManifestRefusals(t *testing.T) {
	const add = "[[core]]\ncore = \"brisc\"\nprogram = \"tensix_add.elf\"\n"
	named := strings.Replace(add, "\n", "\nname = \"b\"\n", 1)
	other := "[[core]]\ncore = \"trisc1\"\nprogram = \"most1.elf\"\n"
	for text, want := range map[string]string{
		"":                                      "it has 0 tables [[core]]",
		"[[core]]\ncore = 5":                    "line 2",
		add + "tile = \"0,0\"":                  `no key "core.tile" in a manifest; did you mean "tiles"?`,
		add + "tiles = \"3,0-0,0\"":             "want COLUMN,ROW or a rectangle",
		add + "tiles = \"0\"":                   "want COLUMN,ROW or a rectangle",
		add + "tiles = \" \"":                   "want tiles such as",
		add + "tiles = \"0,0 0,0\"":             "the tile 0,0 is there twice",
		add + "tiles = \"0,0-31,9\"":            "more than 256 tiles",
		add + "chip = 32":                       "want a number from 0 to 31",
		add + "name = \"a b\"":                  "want letters, digits and _",
		add + add:                               "there are two named tensix_add; give one another name",
		add + named:                             "are both for BRISC of the tile 0,0",
		strings.Replace(add, "brisc", "arc", 1): `no core "arc"; want one of brisc, trisc0`,
		strings.Replace(add, "tensix", "../tensix", 1):           "in the manifest's folder or below",
		strings.Replace(add, "tensix_add", "none", 1):            "none.elf: open ",
		add + strings.Replace(other, "most1", "tensix_scale", 1): "use the same memory of the tile 0,0; link them to",
		add + other: "",
	} {
		_, err := New(getenv("")).Describe(manifestWith(t, text), executor.DescribeOptions{})
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: error %v, want %q in it", text, err, want)
		}
	}
	options := executor.DescribeOptions{Options: map[string]string{"l1": "mailbox=0"}}
	if _, err := New(getenv("")).Describe(manifestWith(t, add), options); err == nil ||
		!strings.Contains(err.Error(), "and this is a manifest") {
		t.Errorf("error %v", err)
	}
}

// FuzzManifest checks that accepted manifests keep to the limits.
func FuzzManifest(f *testing.F) {
	f.Add(example(f, scanExample))
	f.Add([]byte("[[core]]\ncore=\"ncrisc\"\nprogram=\"a.elf\"\ntiles=\"0,0-15,15\"\nchip=31\nname=\"x\"\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, files, err := parseManifest(data)
		if err != nil {
			return
		}
		if len(list) == 0 || len(list) > maxPlacements || len(files) != len(list) {
			t.Errorf("%d placements, %d files", len(list), len(files))
		}
		for i, p := range list {
			if len(p.tiles) == 0 || len(p.tiles) > maxTiles || p.name == "" || !filepath.IsLocal(files[i]) {
				t.Errorf("%+v", p)
			}
		}
	})
}
