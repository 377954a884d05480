package hat

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/invocations"

	"github.com/google/go-cmp/cmp"
)

func symbols(p *Package) []string {
	var names []string
	for _, f := range p.Functions {
		names = append(names, f.Symbol)
	}
	return names
}

func TestDecodeKeepsFileOrderAndLines(t *testing.T) {
	for _, c := range []struct {
		file, target string
		functions    []string
		firstLine    int
	}{
		{"p.hat", "libp.so", []string{"gemm_slow", "gemm"}, 13},
		{"hk.hat", "libk.so", []string{"k_empty", "k_50ns", "k_10us"}, 13},
		{"acccuda.hat", "", []string{"cumm_fedaa72f7e52fc01"}, 13},
		{"accpkg_static.hat", "accpkg_static_lib.a",
			[]string{"add1k_d267a9c0fa5254b3", "fused64_3a71b8844bcb1f54", "mm16_a8146d575aa1d453",
				"mm256_4ebe5bac6bec6f40", "mm256_naive_5a2cce811845ec86", "mm4_ff9c4c42480cbf03",
				"mm64_6a1659bafd6ae1c5"},
			13},
	} {
		text := readTestdata(t, c.file)
		for _, variant := range []struct{ name, text string }{
			{"as it is", text},
			{"CRLF", strings.ReplaceAll(text, "\n", "\r\n")},
			{"byte order mark", "\xef\xbb\xbf" + text},
		} {
			p, err := DecodePackage(c.file, []byte(variant.text))
			if err != nil {
				t.Errorf("%s, %s: %v", c.file, variant.name, err)
				continue
			}
			if diff := cmp.Diff(c.functions, symbols(p)); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", c.file, variant.name, diff)
			}
			if p.Depends.LinkTarget != c.target {
				t.Errorf("%s: link_target %q, want %q", c.file, p.Depends.LinkTarget, c.target)
			}
			if got := p.Functions[0].Line; got != c.firstLine {
				t.Errorf("%s, %s: the first function is said to be in line %d, want %d",
					c.file, variant.name, got, c.firstLine)
			}
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	whole := readTestdata(t, "p.hat")
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "the file is empty"},
		{"blank", " \r\n\t\n", "the file is empty"},
		{"binary", "\x7fELF\x02\x01\x01\x00", "byte 7 is zero"},
		{"cut inside a string", whole[:strings.Index(whole, "extern")], "cut off"},
		{"cut inside the arguments", whole[:strings.Index(whole, "shape")], "cut off"},
		{"cut between tables", whole[:strings.Index(whole, "[declaration]")], "no table [declaration]"},
		{"no functions", strings.ReplaceAll(whole, "[functions", "[other"), "no table [functions]"},
		{"wrong type", strings.Replace(whole, "shape = [64]", `shape = "64"`, 1), "shape"},
		{"table twice", whole + "\n[target]\n", "target"},
		{"another package as library", strings.Replace(whole, `link_target = "libp.so"`, `link_target = "q.hat"`, 1),
			"is a .hat file"},
	} {
		_, err := DecodePackage("x.hat", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "x.hat") {
			t.Errorf("%s: error %v, want one that names x.hat and says %q", c.name, err, c.want)
		}
	}
}

func TestSyntaxErrorNamesTheLine(t *testing.T) {
	_, err := DecodePackage("x.hat", []byte("a = 1\nb = = 2\n"))
	if err == nil || !strings.Contains(err.Error(), "x.hat:2:") {
		t.Errorf("error %v does not name line 2", err)
	}
}

func TestReadPackageErrors(t *testing.T) {
	folder := t.TempDir()
	huge := write(t, folder, "huge.hat", "")
	if err := os.Truncate(huge, maxPackageBytes+1); err != nil {
		t.Fatal(err)
	}
	self := write(t, folder, "self.hat", packageText("self.hat", ""))
	if err := os.Link(self, filepath.Join(folder, "alias.so")); err != nil {
		t.Skip(err)
	}
	alias := write(t, folder, "self.hat", packageText("alias.so", ""))
	loop := filepath.Join(folder, "loop.hat")
	if err := os.Symlink("loop.hat", loop); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct{ name, path, want string }{
		{"missing", filepath.Join(folder, "none.hat"), "check the path"},
		{"folder", folder, "not a regular file"},
		{"too large", huge, "64 MiB"},
		{"its own library", alias, "is the package itself"},
		{"loop of links", loop, "loop of symbolic links"},
	} {
		_, err := ReadPackage(c.path)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.path) {
			t.Errorf("%s: error %v, want one that names the file and says %q", c.name, err, c.want)
		}
	}
}

func FuzzDecodePackage(f *testing.F) {
	for _, name := range []string{"p.hat", "hk.hat", "accpkg_static.hat", "acccuda.hat"} {
		f.Add([]byte(readTestdata(f, name)))
	}
	f.Add([]byte(packageText("x.so",
		function("f", "float", element("N", "int64_t", "input"), runtimeArray("a", "double**", "output", "N * 2"),
			affine("b", "uint16_t*", "input_output", "shape = [3, 4], affine_map = [-4, 1], affine_offset = 8")))))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := DecodePackage("fuzz.hat", data)
		if err != nil {
			return
		}
		for _, fn := range p.Functions {
			proto, err := p.prototypeOf(fn)
			if err != nil {
				if !strings.Contains(err.Error(), fn.Symbol) {
					t.Errorf("the error does not name function %q: %v", fn.Symbol, err)
				}
				continue
			}
			var out invocations.Function
			if err := proto.Describe(&out, nil); err != nil && out.Signature == "" {
				t.Errorf("function %q has no signature: %v", fn.Symbol, err)
			}
		}
	})
}
