package hat

import (
	"strings"
	"testing"

	"zonemark/invocations/cpuinfo"
)

// flagsWithoutAMX holds the x86 flags of a recent AMD server as Linux lists them.
const flagsWithoutAMX = `fpu mmx fxsr sse sse2 ht lm rdtscp cx8 cmov pni pclmulqdq ssse3 fma cx16 sse4_1 sse4_2 movbe
popcnt aes xsave avx f16c rdrand lahf_lm abm sse4a 3dnowprefetch fsgsbase bmi1 avx2 bmi2 invpcid avx512f avx512dq rdseed
adx avx512ifma clflushopt clwb avx512cd sha_ni avx512bw avx512vl xsaveopt xsavec xsaves avx_vnni avx512_bf16 clzero
avx512vbmi pku avx512_vbmi2 gfni vaes vpclmulqdq
avx512_vnni avx512_bitalg avx512_vpopcntdq rdpid movdiri movdir64b avx512_vp2intersect wbnoinvd`

func featuresOf(flags ...string) map[string]bool {
	var text strings.Builder
	for _, f := range flags {
		text.WriteString("processor\t: 0\nflags\t\t: " + strings.Join(strings.Fields(f), " ") +
			"\nbugs\t\t: spectre_v1\n\n")
	}
	return cpuinfo.CommonFeatures(cpuinfo.ParseProcessors(text.String()))
}

func TestLackingFeatures(t *testing.T) {
	generated, err := DecodePackage("x.hat", []byte(readTestdata(t, "accpkg_dyn.hat")))
	if err != nil {
		t.Fatal(err)
	}
	sapphireRapids := generated.Target.Required.CPU.Extensions
	for _, c := range []struct {
		name             string
		extensions       []string
		architecture     string
		flags            map[string]bool
		faulting, silent string
	}{
		{"what Accera's host list names and an AMD CPU lacks", sapphireRapids, "amd64", featuresOf(flagsWithoutAMX),
			"tsxldtrk cldemote amx-tile avx512fp16 amx-bf16 serialize amx-int8", ""},
		{"minus and repetition", []string{"-avx512f", "+avx2", "+avx2", "avx", "+"}, "amd64", featuresOf("avx"), "avx2",
			""},
		{"silent ones", []string{"+lzcnt", "+bmi", "+bmi2"}, "amd64", featuresOf("bmi2"), "", "lzcnt bmi"},
		{"unequal cores", []string{"+avx512f", "+avx2"}, "amd64", featuresOf("avx2 avx512f", "avx2"), "avx512f", ""},
		{"unknown CPU", []string{"+avx512f"}, "amd64", nil, "", ""},
		{"arm64", []string{"+neon", "+sve2", "+dotprod"}, "arm64",
			map[string]bool{"fp": true, "asimd": true, "asimddp": true}, "sve2", ""},
	} {
		faulting, silent := lackingFeatures(c.extensions, c.architecture, c.flags)
		if got := strings.Join(faulting, " "); got != c.faulting {
			t.Errorf("%s: lacks %q, want %q", c.name, got, c.faulting)
		}
		if got := strings.Join(silent, " "); got != c.silent {
			t.Errorf("%s: silently lacks %q, want %q", c.name, got, c.silent)
		}
	}
}
