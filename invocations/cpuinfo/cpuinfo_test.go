package cpuinfo

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestParseProcessors(t *testing.T) {
	const x86 = "processor\t: 0\nmodel name\t: Some CPU: fast\nflags\t\t: fpu avx2 hypervisor\nbugs\t\t: spectre_v1\n\n" +
		"processor\t: 1\nmodel name\t: Some CPU: fast\nflags\t\t: fpu sse hypervisor\n\n"
	const arm = "processor\t: 0\nFeatures\t: fp asimd\nCPU part\t: 0xd40\n\nHardware\t: board\n"
	for _, c := range []struct {
		text, model string
		cpus        int
		first, all  string
	}{
		{x86, "Some CPU: fast", 2, "fpu avx2 hypervisor", "fpu hypervisor"},
		{arm, "", 2, "fp asimd", "asimd fp"},
		{"", "", 0, "", ""},
		{"no colon\n\n\n\n", "", 0, "", ""},
	} {
		list := ParseProcessors(c.text)
		if len(list) != c.cpus {
			t.Errorf("%q: %d CPUs, want %d", c.text, len(list), c.cpus)
		}
		if len(list) > 0 {
			if got := strings.Join(list[0].Features(), " "); got != c.first {
				t.Errorf("features of the first CPU %q, want %q", got, c.first)
			}
			if got := list[0].Value("model name"); got != c.model {
				t.Errorf("model %q, want %q", got, c.model)
			}
		}
		common := CommonFeatures(list)
		if got := strings.Join(slices.Sorted(maps.Keys(common)), " "); got != c.all || (common == nil) != (c.all == "") {
			t.Errorf("features of all CPUs %q, want %q", got, c.all)
		}
	}
}

func FuzzParseProcessors(f *testing.F) {
	f.Add("processor\t: 0\nflags\t\t: fpu avx2\n\nprocessor: 1\nFeatures : fp\n")
	f.Add("\n\n:\n\n : :\n")
	f.Fuzz(func(t *testing.T, text string) {
		list := ParseProcessors(text)
		common := CommonFeatures(list)
		for _, p := range list {
			if len(p) == 0 {
				t.Errorf("%q: a CPU without lines", text)
			}
			for feature := range common {
				if p.Value("flags", "Features") != "" && !slices.Contains(p.Features(), feature) {
					t.Errorf("%q: not every CPU has %q", text, feature)
				}
			}
		}
	})
}
