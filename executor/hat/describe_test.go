package hat

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/invocations"
)

// describeText formats a description for golden files.
func describeText(d invocations.Description) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s needsbuild=%v hash=%v\n", filepath.Base(d.Artifact.Path), d.NeedsBuild, d.Artifact.SHA256 != "")
	for _, w := range d.Warnings {
		fmt.Fprintf(&b, "  warning: %s\n", w)
	}
	for _, f := range d.Functions {
		fmt.Fprintf(&b, "  %s%s\n", f.Name, f.Signature)
		for _, line := range []struct{ name, text string }{{"skip", f.Skip}, {"lacks", f.Lacks}, {"note", f.Note}} {
			if line.text != "" {
				fmt.Fprintf(&b, "    %s: %s\n", line.name, line.text)
			}
		}
		for _, p := range f.Parameters {
			fmt.Fprintf(&b, "    parameter %s = %s\n", p.Name, p.Default)
		}
	}
	return b.String()
}

func TestDescribeFeatures(t *testing.T) {
	folder := t.TempDir()
	compile(t, folder, "lib.so", "void g(void) {}\n")
	text := strings.Replace(packageText("lib.so", function("g", "void")), "extensions = []",
		`extensions = ["+lzcnt", "+avx2", "+avx512f", "-bmi"]`, 1)
	p, err := ReadPackage(write(t, folder, "x.hat", text))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ flags, skip, lacks string }{
		{"abm avx2 avx512f", "", ""},
		{"abm", "", "avx2 avx512f"},
		{"avx2", "lacks lzcnt", ""},
	} {
		linux := featuresOf(c.flags)
		d, err := p.describe(machine{
			system:       runtime.GOOS,
			architecture: runtime.GOARCH,
			flags: map[string]bool{
				"lzcnt":   linux["abm"],
				"abm":     linux["abm"],
				"avx2":    linux["avx2"],
				"avx512f": linux["avx512f"],
			},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		f := d.Functions[0]
		if f.Lacks != c.lacks || (f.Skip == "") != (c.skip == "") || !strings.Contains(f.Skip, c.skip) {
			t.Errorf("with %q: skip %q, lacks %q; want %q, %q", c.flags, f.Skip, f.Lacks, c.skip, c.lacks)
		}
	}
}

// TestDescribeGolden describes the sample packages for fixed machines, so that the result does not depend on this one.
// The libraries of the packages are absent.
func TestDescribeGolden(t *testing.T) {
	here := machine{system: "linux", architecture: "amd64", flags: featuresOf(flagsWithoutAMX)}
	old := machine{system: "linux", architecture: "amd64", flags: featuresOf("sse2")}
	var b strings.Builder
	for _, c := range []struct {
		file string
		on   machine
	}{
		{"acccuda.hat", here},
		{"accpkg_dyn.hat", here},
		{"accpkg_static.hat", old},
		{"hk.hat", machine{system: "darwin", architecture: "arm64"}},
		{"p.hat", machine{system: "linux", architecture: "arm64"}},
	} {
		p, err := DecodePackage(c.file, []byte(readTestdata(t, c.file)))
		if err != nil {
			t.Fatal(err)
		}
		d, err := p.describe(c.on, nil)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "on %s/%s: %s", c.on.system, c.on.architecture, describeText(d))
	}
	golden(t, "describe.golden", b.String())
}

func TestDescribeFolder(t *testing.T) {
	folder := t.TempDir()
	compile(t, folder, "lib.so",
		"void g(void) {}\nvoid (*alias)(void) = g;\nvoid My_Initialize(void) {}\n"+
			"void g_debug_check_allclose_1(void) {}\n")
	functions := function("My_Initialize", "void") + function("g", "void") + function("gg", "void") +
		function("alias", "void") +
		function("g_debug_check_allclose_1", "void") +
		function("bad", "void", affine("a", "float*", "input", "shape = [-1], affine_map = [1]"))
	write(t, folder, "b.hat", packageText("lib.so", functions))
	write(t, folder, "a.hat",
		packageText("none.so",
			function("g", "void", element("N", "int", "input"), runtimeArray("x", "float*", "input", "N"))))
	write(t, folder, "a_Globals.hat", "this is not even TOML")
	write(t, folder, "c.o", "")
	if !Recognizes(folder) || Recognizes(filepath.Join(folder, "a_Globals.hat")) ||
		Recognizes(filepath.Join(folder, "c.o")) {
		t.Error("Recognizes errs")
	}
	descriptions, err := Runtime{}.Describe(folder, executor.DescribeOptions{Parameters: map[string]string{"N": "7"}})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, d := range descriptions {
		b.WriteString(strings.ReplaceAll(describeText(d), folder, "FOLDER"))
	}
	if runtime.GOOS != "linux" {
		t.Skip("the golden file holds the notes on symbols, which are read from ELF files only")
	}
	golden(t, "describe-folder.golden", b.String())
}

func TestDescribeErrors(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "only_Globals.hat", "")
	_, err := (Runtime{}).Describe(folder, executor.DescribeOptions{})
	if err == nil || !strings.Contains(err.Error(), "holds no HAT package") {
		t.Errorf("folder without packages: %v", err)
	}
	_, err = (Runtime{}).Describe(filepath.Join(folder, "none.hat"), executor.DescribeOptions{})
	if err == nil || !strings.Contains(err.Error(), "check the path") {
		t.Errorf("missing file: %v", err)
	}
	if err := os.Mkdir(filepath.Join(folder, "lib.so"), 0o777); err != nil {
		t.Fatal(err)
	}
	path := write(t, folder, "x.hat", packageText("lib.so", function("g", "void")))
	_, err = (Runtime{}).Describe(path, executor.DescribeOptions{})
	if err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("folder as library: %v", err)
	}
}

func TestHashIsOfTheLibraryAlone(t *testing.T) {
	path := newPackage(t, "void g(void) {}\n", function("g", "void"))
	hash := func() string {
		d, err := Runtime{}.Describe(path, executor.DescribeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return d[0].Artifact.SHA256
	}
	before := hash()
	if err := StoreDurations(path, same(map[string]float64{"g": 1e-9})); err != nil {
		t.Fatal(err)
	}
	if after := hash(); after != before || len(after) != 64 {
		t.Errorf("hash %q became %q when a duration was stored", before, after)
	}
	compile(t, filepath.Dir(path), "lib.so", "int x; void g(void) {x++;}\n")
	if hash() == before {
		t.Error("another library has the same hash")
	}
}

// TestLibraryForAnotherMachine checks that a package whose library does not fit is skipped with the reason and does
// not crash the loader.
func TestLibraryForAnotherMachine(t *testing.T) {
	other, name := elf.EM_AARCH64, "arm64"
	if runtime.GOARCH == "arm64" {
		other, name = elf.EM_X86_64, "amd64"
	}
	h := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(other), Version: 1, Ehsize: 64}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1
	var header bytes.Buffer
	if err := binary.Write(&header, binary.LittleEndian, h); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	path := write(t, folder, "x.hat", packageText("lib.so", function("g", "void")))
	if err := os.WriteFile(filepath.Join(folder, "lib.so"), header.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := Runtime{}.Describe(path, executor.DescribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	skip := d[0].Functions[0].Skip
	if !strings.Contains(skip, "lib.so is for") || runtime.GOOS == "linux" && !strings.Contains(skip, name) {
		t.Errorf("skipped for %q", skip)
	}
}
